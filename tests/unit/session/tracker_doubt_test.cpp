// Ends that neither the flags nor the text prove: the judge must decide them, at COMMIT and at
// ROLLBACK alike, because a wrong "given back" lets the gate grant units that are sold, and a wrong
// "settled" loses units for ever.
#include "protocol/capabilities.hpp"
#include "tracker_script.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace proxy::testing {
namespace {

constexpr ScriptRow rows[] = {
    {"lock wait timeout may have rolled back: commit",
     "BEGIN | +1 | UPDATE !1205 | COMMIT",
     "COMMIT: unknown 1"},
    {"lock wait timeout may have rolled back: rollback",
     "BEGIN | +1 | UPDATE !1205 | ROLLBACK",
     "ROLLBACK: unknown 1"},
    {"killed query", "BEGIN | +1 | UPDATE !1317 | COMMIT", "COMMIT: unknown 1"},
    {"an error nobody listed", "BEGIN | +1 | UPDATE !65000 | ROLLBACK", "ROLLBACK: unknown 1"},
    {"doubt covers what is booked later too",
     "BEGIN | +1 | UPDATE !1205 | +2 | COMMIT",
     "COMMIT: unknown 1 2"},
    {"doubt ends with its transaction",
     "BEGIN | +1 | UPDATE !1205 | COMMIT | BEGIN | +2 | COMMIT",
     "COMMIT: unknown 1; COMMIT: settled 2"},
    {"doubt and begin", "BEGIN | +1 | UPDATE !1205 | BEGIN", "BEGIN: unknown 1"},
    {"doubt and rollback to savepoint: nobody knows which rows are left",
     "BEGIN | SAVEPOINT a | +1 | UPDATE !1205 | TO a | +2 | COMMIT",
     "COMMIT: unknown 1 2"},
    {"doubt and reset", "BEGIN | +1 | UPDATE !1205 | COM_RESET", "COM_RESET: unknown 1"},
    {"doubt without anything booked does not outlive the transaction",
     "BEGIN | UPDATE !1205 | SELECT =idle | BEGIN | +1 | COMMIT",
     "COMMIT: settled 1"},

    {"commit answered with an error", "BEGIN | +1 | COMMIT !1180", "COMMIT !1180: unknown 1"},
    {"commit answered with a listed error", "BEGIN | +1 | COMMIT !1062", "COMMIT !1062: unknown 1"},
    {"commit answered with a deadlock, as certification failures are",
     "BEGIN | +1 | COMMIT !1213",
     "COMMIT !1213: unknown 1"},
    {"rollback answered with an error", "BEGIN | +1 | ROLLBACK !1180", "ROLLBACK !1180: unknown 1"},
    {"reset answered with an error", "BEGIN | +1 | COM_RESET !1047", "COM_RESET !1047: unknown 1"},
    {"begin answered with an error", "BEGIN | +1 | BEGIN !1290 | ROLLBACK", "ROLLBACK: unknown 1"},

    {"a procedure may have committed: rollback",
     "BEGIN | +1 | CALL | ROLLBACK",
     "ROLLBACK: unknown 1"},
    {"a procedure may have rolled back: commit", "BEGIN | +1 | CALL | COMMIT", "COMMIT: unknown 1"},
    {"a procedure that ended the transaction", "BEGIN | +1 | CALL =idle", "CALL =idle: unknown 1"},
    {"a procedure with a listed error",
     "BEGIN | +1 | CALL !1062 | ROLLBACK",
     "ROLLBACK: unknown 1"},
    {"a procedure that was a deadlock victim, before or behind its own commit",
     "BEGIN | +1 | CALL !1213",
     "CALL !1213: unknown 1"},

    {"an implicit commit lowers the flag", "BEGIN | +1 | DDL", "DDL: unknown 1"},
    {"autocommit off: an implicit commit",
     "OFF | +1 | DDL | +2 | COMMIT",
     "DDL: unknown 1; COMMIT: settled 2"},
    {"autocommit off: an implicit commit ends savepoints",
     "OFF | SAVEPOINT a | +1 | DDL | +2 | TO a !1305 | COMMIT",
     "DDL: unknown 1; COMMIT: settled 2"},
    {"autocommit switched on commits", "OFF | +1 | ON", "ON: unknown 1"},
    {"a failed statement with an implicit commit before it",
     "BEGIN | +1 | DDL !1050 | ROLLBACK",
     "ROLLBACK: unknown 1"},
    {"the flag fell unseen, behind an error",
     "BEGIN | +1 | UPDATE !1205 | SELECT =idle",
     "SELECT =idle: unknown 1"},

    {"a savepoint that only the server knows",
     "BEGIN | +1 | TO hidden | COMMIT",
     "COMMIT: unknown 1"},
    {"releasing a savepoint that only the server knows",
     "BEGIN | +1 | RELEASE hidden | ROLLBACK",
     "ROLLBACK: unknown 1"},
    {"a released savepoint that the server still knows",
     "BEGIN | SAVEPOINT a | +1 | RELEASE a | TO a | COMMIT",
     "COMMIT: unknown 1"},
    {"a savepoint released with an earlier one that the server still knows",
     "BEGIN | SAVEPOINT a | SAVEPOINT b | +1 | RELEASE a | TO b | COMMIT",
     "COMMIT: unknown 1"},
    {"a savepoint's name outside ASCII: only the server folds it",
     "BEGIN | SAVEPOINT \xC3\xA4 | +1 | TO \xC3\x84 | COMMIT",
     "COMMIT: unknown 1"},

    {"XA", "XA =open | +1 | XA =idle", "XA =idle: unknown 1"},
    {"a deadlock inside XA proves nothing: the branch is only marked",
     "XA =open | +1 | UPDATE !1213 | XA =idle",
     "XA =idle: unknown 1"},
    {"XA RECOVER inside an ordinary transaction", "BEGIN | +1 | XA | COMMIT", "COMMIT: unknown 1"},

    {"connection lost", "BEGIN | +1 | SAVEPOINT a | +2 | LOST", "LOST: unknown 1 2"},
    {"connection lost in doubt", "BEGIN | +1 | CALL | LOST", "LOST: unknown 1"},
    {"connection lost with nothing booked", "BEGIN | SELECT | LOST", ""},
};

TEST(TransactionDoubt, GoesToTheJudge) {
    for (const auto& row : rows) EXPECT_EQ(play(row.script), row.ends) << row.name;
}

std::string with_savepoints(int count, const std::string& rest) {
    std::string script = "BEGIN";
    for (int i = 0; i < count; ++i) script += " | SAVEPOINT s" + std::to_string(i) + " | +1";
    return script + rest;
}

TEST(TransactionDoubt, TheSavepointsKeptAreBounded) {
    // 1024 are kept and exact.
    EXPECT_EQ(play(with_savepoints(1024, " | TO s1023")), "TO s1023: given_back 1");
    // One more pushes the first one out; from then on the judge decides.
    EXPECT_EQ(play(with_savepoints(1025, " | TO s1024 | +1 | TO s0")), "");
    const std::string ended = play(with_savepoints(1025, " | TO s1024 | COMMIT"));
    EXPECT_EQ(ended.substr(0, 16), "COMMIT: unknown ");
    EXPECT_EQ(std::count(ended.begin(), ended.end(), '1'), 1025);
    // A name set again and again is one savepoint.
    std::string script = "BEGIN | +1";
    for (int i = 0; i < 3000; ++i) script += " | SAVEPOINT again";
    EXPECT_EQ(
        play(script + " | +2 | TO again | COMMIT"), "TO again: given_back 2; COMMIT: settled 1"
    );
}

TEST(TransactionDoubt, InXaIsSeenUntilTheFlagFalls) {
    TransactionTracker tracker;
    TransactionTracker::Command xa;
    xa.kind = rewrite::Kind::xa;
    protocol::ReplyEnd end;
    end.has_status = true;
    end.status = protocol::status::autocommit | protocol::status::in_trans;
    EXPECT_TRUE(tracker.on_reply(xa, end).empty());
    EXPECT_TRUE(tracker.in_xa());
    EXPECT_TRUE(tracker.on_reply({}, end).empty());
    EXPECT_TRUE(tracker.in_xa());
    end.status = protocol::status::autocommit;
    EXPECT_TRUE(tracker.on_reply(xa, end).empty());
    EXPECT_FALSE(tracker.in_xa());
}

// A listed error says that this statement changed nothing, not what was before it: in doubt the
// judge still decides.
TEST(TransactionDoubt, IsNotLiftedByAHarmlessError) {
    EXPECT_EQ(play("BEGIN | +1 | CALL | UPDATE !1062 | ROLLBACK"), "ROLLBACK: unknown 1");
}

}  // namespace
}  // namespace proxy::testing
