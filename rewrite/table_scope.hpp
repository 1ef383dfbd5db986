#pragma once
// Which managed table a statement is about and how its columns may be named there. Pure data.

#include "rewrite/cursor.hpp"
#include "rewrite/rules.hpp"
#include "rewrite/value.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace rewrite {

// A table or column name of up to three parts: [[schema.]table.]name.
struct Name {
    std::vector<std::string> parts;
    [[nodiscard]] const std::string& last() const noexcept { return parts.back(); }
};

// Reads a name with dots, also with a leading dot, which the server ignores. False, and the
// cursor anywhere, if there is none. `.*` is left to the caller.
bool read_name(Cursor& cursor, Name& name);

// What went by, wherever it stood. The owner resets it.
struct Seen {
    bool stock = false;     // a name like the stock column
    bool version = false;   // a name like the version column
    bool subquery = false;  // the word SELECT
    void note(const Token& token, const ManagedTable& table);
};

struct TableScope {
    const ManagedTable* table = nullptr;
    std::size_t index = 0;   // of Rules::tables()
    std::string alias;       // or the table's name if it has no alias
    bool has_alias = false;  // then the table's own name is hidden
    bool is_alone = true;    // otherwise a column without qualifier may belong to another table

    [[nodiscard]] Column column_by_name(std::string_view column) const noexcept;
    [[nodiscard]] bool owns(const Name& name) const noexcept;
    // `other` for columns of other tables too.
    [[nodiscard]] Column resolve(const Name& name) const noexcept;
};

}  // namespace rewrite
