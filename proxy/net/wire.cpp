#include "proxy/net/wire.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>

#include <algorithm>
#include <cstring>

namespace proxy {

namespace asio = boost::asio;

void ReadBuffer::consume(std::size_t count) noexcept {
    begin_ += count;
    if (begin_ == end_) begin_ = end_ = 0;
}

void ReadBuffer::reserve(std::size_t size) {
    if (bytes_.size() - begin_ >= size) return;
    std::memmove(bytes_.data(), bytes_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
    if (bytes_.size() < size) bytes_.resize(size);
}

std::span<std::uint8_t> ReadBuffer::space() {
    if (bytes_.empty()) bytes_.resize(size_default);
    if (begin_ == end_ && bytes_.size() > size_default) {
        // A large packet has passed: do not keep its memory for the rest of the session.
        bytes_.resize(size_default);
        bytes_.shrink_to_fit();
    }
    if (end_ == bytes_.size()) reserve(std::max(size_default, (end_ - begin_) + size_default));
    return {bytes_.data() + end_, bytes_.size() - end_};
}

void Wire::set_options() noexcept {
    ErrorCode ignored;
    socket_.set_option(asio::ip::tcp::no_delay{true}, ignored);
    socket_.set_option(asio::socket_base::keep_alive{true}, ignored);
}

Task<ErrorCode> Wire::fill(ReadBuffer& buffer) {
    if (read_end_) co_return read_end_;
    const auto space = buffer.space();
    const auto [error, count] = co_await socket_.async_read_some(
        asio::buffer(space.data(), space.size()), asio::as_tuple(asio::use_awaitable)
    );
    buffer.filled(count);
    read_end_ = error;
    co_return error;
}

Task<ErrorCode> Wire::write(std::span<const std::uint8_t> bytes) {
    const auto [error, count] = co_await asio::async_write(
        socket_, asio::buffer(bytes.data(), bytes.size()), asio::as_tuple(asio::use_awaitable)
    );
    co_return error;
}

void Wire::shutdown_send() noexcept {
    ErrorCode ignored;
    socket_.shutdown(asio::ip::tcp::socket::shutdown_send, ignored);
}

void Wire::close() noexcept {
    ErrorCode ignored;
    socket_.close(ignored);
}

}  // namespace proxy
