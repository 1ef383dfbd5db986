#pragma once
// The backend side of one session: its socket, the queue of replies that are due, and the pump that
// carries them. The pump is the only reader of the backend and, while a client's reply is due, the
// only writer to the client. A reply is either the client's (its bytes are passed on unread but for
// the frame) or our own (collected and handed to whoever called `exchange`). Used on the session's
// core only.

#include "protocol/command.hpp"
#include "protocol/packets.hpp"
#include "protocol/response_tracker.hpp"
#include "protocol/text_row.hpp"
#include "proxy/net/wire.hpp"
#include "proxy/runtime/event.hpp"
#include "proxy/runtime/metrics.hpp"
#include "proxy/session/prepared.hpp"
#include "proxy/session/replies.hpp"
#include "proxy/session/transaction_tracker.hpp"

#include <boost/circular_buffer.hpp>

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace proxy {

// A reply that is due, in the order of the commands.
struct PendingReply {
    std::uint8_t command = 0;
    protocol::ReplyShape shape = protocol::ReplyShape::ok_or_err;
    bool own = false;
    TransactionTracker::Command transaction;
    std::string schema;                            // becomes the default schema on success
    std::unique_ptr<PreparedStatement> preparing;  // kept under the new id on success
};

// One reply to a statement of our own.
struct OwnReply {
    protocol::ReplyEnd end;
    std::vector<std::uint8_t> bytes;  // all its frames

    [[nodiscard]] bool ok() const noexcept { return end.how != protocol::ReplyEnd::How::err; }
    [[nodiscard]] OwnError error(protocol::Capabilities caps) const;
    // The rows of its first result set; empty on any malformation.
    [[nodiscard]] std::vector<protocol::TextRow> rows(protocol::Capabilities caps) const;
};

// Told of every client reply that ended, before its last bytes are written to the client.
class ReplyObserver {
public:
    virtual ~ReplyObserver() = default;
    virtual void on_reply(PendingReply& reply, const protocol::ReplyEnd& end) = 0;
    // What was read of the backend, or a part of it, is through.
    virtual void on_written() {}
    // Asked before a packet of an authentication goes to the client; false ends the session.
    virtual bool may_pass_auth(std::span<const std::uint8_t> /*payload*/) { return true; }
    // The end of an authentication was written to the client. `behind` is what the backend sent
    // after it; true when it was taken.
    virtual bool on_auth_written(std::span<const std::uint8_t> /*behind*/) { return false; }
};

class BackendLink {
public:
    BackendLink(
        const boost::asio::any_io_executor& executor,
        Wire backend,
        Wire& client,
        ReplyObserver& observer,
        SessionMetrics& metrics
    );

    void set_capabilities(protocol::Capabilities caps) noexcept;
    [[nodiscard]] protocol::Capabilities capabilities() const noexcept { return caps_; }
    [[nodiscard]] Wire& wire() noexcept { return backend_; }

    // The reply must be announced before its command is written.
    void expect(PendingReply reply);
    // Both directions are plain bytes from here on (replication streams).
    [[nodiscard]] bool is_raw() const noexcept { return raw_; }

    // What a backend packet's number exceeds the client's by during authentication, since TLS on
    // one leg alone takes a packet of its own.
    void set_auth_shift(int shift) noexcept { auth_shift_ = shift; }
    // The number that the client's next authentication packet must have on the backend leg.
    [[nodiscard]] std::uint8_t next_auth_sequence() const noexcept { return next_auth_sequence_; }

    [[nodiscard]] bool drained() const noexcept { return pending_.empty(); }
    // Replies due.
    [[nodiscard]] std::size_t backlog() const noexcept { return pending_.size(); }
    [[nodiscard]] bool closed() const noexcept { return closed_; }
    // The client is to send file data (LOCAL INFILE) before the pending reply goes on.
    [[nodiscard]] bool wants_infile() const noexcept { return infile_; }
    void infile_sent() noexcept;

    // Until every reply due has been passed on. False: the backend is gone.
    Task<bool> wait_drained();
    // Authentication: until the backend waits for the client (true) or the exchange ended (false).
    Task<bool> wait_client_turn();

    // Sends the statements in one write and collects their replies. False: the backend is gone;
    // what was answered until then is in `replies`.
    Task<bool> exchange(const std::vector<std::string>& statements, std::vector<OwnReply>& replies);
    // COM_STMT_PREPARE and COM_STMT_CLOSE of a client's statement: may this user run it?
    Task<bool> try_prepare(const std::string& sql, OwnReply& reply);

    // Runs until the backend closes or cannot be understood, or the client cannot be written to.
    Task<> pump();

private:
    static constexpr std::size_t own_reply_size_max = 1 << 20;
    static constexpr std::size_t auth_packet_size_max = 1 << 20;

    // The front of what was read that goes one way.
    struct Share {
        std::size_t size = 0;
        bool to_client = false;
        bool understood = true;
        std::size_t needs = 0;  // nothing to do before so many bytes are there
    };
    [[nodiscard]] Share next_share(std::span<std::uint8_t> data);
    [[nodiscard]] bool begin_reply();
    [[nodiscard]] bool pass_auth(std::span<std::uint8_t> data, Share& share);
    [[nodiscard]] bool take_own(std::span<const std::uint8_t> bytes);
    void finish_turn();
    void due(PendingReply reply);
    Task<bool> collect(
        std::size_t count, std::vector<std::uint8_t> request, std::vector<OwnReply>& replies
    );

    Wire backend_;
    Wire* client_;
    ReplyObserver* observer_;
    SessionMetrics* metrics_;
    Event changed_;
    protocol::Capabilities caps_;
    protocol::ResponseTracker tracker_;
    boost::circular_buffer<PendingReply> pending_{4};
    std::vector<OwnReply> own_replies_;
    std::vector<std::uint8_t> own_bytes_;
    bool raw_ = false;
    bool infile_ = false;
    bool client_turn_ = false;
    bool between_turns_ = false;  // the reply at the front goes on after the client's turn
    bool resumes_ = false;        // with the next byte, after the client's turn
    bool closed_ = false;
    bool auth_ended_ = false;  // with the bytes about to be written
    int auth_shift_ = 0;
    std::uint8_t next_auth_sequence_ = 1;
};

}  // namespace proxy
