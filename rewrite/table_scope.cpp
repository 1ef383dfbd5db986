#include "rewrite/table_scope.hpp"

namespace rewrite {

bool read_name(Cursor& cursor, Name& name) {
    name.parts.clear();
    cursor.accept_symbol(".");
    while (cursor.is_name() && name.parts.size() < 3) {
        name.parts.push_back(name_of(cursor.token()));
        cursor.advance();
        if (!cursor.is_symbol(".")) return true;
        if (cursor.following().is_symbol("*")) return true;
        cursor.advance();
    }
    return false;
}

void Seen::note(const Token& token, const ManagedTable& table) {
    if (token.kind == TokenKind::word && equals_lower(token.text, "select")) subquery = true;
    if (is_named(token, table.stock_column)) stock = true;
    if (table.version_column && is_named(token, *table.version_column)) version = true;
}

Column TableScope::column_by_name(std::string_view column) const noexcept {
    if (equal_ignoring_case(column, table->stock_column)) return {ColumnKind::stock, 0};
    for (std::size_t i = 0; i < table->key_columns.size(); ++i) {
        if (equal_ignoring_case(column, table->key_columns[i])) return {ColumnKind::key, i};
    }
    if (table->version_column && equal_ignoring_case(column, *table->version_column)) {
        return {ColumnKind::version, 0};
    }
    for (std::size_t i = 0; i < table->time_columns.size(); ++i) {
        if (equal_ignoring_case(column, table->time_columns[i])) return {ColumnKind::time, i};
    }
    return {ColumnKind::other, 0};
}

bool TableScope::owns(const Name& name) const noexcept {
    const std::size_t count = name.parts.size();
    if (count == 1) return is_alone;
    if (!equal_ignoring_case(name.parts[count - 2], alias)) return false;
    return count == 2 || (!has_alias && equal_ignoring_case(name.parts[0], table->schema));
}

Column TableScope::resolve(const Name& name) const noexcept {
    return owns(name) ? column_by_name(name.last()) : Column{ColumnKind::other, 0};
}

}  // namespace rewrite
