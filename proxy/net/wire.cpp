#include "proxy/net/wire.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <cerrno>

namespace proxy {

namespace asio = boost::asio;

namespace {

// With a deferred operation a coroutine waits without a frame of its own for it.
constexpr auto waiting = asio::as_tuple(asio::deferred);

}  // namespace

struct Wire::Packed {
    Packed(protocol::Compression algorithm, int level)
        : reader(algorithm), writer(algorithm, level) {}
    protocol::CompressedReader reader;
    protocol::CompressedWriter writer;
    ReadBuffer input;
    std::vector<std::uint8_t> output;
};

Wire::Wire(StreamSocket socket) : socket_(std::move(socket)) {
    ErrorCode error;
    const auto peer = socket_.local_endpoint(error);
    is_unix_ = !error && peer.protocol().family() == AF_UNIX;
}

Wire::Wire(Wire&&) noexcept = default;
Wire::~Wire() = default;

void Wire::set_options() noexcept {
    if (is_unix_) return;
    ErrorCode ignored;
    socket_.set_option(asio::ip::tcp::no_delay{true}, ignored);
    socket_.set_option(asio::socket_base::keep_alive{true}, ignored);
}

Task<ErrorCode> Wire::fill(ReadBuffer& buffer) {
    if (packed_) return fill_packed(buffer);
    if (tls_) return fill_tls(buffer);
    return fill_plain(buffer);
}

Task<ErrorCode> Wire::fill_plain(ReadBuffer& buffer) {
    for (;;) {
        if (read_end_) co_return read_end_;
        if (buffer.streams() || looks_first_) {
            looks_first_ = false;
            // Looks before it waits, because waiting needs memory that an idle connection must not
            // hold.
            if (read_now(buffer)) co_return read_end_;
            buffer.rest();
        }
        const auto space = buffer.space();
        const auto [error, count] = co_await socket_.async_receive_once(space, waiting);
        buffer.filled(count);
        read_lately_ = true;
        const bool interrupted = error == asio::error::operation_aborted && socket_.is_open();
        if (interrupted) continue;
        read_end_ = error;
        co_return error;
    }
}

// True when there were bytes, or the stream has ended, which read_end_ then says.
bool Wire::read_now(ReadBuffer& buffer) {
    const auto room = buffer.space();
    const ssize_t count = ::recv(socket_.native_handle(), room.data(), room.size(), MSG_DONTWAIT);
    if (count > 0) {
        buffer.filled(static_cast<std::size_t>(count));
        return true;
    }
    if (count < 0 && (errno == EAGAIN || errno == EINTR)) return false;
    read_end_ = count == 0 ? ErrorCode{asio::error::eof}
                           : ErrorCode{errno, boost::system::system_category()};
    return true;
}

void Wire::look_for_end() noexcept {
    if (!read_lately_ || !socket_.is_open()) return;
    read_lately_ = false;
    if (!peer_has_closed()) return;
    looks_first_ = true;
    socket_.interrupt_read();
}

Task<ErrorCode> Wire::fill_tls(ReadBuffer& buffer) {
    for (;;) {
        const auto space = buffer.space();
        std::size_t count = 0;
        const auto outcome = tls_->read(space, count);
        if (outcome == TlsStream::Outcome::done) {
            buffer.filled(count);
            co_return ErrorCode{};
        }
        if (outcome == TlsStream::Outcome::closed) co_return ErrorCode{asio::error::eof};
        if (outcome == TlsStream::Outcome::failed) {
            tls_problem_ = tls_->problem();
            co_return ErrorCode{asio::error::connection_reset};
        }
        if (buffer.size() == 0) buffer.rest();
        // A key update or the like may have produced an answer.
        const ErrorCode write_error = co_await flush_tls();
        if (write_error) co_return write_error;
        const ErrorCode error = co_await fill_plain(*sealed_in_);
        if (error) co_return error;
    }
}

Task<ErrorCode> Wire::fill_packed(ReadBuffer& buffer) {
    for (;;) {
        const auto space = buffer.space();
        const auto step = packed_->reader.step(packed_->input.data(), space);
        if (!step) co_return ErrorCode{asio::error::invalid_argument};
        packed_->input.consume(step->consumed);
        if (step->produced > 0) {
            buffer.filled(step->produced);
            co_return ErrorCode{};
        }
        if (packed_->input.size() > 0) continue;
        if (buffer.size() == 0) buffer.rest();
        auto reading = tls_ ? fill_tls(packed_->input) : fill_plain(packed_->input);
        const ErrorCode error = co_await std::move(reading);
        if (error) co_return error;
    }
}

std::span<const std::uint8_t> Wire::write_now(std::span<const std::uint8_t> bytes) noexcept {
    if (tls_ || packed_ || bytes.empty()) return bytes;
    const ssize_t sent =
        ::send(socket_.native_handle(), bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    // What went wrong shows again, and is told, when the rest is written.
    return sent > 0 ? bytes.subspan(static_cast<std::size_t>(sent)) : bytes;
}

Task<ErrorCode> Wire::write(std::span<const std::uint8_t> bytes) {
    if (!packed_) return write_secure(bytes);
    packed_->output.clear();
    packed_->writer.append(packed_->output, bytes);
    return write_secure(packed_->output);
}

Task<ErrorCode> Wire::write_secure(std::span<const std::uint8_t> bytes) {
    if (!tls_) return write_plain(bytes);
    if (tls_->write(bytes) != TlsStream::Outcome::done) tls_problem_ = tls_->problem();
    return flush_tls();
}

Task<ErrorCode> Wire::flush_tls() {
    if (!tls_problem_.empty()) co_return ErrorCode{asio::error::connection_reset};
    if (tls_->output().empty()) co_return ErrorCode{};
    const ErrorCode error = co_await write_plain(tls_->output());
    tls_->clear_output();
    co_return error;
}

Task<ErrorCode> Wire::write_plain(std::span<const std::uint8_t> bytes) {
    while (!bytes.empty()) {
        const ssize_t sent = ::send(
            socket_.native_handle(), bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL
        );
        if (sent > 0) {
            bytes = bytes.subspan(static_cast<std::size_t>(sent));
            continue;
        }
        if (sent < 0 && errno == EINTR) continue;
        if (sent < 0 && errno != EAGAIN) {
            co_return ErrorCode{errno, boost::system::system_category()};
        }
        blocked_since_ = std::chrono::steady_clock::now();
        const auto [error] = co_await socket_.async_wait(asio::socket_base::wait_write, waiting);
        blocked_since_.reset();
        if (error) co_return error;
    }
    co_return ErrorCode{};
}

Task<ErrorCode> Wire::start_tls(TlsStream tls, std::span<const std::uint8_t> already_read) {
    tls_ = std::make_unique<TlsStream>(std::move(tls));
    sealed_in_ = std::make_unique<ReadBuffer>();
    sealed_in_->append(already_read);
    tls_->set_input(sealed_in_.get());
    for (;;) {
        const auto outcome = tls_->handshake();
        if (outcome == TlsStream::Outcome::failed) {
            // The alert that tells the peer why is in the output.
            tls_problem_.clear();
            co_await flush_tls();
            tls_problem_ = tls_->problem();
            co_return ErrorCode{asio::error::no_protocol_option};
        }
        const ErrorCode write_error = co_await flush_tls();
        if (write_error) co_return write_error;
        if (outcome == TlsStream::Outcome::done) co_return ErrorCode{};
        if (outcome == TlsStream::Outcome::closed) co_return ErrorCode{asio::error::eof};
        const ErrorCode error = co_await fill_plain(*sealed_in_);
        if (error) co_return error;
    }
}

void Wire::start_compression(
    protocol::Compression algorithm, int level, std::span<const std::uint8_t> already_read
) {
    packed_ = std::make_unique<Packed>(algorithm, level);
    packed_->input.append(already_read);
}

void Wire::begin_command() noexcept {
    if (packed_) packed_->writer.set_sequence(0);
}

void Wire::begin_pipelined_reply() noexcept {
    if (packed_) packed_->writer.set_sequence(1);
}

void Wire::follow_peer() noexcept {
    if (!packed_) return;
    packed_->writer.set_sequence(static_cast<std::uint8_t>(packed_->reader.last_sequence() + 1));
}

void Wire::shutdown_send() noexcept {
    ErrorCode ignored;
    if (tls_ && !blocked_since_) {
        tls_->close_notify();
        const auto bytes = tls_->output();
        const ssize_t sent = ::send(
            socket_.native_handle(), bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL
        );
        static_cast<void>(sent);  // a peer that takes nothing gets no farewell either
        tls_->clear_output();
    }
    socket_.shutdown(asio::socket_base::shutdown_send, ignored);
}

void Wire::close() noexcept {
    ErrorCode ignored;
    socket_.close(ignored);
}

bool Wire::peer_has_closed() noexcept {
    std::uint8_t byte = 0;
    const ssize_t count = ::recv(socket_.native_handle(), &byte, 1, MSG_DONTWAIT | MSG_PEEK);
    return count == 0 || (count < 0 && errno != EAGAIN && errno != EINTR);
}

}  // namespace proxy
