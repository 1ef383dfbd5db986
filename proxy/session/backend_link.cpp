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
    due(std::move(reply));
}

void BackendLink::due(PendingReply reply) {
    if (pending_.full()) pending_.set_capacity(pending_.capacity() * 2);
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
    backend_.begin_command();
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
        due(std::move(reply));
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
    due(std::move(pending));
    std::vector<OwnReply> replies;
    const auto collected = co_await collect(1, std::move(request), replies);
    if (!collected) co_return false;
    reply = std::move(replies.front());
    if (reply.ok()) {
        std::vector<std::uint8_t> close;
        protocol::encode_stmt_close(close, reply.end.statement_id);
        backend_.begin_command();
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
            resumes_ = true;
            break;
        case ReplyEnd::How::auth_continue:
            client_turn_ = true;
            between_turns_ = true;
            resumes_ = true;
            break;
        case ReplyEnd::How::auth_fast_ok:
            between_turns_ = true;
            break;
        case ReplyEnd::How::stream:
            raw_ = true;
            [[fallthrough]];
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
                auth_ended_ = reply.shape == protocol::ReplyShape::auth;
            }
            break;
        }
    }
}

// False: nothing is due, and what comes is the server's farewell (idle timeout, shutdown).
bool BackendLink::begin_reply() {
    if (resumes_) client_->follow_peer();
    resumes_ = false;
    if (between_turns_ || !tracker_.idle()) return true;
    if (pending_.empty()) {
        backend_.expect_end();
        return false;
    }
    tracker_.expect(pending_.front().shape);
    if (pending_.size() > 1) {
        client_->begin_pipelined_reply();
    } else {
        client_->follow_peer();
    }
    return true;
}

// Packets of an authentication are looked at whole and renumbered before they pass.
bool BackendLink::pass_auth(std::span<std::uint8_t> data, Share& share) {
    if (data.size() < protocol::frame_header_size) {
        share.needs = protocol::frame_header_size;
        return false;
    }
    const auto header = protocol::read_frame_header(data.data());
    const std::size_t size = protocol::frame_header_size + header.length;
    share.understood = size <= auth_packet_size_max;
    if (!share.understood) return false;
    if (data.size() < size) {
        share.needs = size;
        return false;
    }
    share.understood =
        observer_->may_pass_auth(data.first(size).subspan(protocol::frame_header_size));
    next_auth_sequence_ = static_cast<std::uint8_t>(header.sequence + 1);
    data[3] = static_cast<std::uint8_t>(header.sequence - auth_shift_);
    return share.understood;
}

BackendLink::Share BackendLink::next_share(std::span<std::uint8_t> data) {
    Share share;
    while (share.size < data.size()) {
        const auto rest = data.subspan(share.size);
        if (raw_ || !begin_reply()) {
            share.size = data.size();
            share.to_client = true;
            break;
        }
        const PendingReply& front = pending_.front();
        if (share.size > 0 && front.own == share.to_client) break;
        share.to_client = !front.own;
        const bool is_auth = front.shape == protocol::ReplyShape::auth;
        if (is_auth && !pass_auth(rest, share)) break;
        const auto fed = tracker_.feed(rest);
        share.understood = fed && (share.to_client || take_own(rest.first(fed->size)));
        if (!share.understood) {
            metrics_->protocol_errors_backend.add();
            spdlog::warn(
                "event=protocol_error side=backend command={} error=\"{}\"",
                protocol::command_name(front.command),
                fed ? "reply too large" : fed.error().message()
            );
            break;
        }
        share.size += fed->size;
        if (fed->ended) finish_turn();
        if (auth_ended_) break;
    }
    return share;
}

Task<> BackendLink::pump() {
    ReadBuffer input;
    bool understood = true;
    ErrorCode error;
    while (understood && !error) {
        error = co_await backend_.fill(input);
        while (understood && input.size() > 0) {
            const Share share = next_share(input.data());
            understood = share.understood;
            if (share.to_client && share.size > 0) {
                metrics_->bytes_client_out.add(share.size);
                const auto rest = client_->write_now(input.data().first(share.size));
                if (!rest.empty()) error = co_await client_->write(rest);
                if (error) break;
            }
            input.consume(share.size);
            if (auth_ended_) {
                auth_ended_ = false;
                auth_shift_ = 0;
                if (observer_->on_auth_written(input.data())) input.consume(input.size());
            }
            // Waiters go on only now: what they write to the client comes behind the reply just
            // written.
            if (share.size > 0) {
                changed_.notify();
                observer_->on_written();
            }
            if (share.needs > 0) {
                input.reserve(share.needs);
                break;
            }
        }
        // A reply that breaks off is the other time when a server closes.
        if (!pending_.empty()) backend_.expect_end();
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
