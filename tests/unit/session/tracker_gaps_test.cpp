// Ends that the tracker calls proved and that are not, each as MariaDB 10.11 and MySQL 9 behave.
// They wait for the tracker to know which statements commit before they run: take  off
// together with that change. ProvableEndsAreProved and AreProved must hold all the same.
#include "tracker_script.hpp"

#include <gtest/gtest.h>

namespace proxy::testing {
namespace {

// ALTER, CREATE, DROP, RENAME, TRUNCATE, LOCK TABLES ... commit before they can fail, and then fail
// with the codes of any other statement: a missing table (1146, 1051), procedure (1305) or schema
// (1049), no privilege (1142), a duplicate in the rows for a new index (1062), or, waiting for a
// metadata lock, a deadlock (1213).
TEST(TransactionGaps, AFailedStatementThatCommittedFirst) {
    for (const int code : {1049, 1051, 1062, 1142, 1146, 1292, 1305, 1366}) {
        const std::string failing = "BEGIN | +1 | DDL !" + std::to_string(code);
        EXPECT_EQ(play(failing + " | ROLLBACK"), "ROLLBACK: unknown 1") << code;
    }
    EXPECT_EQ(play("BEGIN | +1 | DDL !1213"), "DDL !1213: unknown 1");
}

// With autocommit off LOCK TABLES, ANALYZE, CHECK and OPTIMIZE TABLE (MySQL: CACHE INDEX and LOAD
// INDEX too) commit, and their OK says "in a transaction" again: the flag never falls.
TEST(TransactionGaps, ACommitThatTheFlagDoesNotShow) {
    EXPECT_EQ(play("OFF | +1 | DDL =off_open | ROLLBACK"), "ROLLBACK: unknown 1");
}

// A deadlock rolls back what is open now. In doubt that need not be where the booking was made.
TEST(TransactionGaps, ADeadlockInDoubt) {
    // The procedure committed and began anew.
    EXPECT_EQ(play("BEGIN | +1 | CALL =open | UPDATE !1213"), "UPDATE !1213: unknown 1");
    EXPECT_EQ(play("BEGIN | +1 | BEGIN !1290 | UPDATE !1213"), "UPDATE !1213: unknown 1");
    EXPECT_EQ(play("OFF | +1 | DDL !1050 | UPDATE !1213"), "UPDATE !1213: unknown 1");
}

}  // namespace
}  // namespace proxy::testing
