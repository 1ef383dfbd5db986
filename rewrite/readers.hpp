#pragma once
// One reader for each family of statements. Each gets the cursor behind the verb (behind what the
// name says) and answers what the statement does to managed tables. Internal to rewrite.

#include "rewrite/cursor.hpp"
#include "rewrite/statement.hpp"
#include "rewrite/table_references.hpp"
#include "rewrite/table_scope.hpp"
#include "rewrite/value.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rewrite {

// The reason names the table; `advice` says what to do instead.
[[nodiscard]] Touches touches(
    const Context& context, std::size_t table, std::string_view reason, std::string_view advice
);
[[nodiscard]] Action reads_or_pass(std::optional<std::size_t> table);

// UPDATE.
[[nodiscard]] Action read_update(Cursor cursor, const Context& context);
// The part of it behind the name of its only table: SET ... WHERE ... LIMIT ...
struct SingleUpdate {
    TableScope scope;
    bool ignores_errors = false;  // UPDATE IGNORE
};
[[nodiscard]] Action read_single_update(
    Cursor cursor, const Context& context, const SingleUpdate& update
);

// DELETE; INSERT; REPLACE.
[[nodiscard]] Action read_delete(Cursor cursor, const Context& context);
[[nodiscard]] Action read_insert(Cursor cursor, const Context& context, bool is_replace);

// TRUNCATE, LOAD, DROP, RENAME, ALTER, CREATE; `verb` in lower case.
[[nodiscard]] Action read_definition(std::string_view verb, Cursor cursor, const Context& context);
// At CREATE or ALTER: does it define a procedure, function, trigger, event, package or view?
[[nodiscard]] bool is_program(Cursor cursor) noexcept;
// At such a statement: moves behind it, `;` inside its body included. False: cannot tell.
[[nodiscard]] bool skip_program(Cursor& cursor) noexcept;

// The statement at the cursor, without its kind. Knows all verbs.
[[nodiscard]] Action read_action(Cursor cursor, const Context& context);
// For statements that run another one inside: it can no longer be booked as a deduction.
[[nodiscard]] Action demoted(Action action, const Context& context, std::string_view reason);
// Touches, without keys, if a managed table is named anywhere.
[[nodiscard]] Action not_understood(Cursor cursor, const Context& context);

// The text of PREPARE and EXECUTE IMMEDIATE, at the cursor.
struct PreparedText {
    bool is_visible = false;  // a literal
    bool mentions_sql_mode = false;
    bool mentions_charset = false;
    Action action;
};
[[nodiscard]] PreparedText read_prepared_text(Cursor cursor, const Context& context);
// At the first token of BEGIN NOT ATOMIC and other compound statements.
[[nodiscard]] Action read_compound(Cursor cursor, const Context& context);

// BEGIN, COMMIT, SAVEPOINT, USE, XA ..., at the verb. False: none of these.
[[nodiscard]] bool read_control(Cursor cursor, Statement& statement);

// WHERE clauses.
struct Where {
    bool understood = true;
    std::vector<Test> tests;
};
// Reads up to ORDER, LIMIT, RETURNING or the end, understood or not.
[[nodiscard]] Where read_where(Cursor& cursor, const TableScope& scope, Seen& seen);
// The rows that the tests leave; nothing if they do not tell.
[[nodiscard]] std::optional<std::vector<std::vector<KeyValue>>> keys_of(
    const Where& where, const TableScope& scope
);

// The statement `text` and all that it holds, one level deeper (PREPARE ... FROM 'text').
[[nodiscard]] Statement analyse_text(std::string_view text, const Context& context);

}  // namespace rewrite
