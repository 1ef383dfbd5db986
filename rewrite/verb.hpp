#pragma once
// The first word of a statement, and the families that it leads to. Internal to rewrite.

#include "rewrite/cursor.hpp"
#include "rewrite/readers.hpp"

#include <cstdint>

namespace rewrite {

enum class Verb : std::uint8_t {
    unknown,
    select,  // SELECT, TABLE, VALUES, a parenthesis
    with,    // WITH ... SELECT, UPDATE, DELETE
    update,
    remove,  // DELETE
    insert,
    replace,
    definition,  // CREATE, ALTER, DROP, RENAME, TRUNCATE, LOAD
    harmless,    // changes no rows: SHOW, GRANT, LOCK TABLES, CHECK TABLE, SAVEPOINT ...
    explain,     // EXPLAIN, DESCRIBE, DESC
    analyze,     // ANALYZE TABLE, or MariaDB's ANALYZE statement
    set,
    prepare,  // PREPARE name FROM text
    execute,  // EXECUTE name, EXECUTE IMMEDIATE text
    call,     // CALL, DO
    handler,
    compound,  // BEGIN NOT ATOMIC, IF, WHILE, a label ...
};

[[nodiscard]] Verb verb_at(const Cursor& cursor) noexcept;
[[nodiscard]] bool is_compound(const Cursor& cursor) noexcept;
// SET STATEMENT ... FOR another statement.
[[nodiscard]] bool runs_another(const Cursor& cursor) noexcept;
// At PREPARE.
[[nodiscard]] PreparedText read_prepare(Cursor cursor, const Context& context);

}  // namespace rewrite
