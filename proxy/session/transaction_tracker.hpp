#pragma once
// What a client's transaction has reserved, and what the end of each statement makes of it. Pure:
// fed with replies, it says which reservations are settled, given back, or unknown (the judge
// decides those). One per session.
//
// The transaction state is what the backend's status flags say. The SQL text only refines it:
// SAVEPOINT is not visible in the flags with autocommit=0, and BEGIN or AND CHAIN end one
// transaction and open the next without the flag ever going down. Where text and flags cannot prove
// the end (an error that may have rolled back, CALL, XA, several statements in one packet) the
// state is `doubtful` and every later end goes to the judge: a wrong guess here would be an
// oversell or a lost unit.

#include "protocol/response_tracker.hpp"
#include "proxy/ledger/judge.hpp"
#include "rewrite/statement.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace proxy {

struct TransactionEnds {
    std::vector<Reservation> settled;
    std::vector<Reservation> given_back;
    std::vector<Reservation> unknown;
    [[nodiscard]] bool empty() const noexcept {
        return settled.empty() && given_back.empty() && unknown.empty();
    }
};

class TransactionTracker {
public:
    // What of a finished command matters here.
    struct Command {
        rewrite::Kind kind = rewrite::Kind::other;
        bool chain = false;
        bool resets_session = false;  // COM_CHANGE_USER, COM_RESET_CONNECTION
        // May commit before it runs (DDL, LOCK TABLES, ANALYZE TABLE, ...): then neither its error
        // nor an OK that says "in a transaction" proves that the old transaction is still open.
        bool may_commit = false;
        std::string name;  // savepoint
    };

    void set_status(std::uint16_t status) noexcept;
    [[nodiscard]] std::uint16_t status() const noexcept { return status_; }
    // A statement now would be part of a transaction that somebody else ends.
    [[nodiscard]] bool in_transaction() const noexcept;
    [[nodiscard]] bool autocommit() const noexcept;
    // An error came after the last status: ask the backend before relying on in_transaction().
    [[nodiscard]] bool status_is_stale() const noexcept { return stale_; }
    [[nodiscard]] bool holds_reservations() const noexcept { return !held_.empty(); }
    [[nodiscard]] bool in_xa() const noexcept { return xa_; }

    void add(Reservation reservation) { held_.push_back(std::move(reservation)); }
    [[nodiscard]] TransactionEnds on_reply(const Command& command, const protocol::ReplyEnd& end);
    // The connection is gone, on either side.
    [[nodiscard]] TransactionEnds on_lost();

private:
    struct Savepoint {
        std::string name;  // lower case
        std::size_t mark;  // reservations held when it was set
    };
    static constexpr std::size_t savepoints_max = 1024;

    void on_error(const Command& command, const protocol::ReplyEnd& end, TransactionEnds& ends);
    void on_savepoint(const Command& command, TransactionEnds& ends);
    void finish(std::vector<Reservation>& into);

    std::vector<Reservation> held_;
    std::vector<Savepoint> savepoints_;
    std::uint16_t status_ = 0;
    bool stale_ = false;
    bool doubtful_ = false;
    bool xa_ = false;
};

}  // namespace proxy
