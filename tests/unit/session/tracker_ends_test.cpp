// Ends of transactions that the tracker can prove: COMMIT, ROLLBACK, savepoints, deadlocks.
#include "protocol/capabilities.hpp"
#include "tracker_script.hpp"

#include <gtest/gtest.h>

namespace proxy::testing {
namespace {

namespace status = protocol::status;

constexpr ScriptRow rows[] = {
    {"nothing booked ends nothing", "BEGIN | SELECT | COMMIT | BEGIN | ROLLBACK", ""},
    {"commit settles", "BEGIN | +1 | +2 | COMMIT", "COMMIT: settled 1 2"},
    {"rollback gives back", "BEGIN | +1 | +2 | ROLLBACK", "ROLLBACK: given_back 1 2"},
    {"each end takes its own",
     "BEGIN | +1 | COMMIT | BEGIN | +2 | ROLLBACK | BEGIN | +3 | COMMIT",
     "COMMIT: settled 1; ROLLBACK: given_back 2; COMMIT: settled 3"},
    {"begin commits the open transaction",
     "BEGIN | +1 | BEGIN | +2 | ROLLBACK",
     "BEGIN: settled 1; ROLLBACK: given_back 2"},
    {"commit and chain opens the next, flag never down",
     "BEGIN | +1 | COMMIT AND CHAIN =open | +2 | ROLLBACK",
     "COMMIT AND CHAIN =open: settled 1; ROLLBACK: given_back 2"},
    {"rollback and chain",
     "BEGIN | +1 | ROLLBACK AND CHAIN =open | +2 | COMMIT",
     "ROLLBACK AND CHAIN =open: given_back 1; COMMIT: settled 2"},
    {"chain ends the savepoints too",
     "BEGIN | SAVEPOINT a | +1 | COMMIT AND CHAIN =open | +2 | TO a !1305 | COMMIT",
     "COMMIT AND CHAIN =open: settled 1; COMMIT: settled 2"},
    {"statements between change nothing",
     "BEGIN | +1 | SELECT | UPDATE | USE | EMPTY | COMMIT",
     "COMMIT: settled 1"},

    {"rollback to savepoint",
     "BEGIN | +1 | SAVEPOINT a | +2 | +3 | TO a | COMMIT",
     "TO a: given_back 2 3; COMMIT: settled 1"},
    {"a savepoint survives a rollback to it",
     "BEGIN | SAVEPOINT a | +1 | TO a | +2 | TO a | +3 | COMMIT",
     "TO a: given_back 1; TO a: given_back 2; COMMIT: settled 3"},
    {"nested, to the inner",
     "BEGIN | +1 | SAVEPOINT a | +2 | SAVEPOINT b | +3 | TO b | COMMIT",
     "TO b: given_back 3; COMMIT: settled 1 2"},
    {"nested, to the outer",
     "BEGIN | +1 | SAVEPOINT a | +2 | SAVEPOINT b | +3 | TO a | ROLLBACK",
     "TO a: given_back 2 3; ROLLBACK: given_back 1"},
    {"inner, then outer",
     "BEGIN | SAVEPOINT a | +1 | SAVEPOINT b | +2 | TO b | +3 | TO a | COMMIT",
     "TO b: given_back 2; TO a: given_back 1 3"},
    {"a re-used name moves",
     "BEGIN | SAVEPOINT a | +1 | SAVEPOINT a | +2 | TO a | COMMIT",
     "TO a: given_back 2; COMMIT: settled 1"},
    {"a re-used name moves behind the others",
     "BEGIN | SAVEPOINT a | +1 | SAVEPOINT b | +2 | SAVEPOINT a | +3 | TO b | COMMIT",
     "TO b: given_back 2 3; COMMIT: settled 1"},
    {"a re-used name is gone behind an outer rollback",
     "BEGIN | SAVEPOINT a | +1 | SAVEPOINT b | +2 | SAVEPOINT a | TO b | +3 | TO a !1305 | COMMIT",
     "TO b: given_back 2; COMMIT: settled 1 3"},
    {"names fold case",
     "BEGIN | SAVEPOINT Before_Pay | +1 | TO BEFORE_PAY | +2 | COMMIT",
     "TO BEFORE_PAY: given_back 1; COMMIT: settled 2"},
    {"a re-used name folds case",
     "BEGIN | SAVEPOINT a | +1 | SAVEPOINT A | +2 | TO a | COMMIT",
     "TO a: given_back 2; COMMIT: settled 1"},
    {"names that only begin alike are two",
     "BEGIN | SAVEPOINT a | +1 | SAVEPOINT ab | +2 | TO a | COMMIT",
     "TO a: given_back 1 2"},
    {"release keeps what was booked",
     "BEGIN | SAVEPOINT a | +1 | RELEASE a | +2 | COMMIT",
     "COMMIT: settled 1 2"},
    {"release takes the later savepoints along and leaves the earlier",
     "BEGIN | SAVEPOINT a | +1 | SAVEPOINT b | +2 | SAVEPOINT c | +3 | RELEASE b | TO c !1305 | "
     "TO a | COMMIT",
     "TO a: given_back 1 2 3"},
    {"an unknown savepoint that the server does not know either",
     "BEGIN | +1 | TO nowhere !1305 | COMMIT",
     "COMMIT: settled 1"},
    {"outside a transaction a savepoint is forgotten at once",
     "SAVEPOINT a | BEGIN | +1 | TO a !1305 | ROLLBACK",
     "ROLLBACK: given_back 1"},
    {"savepoints of an ended transaction are forgotten",
     "BEGIN | SAVEPOINT a | +1 | COMMIT | BEGIN | +2 | SAVEPOINT b | TO a !1305 | COMMIT",
     "COMMIT: settled 1; COMMIT: settled 2"},

    {"autocommit off: commit",
     "OFF | +1 | COMMIT | +2 | ROLLBACK",
     "COMMIT: settled 1; ROLLBACK: given_back 2"},
    {"autocommit off: a savepoint before the first statement, not visible in the flags",
     "OFF | SAVEPOINT a | +1 | TO a | +2 | COMMIT",
     "TO a: given_back 1; COMMIT: settled 2"},
    {"autocommit off: the flag may fall with the rollback to it",
     "OFF | SAVEPOINT a | SAVEPOINT b | +1 | TO b =off | +2 | TO a | COMMIT",
     "TO b =off: given_back 1; TO a: given_back 2"},
    {"autocommit switched off inside a transaction does not end it",
     "BEGIN | +1 | OFF | +2 | COMMIT",
     "COMMIT: settled 1 2"},

    {"a deadlock victim is rolled back whole",
     "BEGIN | +1 | SAVEPOINT a | +2 | UPDATE !1213",
     "UPDATE !1213: given_back 1 2"},
    {"behind a deadlock nothing is left to end",
     "BEGIN | +1 | UPDATE !1213 | ROLLBACK | BEGIN | +2 | COMMIT",
     "UPDATE !1213: given_back 1; COMMIT: settled 2"},
    {"autocommit off: behind a deadlock the next transaction is clean",
     "OFF | +1 | UPDATE !1213 | +2 | COMMIT",
     "UPDATE !1213: given_back 1; COMMIT: settled 2"},
    {"a deadlock answered to ROLLBACK",
     "BEGIN | +1 | ROLLBACK !1213",
     "ROLLBACK !1213: given_back 1"},

    {"a reset rolls back", "BEGIN | +1 | COM_RESET", "COM_RESET: given_back 1"},
    {"a reset forgets savepoints",
     "OFF | SAVEPOINT a | +1 | COM_RESET | BEGIN | +2 | TO a !1305 | COMMIT",
     "COM_RESET: given_back 1; COMMIT: settled 2"},
};

TEST(TransactionEnds, AreProved) {
    for (const auto& row : rows) EXPECT_EQ(play(row.script), row.ends) << row.name;
}

// Statements that fail for a reason of their own leave the transaction as it was.
TEST(TransactionEnds, SurviveErrorsOfOneStatement) {
    for (const int code :
         {1048,
          1052,
          1054,
          1062,
          1064,
          1065,
          1136,
          1242,
          1264,
          1265,
          1292,
          1364,
          1366,
          1406,
          1451,
          1452,
          1690}) {
        const std::string failing = "BEGIN | +1 | UPDATE !" + std::to_string(code);
        EXPECT_EQ(play(failing + " | COMMIT"), "COMMIT: settled 1") << code;
        EXPECT_EQ(play(failing + " | ROLLBACK"), "ROLLBACK: given_back 1") << code;
    }
}

TEST(TransactionEnds, StateFollowsTheFlags) {
    TransactionTracker tracker;
    tracker.set_status(status::autocommit);
    EXPECT_FALSE(tracker.in_transaction());
    EXPECT_TRUE(tracker.autocommit());
    tracker.set_status(status::autocommit | status::in_trans);
    EXPECT_TRUE(tracker.in_transaction());
    // With autocommit off the next statement would open one.
    tracker.set_status(0);
    EXPECT_TRUE(tracker.in_transaction());
    EXPECT_FALSE(tracker.autocommit());
}

TEST(TransactionEnds, AnErrorMakesTheFlagsStaleUntilTheNextOk) {
    TransactionTracker tracker;
    tracker.set_status(status::autocommit | status::in_trans);
    EXPECT_FALSE(tracker.status_is_stale());
    protocol::ReplyEnd err;
    err.how = protocol::ReplyEnd::How::err;
    err.code = 1062;
    EXPECT_TRUE(tracker.on_reply({}, err).empty());
    EXPECT_TRUE(tracker.status_is_stale());
    // A reply without flags (statistics, a prepare without metadata) tells nothing.
    protocol::ReplyEnd silent;
    EXPECT_TRUE(tracker.on_reply({}, silent).empty());
    EXPECT_TRUE(tracker.status_is_stale());
    protocol::ReplyEnd ok;
    ok.has_status = true;
    ok.status = status::autocommit;
    EXPECT_TRUE(tracker.on_reply({}, ok).empty());
    EXPECT_FALSE(tracker.status_is_stale());
    EXPECT_FALSE(tracker.in_transaction());
}

TEST(TransactionEnds, ADeadlockEndsTheTransactionButNotAutocommitOff) {
    protocol::ReplyEnd deadlock;
    deadlock.how = protocol::ReplyEnd::How::err;
    deadlock.code = 1213;
    TransactionTracker on;
    on.set_status(status::autocommit | status::in_trans);
    static_cast<void>(on.on_reply({}, deadlock));
    EXPECT_FALSE(on.in_transaction());
    TransactionTracker off;
    off.set_status(status::in_trans);
    static_cast<void>(off.on_reply({}, deadlock));
    EXPECT_TRUE(off.in_transaction());
}

TEST(TransactionEnds, HoldsUntilItEnds) {
    TransactionTracker tracker;
    EXPECT_FALSE(tracker.holds_reservations());
    tracker.add(numbered(1));
    EXPECT_TRUE(tracker.holds_reservations());
    EXPECT_EQ(tracker.on_lost().unknown.size(), 1U);
    EXPECT_FALSE(tracker.holds_reservations());
    EXPECT_TRUE(tracker.on_lost().empty());
}

}  // namespace
}  // namespace proxy::testing
