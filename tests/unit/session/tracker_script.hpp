#pragma once
// Plays a session written as one line of text against a TransactionTracker, so that tests are
// tables. Steps are separated by " | ":
//
//   +7                     a deduction with the id 7 is booked in the open transaction
//   BEGIN, COMMIT, COMMIT AND CHAIN, ROLLBACK, SAVEPOINT a, TO a (ROLLBACK TO SAVEPOINT a),
//   RELEASE a, XA, CALL (opaque), DDL (commits implicitly), USE, COM_RESET, SELECT
//                          a command of the client that the server answers with OK
//   ON, OFF                SET autocommit=1 (commits) and 0
//   STATEMENT !1205        any of them with a code is answered with that ERR instead
//   LOST                   the connection is gone
//
// The status flags of an OK are those that a server in that state sends; "=idle", "=open", "=off",
// "=off_open" behind a step overrules them. The session begins with autocommit on and no
// transaction. The result names each step that ended something: "COMMIT: settled 1 2".

#include "proxy/session/transaction_tracker.hpp"

#include <string>
#include <string_view>

namespace proxy::testing {

struct ScriptRow {
    std::string_view name;
    std::string_view script;
    std::string_view ends;  // of all steps, joined by "; "
};

[[nodiscard]] Reservation numbered(std::uint64_t number);
[[nodiscard]] std::uint64_t number_of(const Reservation& reservation);

[[nodiscard]] std::string play(std::string_view script);

}  // namespace proxy::testing
