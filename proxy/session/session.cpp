#include "proxy/session/session.hpp"

#include "protocol/packets.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/connect.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <spdlog/spdlog.h>

namespace proxy {

namespace asio = boost::asio;
using protocol::Command;
using protocol::ReplyEnd;
using protocol::ReplyShape;
using tcp = asio::ip::tcp;

namespace {

// Login and authentication packets: connection attributes may be long, but not without bound.
constexpr std::size_t login_packet_max = 1 << 20;
// How long a client may take to read what was flushed and close, once the backend is gone.
constexpr std::chrono::seconds linger{2};

}  // namespace

Session::Session(CoreContext& core, tcp::socket client, std::uint64_t number)
    : core_(core),
      number_(number),
      client_(std::move(client)),
      pump_ended_(core.executor),
      handshake_timer_(core.executor) {
    boost::system::error_code error;
    const auto peer = client_.socket().remote_endpoint(error);
    if (!error) peer_ = peer.address().to_string();
}

Task<> Session::run() {
    const auto self = shared_from_this();
    core_.metrics->sessions_open.add();
    core_.metrics->sessions_total.add();
    client_.set_options();
    arm_handshake_timer();
    const ErrorCode error = co_await connect_backend();
    if (error) {
        core_.metrics->sessions_refused.add();
        const auto address = config::to_string(core_.config->backend.address);
        spdlog::warn(
            "event=backend_unreachable session={} address={} error=\"{}\"",
            number_,
            address,
            error.message()
        );
        co_await send_error(replies::backend_unreachable(address, error.message()), 0);
    } else {
        bool ready = co_await greet();
        if (ready) ready = co_await log_in();
        if (ready) {
            co_await serve_commands();
        } else {
            core_.metrics->login_failed.add();
        }
    }
    // The client has sent its last byte; what the backend still answers goes to it until the
    // backend closes.
    if (backend_) backend_->wire().shutdown_send();
    while (pump_running_) co_await pump_ended_.wait();
    end_client_stream();
    // Read on until the client closes too: closing over unread bytes would reset the connection and
    // take the backend's last words with it. The linger timer bounds this.
    while (backend_) {
        const ErrorCode read_error = co_await client_.fill(client_in_);
        if (read_error) break;
        client_in_.consume(client_in_.size());
    }
    handshake_timer_.cancel();
    finish();
    core_.metrics->sessions_open.subtract();
}

void Session::finish() {
    conclude(core_, transaction_.on_lost());
    if (backend_) backend_->wire().close();
    client_.close();
}

void Session::arm_handshake_timer() {
    handshake_timer_.expires_after(core_.config->limits.handshake_timeout);
    handshake_timer_.async_wait([weak = weak_from_this()](const ErrorCode& error) {
        const auto self = weak.lock();
        if (error || !self || self->logged_in_) return;
        spdlog::info("event=handshake_timeout session={} peer={}", self->number_, self->peer_);
        self->abort();
    });
}

Task<ErrorCode> Session::connect_backend() {
    const auto& address = core_.config->backend.address;
    tcp::resolver resolver{core_.executor};
    auto [error, found] = co_await resolver.async_resolve(
        address.host, std::to_string(address.port), asio::as_tuple(asio::use_awaitable)
    );
    if (error) co_return error;
    const auto socket = std::make_shared<tcp::socket>(core_.executor);
    asio::steady_timer timer{core_.executor, core_.config->backend.connect_timeout};
    timer.async_wait([socket](const ErrorCode& cancelled) {
        ErrorCode ignored;
        if (!cancelled) socket->close(ignored);
    });
    for (const auto& candidate : found) {
        ErrorCode ignored;
        if (socket->is_open()) socket->close(ignored);
        const auto [failed] = co_await socket->async_connect(
            candidate.endpoint(), asio::as_tuple(asio::use_awaitable)
        );
        error =
            failed == asio::error::operation_aborted ? ErrorCode{asio::error::timed_out} : failed;
        if (!error || error == asio::error::timed_out) break;
    }
    timer.cancel();
    if (error) co_return error;
    Wire wire{std::move(*socket)};
    wire.set_options();
    backend_ = std::make_unique<BackendLink>(
        core_.executor, std::move(wire), client_, *this, *core_.metrics
    );
    co_return ErrorCode{};
}

// One whole packet at the front of `buffer`; `size` includes its header.
Task<bool> Session::read_packet(Wire& wire, ReadBuffer& buffer, std::size_t& size) {
    for (;;) {
        if (buffer.size() >= protocol::frame_header_size) {
            const auto header = protocol::read_frame_header(buffer.data().data());
            size = protocol::frame_header_size + header.length;
            if (size > login_packet_max) co_return false;
            if (buffer.size() >= size) {
                client_sequence_ = header.sequence;
                co_return true;
            }
            buffer.reserve(size);
        }
        const auto read_error = co_await wire.fill(buffer);
        if (read_error) co_return false;
    }
}

Task<bool> Session::greet() {
    ReadBuffer input;
    std::size_t size = 0;
    const auto has_packet = co_await read_packet(backend_->wire(), input, size);
    if (!has_packet) {
        co_await send_error(
            replies::backend_unreachable(
                config::to_string(core_.config->backend.address), "it closed before its greeting"
            ),
            0
        );
        co_return false;
    }
    const auto packet = input.data().first(size);
    const auto payload = packet.subspan(protocol::frame_header_size);
    if (payload.empty() || payload[0] == 0xff) {
        co_await client_.write(packet);
        co_return false;
    }
    const auto greeting = protocol::decode_greeting(payload);
    if (!greeting) {
        core_.metrics->protocol_errors_backend.add();
        co_await send_error(
            replies::unreadable_packet("the database's greeting is not understood"), 0
        );
        co_return false;
    }
    const auto version = protocol::parse_server_version(greeting->server_version);
    dialect_.server_version = version.number;
    dialect_.is_mariadb = version.is_mariadb;
    const auto offered = protocol::mask_greeting(payload, protocol::passable_capabilities());
    if (!offered) co_return false;
    backend_->set_capabilities(*offered);
    auto write_error = co_await client_.write(packet);
    co_return !write_error;
}

Task<bool> Session::log_in() {
    std::size_t size = 0;
    const auto has_packet = co_await read_packet(client_, client_in_, size);
    if (!has_packet) {
        if (size <= login_packet_max) co_return false;
        core_.metrics->protocol_errors_client.add();
        co_await send_error(replies::unreadable_packet("the login packet is too long"), 2);
        co_return false;
    }
    const auto payload =
        client_in_.data().subspan(protocol::frame_header_size, size - protocol::frame_header_size);
    const auto offered = backend_->capabilities();
    const auto login = protocol::decode_login(payload, offered);
    const auto sequence = static_cast<std::uint8_t>(client_sequence_ + 1);
    if (!login) {
        core_.metrics->protocol_errors_client.add();
        co_await send_error(
            replies::unreadable_packet("the login packet is not understood"), sequence
        );
        co_return false;
    }
    if (login->is_ssl_request || login->capabilities.has(protocol::capability::ssl)) {
        co_await send_error(replies::ssl_not_offered(), sequence);
        co_return false;
    }
    // A client that asks for what was not offered gets what both sides share, so that the backend
    // sees the identical set.
    const auto agreed = protocol::mask_login(payload, offered);
    if (!agreed) co_return false;
    backend_->set_capabilities(*agreed);
    handshake_flags_ = agreed->flags;
    user_ = std::string{login->user};
    schema_ = std::string{login->schema};
    dialect_.charset = rewrite::charset_of_collation(login->collation);
    auto result = co_await authenticate(0, ReplyShape::auth, size);
    co_return result;
}

// Relays authentication turn by turn: the client may send one packet each time the backend waits
// for it, so nothing can be slipped past the command loop.
Task<bool> Session::authenticate(std::uint8_t command, ReplyShape shape, std::size_t forward) {
    logged_in_ = false;
    PendingReply pending = std::move(next_pending_);
    next_pending_ = PendingReply{};
    pending.command = command;
    pending.shape = shape;
    backend_->expect(std::move(pending));
    if (!pump_running_) {
        pump_running_ = true;
        auto task = run_pump(shared_from_this());
        spawn(core_.executor, "reply_pump", std::move(task));
    }
    std::size_t size = forward;
    bool has_packet = true;
    while (has_packet) {
        ErrorCode write_error;
        if (size > 0) write_error = co_await backend_->wire().write(client_in_.data().first(size));
        if (write_error) co_return false;
        client_in_.consume(size);
        size = 0;
        const auto client_turn = co_await backend_->wait_client_turn();
        if (!client_turn) break;
        has_packet = co_await read_packet(client_, client_in_, size);
    }
    co_return logged_in_;
}

Task<> Session::run_pump(std::shared_ptr<Session> self) {
    co_await self->backend_->pump();
    self->end_client_stream();
    self->pump_running_ = false;
    self->pump_ended_.notify();
}

// The client gets what was written last, then the end of the stream; a close right now could
// destroy those bytes on their way. The timer bounds how long the client may take to close as well.
void Session::end_client_stream() {
    client_.shutdown_send();
    handshake_timer_.expires_after(linger);
    handshake_timer_.async_wait([weak = weak_from_this()](const ErrorCode& error) {
        if (const auto alive = weak.lock(); alive && !error) alive->client_.close();
    });
}

Task<> Session::send_error(OwnError error, std::uint8_t sequence) {
    std::vector<std::uint8_t> packet;
    protocol::ErrPacket err;
    err.code = error.code;
    err.sql_state = error.sql_state;
    err.message = error.message;
    protocol::Capabilities caps;
    caps.flags = protocol::capability::protocol_41;
    protocol::encode_err(packet, sequence, err, caps);
    co_await client_.write(packet);
}

void Session::on_reply(PendingReply& reply, const ReplyEnd& end) {
    const bool ok = end.how != ReplyEnd::How::err;
    conclude(core_, transaction_.on_reply(reply.transaction, end));
    if (reply.shape == ReplyShape::auth && ok) logged_in_ = true;
    if (reply.transaction.resets_session && ok) {
        prepared_.clear();
        sql_mode_known_ = false;
        charset_known_ = false;
    }
    if (ok && !reply.schema.empty()) {
        schema_ = reply.schema;
        schema_known_ = true;
    }
    if (ok && end.schema_changed) {
        schema_ = end.schema;
        schema_known_ = true;
    }
    if (end.how == ReplyEnd::How::prepared) {
        last_prepared_ = end.statement_id;
        if (reply.preparing) {
            reply.preparing->param_count = end.param_count;
            prepared_[end.statement_id] = std::move(reply.preparing);
        } else {
            prepared_.erase(end.statement_id);
        }
    }
    if (draining_) check_drain();
}

void Session::drain() {
    draining_ = true;
    check_drain();
}

void Session::check_drain() {
    const bool idle = !backend_ || (backend_->drained() && !transaction_.in_transaction());
    if (idle || !logged_in_) abort();
}

void Session::abort() {
    client_.close();
    if (backend_) backend_->wire().close();
}

}  // namespace proxy
