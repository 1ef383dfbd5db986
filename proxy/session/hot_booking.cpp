// Writes the ledger rows on the client's connection, undoes them, commits them.
#include "proxy/session/hot_update.hpp"

namespace proxy {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::uint16_t er_lock_deadlock = 1213;
constexpr unsigned er_dup_entry = 1062;
// Our transactions must not follow the session's completion_type.
constexpr const char* commit_sql = "COMMIT AND NO CHAIN NO RELEASE";
// A COMMIT sets ROW_COUNT() to 0; the client must find the one row of its UPDATE. This statement
// counts as one row and touches nothing but a user variable of our own.
constexpr const char* one_row_sql = "SELECT 1 INTO @stockgate_rows";
constexpr const char* rollback_sql = "ROLLBACK AND NO CHAIN NO RELEASE";

}  // namespace

void HotUpdate::take_status(const std::vector<OwnReply>& answers) {
    for (const auto& answer : answers) {
        if (!answer.ok() && !autocommit_) {
            conclude(core_, transaction_.on_reply(TransactionTracker::Command{}, answer.end));
        }
        if (answer.ok() && answer.end.has_status) transaction_.set_status(answer.end.status);
    }
}

Task<HotUpdate::Booked> HotUpdate::book(
    const Reservation& reservation, std::vector<std::string> statements, std::uint64_t rows_moved
) {
    const bool begins = autocommit_ && !begun_;
    // Not BEGIN, which opens a block where sql_mode has ORACLE.
    if (begins) statements.insert(statements.begin(), "START TRANSACTION");
    std::vector<OwnReply> answers;
    const auto begin = Clock::now();
    const bool complete = co_await backend_.exchange(statements, answers);
    core_.metrics->ledger_exchange.record(Clock::now() - begin);
    // Without a transaction the rows may stand by themselves, whatever became of the others.
    if (!complete || (begins && !answers.front().ok())) {
        backend_lost_ = true;
        TransactionEnds ends;
        hold(core_, reservation);
        ends.unknown.push_back(reservation);
        conclude(core_, std::move(ends));
        co_return Booked::failed;
    }
    begun_ = begun_ || begins;
    take_status(answers);
    const OwnReply* failed = nullptr;
    for (const auto& answer : answers) {
        if (!answer.ok() && failed == nullptr) failed = &answer;
    }
    const auto& before_last = answers[answers.size() - 2];
    const std::uint64_t moved =
        rows_moved > 0 && before_last.ok() ? before_last.end.affected_rows : 0;
    if (failed == nullptr && moved == rows_moved && answers.back().end.affected_rows == 1) {
        co_return Booked::yes;
    }
    if (failed != nullptr) failure_ = failed->error(backend_.capabilities());
    // A deadlock took the whole transaction; without the INSERT the UPDATE found no detail row.
    const bool gone = failed != nullptr && failure_.code == er_lock_deadlock && !autocommit_;
    const bool inserted = answers[begins ? 1 : 0].ok();
    // Units moved between buckets come back only with the whole transaction.
    bool undone = moved == 0 || autocommit_ || gone;
    if (undone && !gone && (inserted || autocommit_)) undone = co_await undo(reservation.id);
    if (!undone) {
        // What cannot be undone in the open transaction must not stay in it: end the connection, so
        // that the server rolls back, and let the judge see to it.
        backend_lost_ = true;
        backend_.wire().close();
        TransactionEnds ends;
        hold(core_, reservation);
        ends.unknown.push_back(reservation);
        conclude(core_, std::move(ends));
        co_return Booked::failed;
    }
    co_return failed != nullptr ? Booked::failed : Booked::refused;
}

// Ends the transaction that we began for an autocommit statement.
Task<bool> HotUpdate::roll_back() {
    std::vector<std::string> statements;
    statements.emplace_back(rollback_sql);
    std::vector<OwnReply> answers;
    begun_ = false;
    const bool answered = co_await backend_.exchange(statements, answers);
    if (!answered) co_return false;
    take_status(answers);
    co_return answers.front().ok();
}

Task<bool> HotUpdate::undo(const RequestId& id) {
    if (autocommit_) {
        const bool ended = co_await roll_back();
        co_return ended;
    }
    std::vector<std::string> statements;
    statements.push_back(ledger_sql::delete_detail(target_, id));
    std::vector<OwnReply> answers;
    const bool answered = co_await backend_.exchange(statements, answers);
    if (!answered) co_return false;
    take_status(answers);
    co_return answers.front().ok();
}

Task<HotReply> HotUpdate::booked(Reservation reservation) {
    auto& counter =
        reservation.is_return ? core_.metrics->returns_booked : core_.metrics->deductions_booked;
    if (autocommit_) {
        HotReply reply = co_await commit(std::move(reservation));
        if (reply.what == HotReply::What::ok) counter.add();
        co_return reply;
    }
    counter.add();
    hold(core_, reservation);
    transaction_.add(std::move(reservation));
    co_return rows_reply(1);
}

Task<HotReply> HotUpdate::commit(Reservation reservation) {
    std::vector<std::string> statements;
    statements.emplace_back(commit_sql);
    statements.emplace_back(one_row_sql);
    std::vector<OwnReply> answers;
    begun_ = false;
    co_await backend_.exchange(statements, answers);
    // Only the COMMIT counts; that the connection broke behind it changes nothing.
    if (answers.empty()) {
        hold(core_, reservation);
        TransactionEnds ends;
        ends.unknown.push_back(std::move(reservation));
        conclude(core_, std::move(ends));
        co_return HotReply{};
    }
    take_status(answers);
    if (!answers.front().ok()) {
        failure_ = answers.front().error(backend_.capabilities());
        auto reply = co_await decide_commit(std::move(reservation));
        co_return reply;
    }
    settle(*core_.gate, reservation);
    co_return rows_reply(1);
}

// COMMIT was answered with an error: only the ledger knows. A cancelled row with the same id makes
// sure that the deduction can never appear later, or proves that it is there.
Task<HotReply> HotUpdate::decide_commit(Reservation reservation) {
    const SqlReply verdict = co_await core_.sql->query(ledger_sql::insert_detail(
        target_,
        reservation.id,
        reservation.units,
        reservation.bucket,
        ledger_sql::DetailStatus::cancelled
    ));
    if (!verdict.error) {
        give_back(*core_.gate, reservation);
        co_return error_reply(failure_);
    }
    if (verdict.error.code == er_dup_entry) {
        settle(*core_.gate, reservation);
        co_return rows_reply(1);
    }
    hold(core_, reservation);
    TransactionEnds ends;
    ends.unknown.push_back(std::move(reservation));
    conclude(core_, std::move(ends));
    backend_.wire().close();
    co_return HotReply{};
}

void HotUpdate::give_back_now(const Reservation& reservation, bool gate_was_wrong) {
    give_back(*core_.gate, reservation);
    if (!gate_was_wrong) return;
    for (const auto& held : reservation.held) core_.mark_dirty(held.gate_key);
}

}  // namespace proxy
