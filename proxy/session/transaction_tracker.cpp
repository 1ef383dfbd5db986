#include "proxy/session/transaction_tracker.hpp"

#include "protocol/capabilities.hpp"

#include <algorithm>

namespace proxy {
namespace {

namespace status = protocol::status;
using rewrite::Kind;

constexpr std::uint16_t er_lock_deadlock = 1213;

// Errors of one statement, raised before or during it, that never touch the transaction around it.
// Any other error may have rolled the transaction back, so the judge decides at its end.
bool is_statement_only(std::uint16_t code) noexcept {
    switch (code) {
        case 1044:
        case 1045:
        case 1046:
        case 1048:
        case 1049:
        case 1051:
        case 1052:
        case 1054:
        case 1062:
        case 1064:
        case 1065:
        case 1109:
        case 1136:
        case 1142:
        case 1143:
        case 1146:
        case 1172:
        case 1235:
        case 1242:
        case 1264:
        case 1265:
        case 1292:
        case 1305:
        case 1364:
        case 1366:
        case 1406:
        case 1451:
        case 1452:
        case 1690:
            return true;
        default:
            return false;
    }
}

std::string lower(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) {
        return static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
    });
    return text;
}

bool is_ascii(const std::string& text) {
    return std::all_of(text.begin(), text.end(), [](unsigned char c) { return c < 0x80; });
}

void move_all(std::vector<Reservation>& from, std::vector<Reservation>& to) {
    for (auto& reservation : from) to.push_back(std::move(reservation));
    from.clear();
}

}  // namespace

void TransactionTracker::set_status(std::uint16_t value) noexcept {
    status_ = value;
    stale_ = false;
}

bool TransactionTracker::in_transaction() const noexcept {
    return (status_ & status::in_trans) != 0 || !autocommit();
}

bool TransactionTracker::autocommit() const noexcept {
    return (status_ & status::autocommit) != 0;
}

void TransactionTracker::finish(std::vector<Reservation>& into) {
    move_all(held_, into);
    savepoints_.clear();
    doubtful_ = false;
}

TransactionEnds TransactionTracker::on_lost() {
    TransactionEnds ends;
    finish(ends.unknown);
    return ends;
}

void TransactionTracker::on_error(
    const Command& command, const protocol::ReplyEnd& end, TransactionEnds& ends
) {
    stale_ = true;
    if (end.code == er_lock_deadlock && !xa_) {
        // InnoDB rolls the whole transaction back. Where it was one statement of several, which one
        // failed and what ran before is not known.
        const bool proved = !doubtful_ && !command.may_commit && command.kind != Kind::opaque &&
                            command.kind != Kind::commit;
        finish(proved ? ends.given_back : ends.unknown);
        if (autocommit()) status_ = static_cast<std::uint16_t>(status_ & ~status::in_trans);
        return;
    }
    if (command.kind == Kind::commit || command.kind == Kind::rollback || command.resets_session) {
        finish(ends.unknown);
        return;
    }
    if (!is_statement_only(end.code) || command.kind == Kind::opaque || command.may_commit) {
        doubtful_ = true;
    }
}

void TransactionTracker::on_savepoint(const Command& command, TransactionEnds& ends) {
    const std::string name = lower(command.name);
    // How the server folds a name outside ASCII is its collation's affair.
    if (!is_ascii(name)) doubtful_ = true;
    const auto found = std::find_if(
        savepoints_.begin(), savepoints_.end(), [&](const Savepoint& s) { return s.name == name; }
    );
    if (command.kind == Kind::savepoint) {
        if (found != savepoints_.end()) savepoints_.erase(found);
        if (savepoints_.size() == savepoints_max) {
            savepoints_.erase(savepoints_.begin());
            doubtful_ = true;
        }
        savepoints_.push_back({name, held_.size()});
        return;
    }
    if (found == savepoints_.end()) {
        // The server knows a savepoint that we do not: set where we could not see it.
        doubtful_ = true;
        return;
    }
    if (command.kind == Kind::release_savepoint) {
        savepoints_.erase(found, savepoints_.end());
        return;
    }
    const std::size_t mark = found->mark;
    savepoints_.erase(found + 1, savepoints_.end());
    if (doubtful_) return;  // their rows are gone or not: the judge sees at the end
    for (std::size_t i = mark; i < held_.size(); ++i)
        ends.given_back.push_back(std::move(held_[i]));
    held_.resize(std::min(mark, held_.size()));
}

TransactionEnds TransactionTracker::on_reply(
    const Command& command, const protocol::ReplyEnd& end
) {
    TransactionEnds ends;
    if (end.how == protocol::ReplyEnd::How::err) {
        on_error(command, end, ends);
        return ends;
    }
    if (end.has_status) set_status(end.status);
    switch (command.kind) {
        case Kind::begin:
        case Kind::commit:
            finish(doubtful_ ? ends.unknown : ends.settled);
            break;
        case Kind::rollback:
            finish(doubtful_ ? ends.unknown : ends.given_back);
            break;
        case Kind::savepoint:
        case Kind::rollback_to:
        case Kind::release_savepoint:
            on_savepoint(command, ends);
            break;
        case Kind::xa:
            xa_ = true;
            doubtful_ = true;
            break;
        case Kind::opaque:
            doubtful_ = true;
            break;
        case Kind::other:
        case Kind::empty:
        case Kind::use_schema:
            break;
    }
    if (command.may_commit && !held_.empty()) doubtful_ = true;
    if (command.resets_session) {
        finish(doubtful_ ? ends.unknown : ends.given_back);
        xa_ = false;
    }
    if (end.has_status && (end.status & status::in_trans) == 0) {
        // Ended in a way that neither COMMIT nor ROLLBACK explains: an implicit commit, SET
        // autocommit, a procedure. With nothing held this is the ordinary state between statements.
        xa_ = false;
        if (!held_.empty()) finish(ends.unknown);
        if (autocommit()) {
            savepoints_.clear();
            doubtful_ = false;
        }
    }
    return ends;
}

}  // namespace proxy
