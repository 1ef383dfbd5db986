#include "proxy/session/backend_link.hpp"

#include <spdlog/spdlog.h>

namespace proxy {

using protocol::ReplyEnd;

BackendLink::BackendLink(
    const boost::asio::any_io_executor& executor,
    Wire backend,
    Wire& client,
    ReplyObserver& observer,
    SessionMetrics& metrics
)
    : backend_(std::move(backend)),
      client_(&client),
      observer_(&observer),
      metrics_(&metrics),
      changed_(executor) {}

void BackendLink::set_capabilities(protocol::Capabilities caps) noexcept {
    caps_ = caps;
    tracker_.set_capabilities(caps);
}

void BackendLink::expect(PendingReply reply) {
    if (reply.shape == protocol::ReplyShape::none) return;
    pending_.push_back(std::move(reply));
}

void BackendLink::infile_sent() noexcept {
    infile_ = false;
    tracker_.infile_sent();
}

Task<bool> BackendLink::wait_drained() {
    while (!pending_.empty() && !closed_) co_await changed_.wait();
    co_return !closed_;
}

Task<bool> BackendLink::wait_client_turn() {
    while (!client_turn_ && !pending_.empty() && !closed_) co_await changed_.wait();
    const bool turn = client_turn_;
    client_turn_ = false;
    co_return turn && !closed_;
}

Task<bool> BackendLink::collect(
    std::size_t count, std::vector<std::uint8_t> request, std::vector<OwnReply>& replies
) {
    own_replies_.clear();
    const ErrorCode error = co_await backend_.write(request);
    if (!error) {
        while (own_replies_.size() < count && !closed_) co_await changed_.wait();
    }
    replies = std::move(own_replies_);
    own_replies_.clear();
    co_return replies.size() == count;
}

Task<bool> BackendLink::exchange(
    const std::vector<std::string>& statements, std::vector<OwnReply>& replies
) {
    replies.clear();
    const auto drained = co_await wait_drained();
    if (!drained) co_return false;
    std::vector<std::uint8_t> request;
    for (const auto& sql : statements) {
        protocol::encode_query(request, sql, caps_);
        PendingReply reply;
        reply.command = static_cast<std::uint8_t>(protocol::Command::query);
        reply.shape = protocol::ReplyShape::result;
        reply.own = true;
        pending_.push_back(std::move(reply));
    }
    auto collected = co_await collect(statements.size(), std::move(request), replies);
    co_return collected;
}

Task<bool> BackendLink::try_prepare(const std::string& sql, OwnReply& reply) {
    const auto drained = co_await wait_drained();
    if (!drained) co_return false;
    std::vector<std::uint8_t> request;
    protocol::encode_stmt_prepare(request, sql);
    PendingReply pending;
    pending.command = static_cast<std::uint8_t>(protocol::Command::stmt_prepare);
    pending.shape = protocol::ReplyShape::prepare;
    pending.own = true;
    pending_.push_back(std::move(pending));
    std::vector<OwnReply> replies;
    const auto collected = co_await collect(1, std::move(request), replies);
    if (!collected) co_return false;
    reply = std::move(replies.front());
    if (reply.ok()) {
        std::vector<std::uint8_t> close;
        protocol::encode_stmt_close(close, reply.end.statement_id);
        const auto write_error = co_await backend_.write(close);
        if (write_error) co_return false;
    }
    co_return true;
}

bool BackendLink::take_own(std::span<const std::uint8_t> bytes) {
    if (own_bytes_.size() + bytes.size() > own_reply_size_max) {
        spdlog::error("event=own_reply_too_large bytes={}", own_bytes_.size() + bytes.size());
        return false;
    }
    own_bytes_.insert(own_bytes_.end(), bytes.begin(), bytes.end());
    return true;
}

// The tracker saw the end of a reply or of a turn within it.
void BackendLink::finish_turn() {
    const ReplyEnd& end = tracker_.end();
    switch (end.how) {
        case ReplyEnd::How::infile:
            infile_ = true;
            between_turns_ = true;
            break;
        case ReplyEnd::How::auth_continue:
            client_turn_ = true;
            between_turns_ = true;
            break;
        case ReplyEnd::How::auth_fast_ok:
            between_turns_ = true;
            break;
        case ReplyEnd::How::ok:
        case ReplyEnd::How::err:
        case ReplyEnd::How::prepared:
        case ReplyEnd::How::text: {
            between_turns_ = false;
            PendingReply reply = std::move(pending_.front());
            pending_.pop_front();
            if (reply.own) {
                OwnReply own;
                own.end = end;
                own.bytes = std::move(own_bytes_);
                own_bytes_.clear();
                own_replies_.push_back(std::move(own));
            } else {
                observer_->on_reply(reply, end);
            }
            break;
        }
    }
}

Task<bool> BackendLink::deliver(ReadBuffer& input) {
    const auto data = input.data();
    std::size_t passed = 0;  // everything before this is written or collected
    std::size_t position = 0;
    while (position < data.size() && !raw_) {
        if (!between_turns_ && tracker_.idle()) {
            // Nothing is due: the server says why it is about to close (idle timeout, shutdown).
            if (pending_.empty()) {
                position = data.size();
                break;
            }
            tracker_.expect(pending_.front().shape);
        }
        const bool own = pending_.front().own;
        const auto fed = tracker_.feed(data.subspan(position));
        if (!fed) {
            metrics_->protocol_errors_backend.add();
            spdlog::warn(
                "event=protocol_error side=backend command={} error=\"{}\"",
                protocol::command_name(pending_.front().command),
                fed.error().message()
            );
            co_return false;
        }
        if (own) {
            if (position > passed) {
                const auto write_error =
                    co_await client_->write(data.subspan(passed, position - passed));
                if (write_error) co_return false;
            }
            if (!take_own(data.subspan(position, fed->size))) co_return false;
            passed = position + fed->size;
        }
        position += fed->size;
        if (fed->ended) finish_turn();
    }
    if (raw_) position = data.size();
    if (position > passed) {
        metrics_->bytes_client_out.add(position - passed);
        const auto write_error = co_await client_->write(data.subspan(passed, position - passed));
        if (write_error) co_return false;
    }
    input.consume(position);
    // Waiters go on only now: what they write to the client comes behind the reply just written.
    changed_.notify();
    co_return true;
}

Task<> BackendLink::pump() {
    ReadBuffer input;
    for (;;) {
        const ErrorCode error = co_await backend_.fill(input);
        bool delivered = true;
        if (input.size() > 0) delivered = co_await deliver(input);
        if (!delivered) break;
        if (error) break;
    }
    closed_ = true;
    changed_.notify();
}

OwnError OwnReply::error(protocol::Capabilities caps) const {
    OwnError error;
    error.code = end.code;
    error.message = end.message;
    error.sql_state = "HY000";
    // The ERR is the last frame; our statements' errors come as the first one.
    if (bytes.size() > protocol::frame_header_size) {
        const auto payload = std::span{bytes}.subspan(protocol::frame_header_size);
        if (const auto err = protocol::decode_err(payload, caps)) {
            error.code = err->code;
            error.sql_state = std::string{err->sql_state};
            error.message = std::string{err->message};
        }
    }
    return error;
}

std::vector<protocol::TextRow> OwnReply::rows(protocol::Capabilities caps) const {
    auto rows = protocol::collect_text_rows(bytes, caps);
    return rows ? std::move(*rows) : std::vector<protocol::TextRow>{};
}

}  // namespace proxy
