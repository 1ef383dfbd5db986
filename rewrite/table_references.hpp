#pragma once
// Finds the tables that a statement names where tables stand: behind FROM, JOIN, a comma of a
// FROM list. A column or an alias that is spelt like a managed table is none. Pure; linear time.

#include "rewrite/cursor.hpp"
#include "rewrite/rules.hpp"
#include "rewrite/table_scope.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rewrite {

struct Context {
    const Rules& rules;
    const Dialect& dialect;
    std::string_view default_schema;
    int nesting = 0;  // of texts in PREPARE ... FROM 'text'

    // The managed table that this table name means in this session.
    [[nodiscard]] std::optional<std::size_t> managed(const Name& name) const;
};

struct TableReference {
    Name name;
    std::string alias;  // or the table's own name
    bool has_alias = false;
    std::optional<std::size_t> managed;
};

struct TableReferences {
    std::vector<TableReference> tables;  // of the outermost list, joins in parentheses included
    std::optional<std::size_t> inner;    // a managed table named in a subquery
    [[nodiscard]] std::optional<std::size_t> managed() const;
};

// Reads a list of table references, from its first token up to one of `stop_word` (lower case,
// outside of parentheses) or the end of the statement.
TableReferences read_table_references(
    Cursor& cursor, const Context& context, std::string_view stop_word
);

// A managed table that is read anywhere from here to the end of the statement.
[[nodiscard]] std::optional<std::size_t> find_read(Cursor cursor, const Context& context);

// A managed table that is named anywhere, in whatever role; for statements that we do not know.
[[nodiscard]] std::optional<std::size_t> find_named(Cursor cursor, const Context& context);

}  // namespace rewrite
