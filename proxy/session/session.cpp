#include "proxy/session/session.hpp"

#include "protocol/packets.hpp"

#include <spdlog/spdlog.h>

namespace proxy {

namespace asio = boost::asio;
using protocol::Command;
using protocol::ReplyEnd;
using protocol::ReplyShape;

namespace {

// How long a client may take to read what was flushed and close, once the backend is gone.
constexpr std::chrono::seconds linger{2};

}  // namespace

Session::Session(CoreContext& core, StreamSocket client, std::uint64_t number)
    : core_(core),
      number_(number),
      client_(std::move(client)),
      pump_ended_(core.executor),
      handshake_timer_(core.executor),
      last_active_(std::chrono::steady_clock::now()) {}

Task<> Session::run() {
    const auto self = shared_from_this();
    core_.metrics->sessions_open.add();
    core_.metrics->sessions_total.add();
    client_.set_options();
    arm_handshake_timer();
    bool ready = co_await open();
    if (ready) ready = co_await greet();
    if (ready) ready = co_await log_in();
    if (ready) {
        co_await serve_commands();
    } else if (backend_) {
        core_.metrics->login_failed.add();
        co_await abandon_login();
    }
    // The client has sent its last byte; what the backend still answers goes to it until the
    // backend closes.
    if (backend_) backend_->wire().shutdown_send();
    while (pump_running_) co_await pump_ended_.wait();
    end_client_stream();
    // Read on until the client closes too: closing over unread bytes would reset the connection and
    // take the backend's last words with it. The linger timer bounds this.
    client_.expect_end();
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
        self->end_client_stream();
        self->client_.close();
    });
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
        const auto alive = weak.lock();
        if (error || !alive) return;
        alive->client_.close();
        if (alive->backend_) alive->backend_->wire().close();
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
    // A server often closes behind an error.
    if (!ok) backend_->wire().expect_end();
    // A server resets the session before it looks at the new user.
    const bool reset_all_the_same = !ok && reply.shape == ReplyShape::auth;
    conclude(
        core_,
        reset_all_the_same ? transaction_.on_lost() : transaction_.on_reply(reply.transaction, end)
    );
    if (reply.shape == ReplyShape::auth && ok) logged_in_ = true;
    if (reply.transaction.resets_session && (ok || reset_all_the_same)) {
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
}

// Not before: the reply that ends the last transaction is the one that its client waits for.
void Session::on_written() {
    if (draining_) check_drain();
}

void Session::drain() {
    draining_ = true;
    check_drain();
}

void Session::on_tick(std::chrono::steady_clock::time_point now) {
    client_.look_for_end();
    if (backend_) backend_->wire().look_for_end();
    // A statement that still runs is no idleness.
    if (backend_ && !backend_->drained()) last_active_ = now;
    const auto& limits = core_.config->limits;
    const auto too_long = [&](const Wire& wire) {
        const auto since = wire.blocked_since();
        return since && limits.write_timeout.count() > 0 && now - *since > limits.write_timeout;
    };
    if (too_long(client_) || (backend_ && too_long(backend_->wire()))) {
        spdlog::info("event=write_timeout session={} peer={}", number_, peer_);
        abort();
        return;
    }
    if (limits.idle_timeout.count() == 0 || !logged_in_ || !backend_ || !backend_->drained())
        return;
    if (backend_->is_raw() || now - last_active_ <= limits.idle_timeout) return;
    spdlog::info("event=idle_timeout session={} peer={}", number_, peer_);
    abort();
}

void Session::check_drain() {
    if (intercepting_) return;  // its client is answered first
    const bool idle = !backend_ || (backend_->drained() && !transaction_.in_transaction());
    if (!idle && logged_in_) return;
    end_client_stream();
    if (backend_) backend_->wire().close();
}

void Session::abort() {
    client_.close();
    if (backend_) backend_->wire().close();
}

}  // namespace proxy
