// DELETE, INSERT and REPLACE.

#include "rewrite/readers.hpp"

#include <array>
#include <utility>

namespace rewrite {

namespace {

using namespace std::string_view_literals;

constexpr std::string_view drain_advice = "drain the SKU first";

bool at_end_of_tables(const Cursor& cursor) noexcept {
    return cursor.at_end() ||
           is_any_word(cursor, std::array{"where"sv, "order"sv, "limit"sv, "returning"sv});
}

Action delete_one(
    Cursor cursor, const Context& context, const Name& name, const std::string& alias
) {
    TableScope scope;
    const std::optional<std::size_t> managed = context.managed(name);
    if (!managed) return reads_or_pass(find_read(cursor, context));
    scope.index = *managed;
    scope.table = &context.rules.tables()[scope.index];
    scope.alias = alias.empty() ? name.last() : alias;
    scope.has_alias = !alias.empty();
    Seen seen;
    const Where where = read_where(cursor, scope, seen);
    Touches out = touches(context, scope.index, "DELETE removes rows of it", drain_advice);
    out.keys = keys_of(where, scope);
    return out;
}

// DELETE a, b FROM tables and DELETE FROM a, b USING tables.
Action delete_several(Cursor cursor, const Context& context, const std::vector<Name>& targets) {
    const TableReferences references = read_table_references(cursor, context, "where");
    const auto is_target = [&](std::string_view name) {
        for (const Name& target : targets) {
            if (equal_ignoring_case(target.last(), name)) return true;
        }
        return false;
    };
    for (const TableReference& table : references.tables) {
        if (!table.managed) continue;
        if (is_target(table.alias) || is_target(table.name.last())) {
            return touches(context, *table.managed, "DELETE removes rows of it", drain_advice);
        }
    }
    for (const Name& target : targets) {
        if (references.tables.empty() && context.managed(target)) {
            return touches(
                context, *context.managed(target), "the DELETE is not understood", drain_advice
            );
        }
    }
    if (references.managed()) return reads_or_pass(references.managed());
    if (references.inner) return reads_or_pass(references.inner);
    return reads_or_pass(find_read(cursor, context));
}

// Names with an optional `.*`, by commas.
bool read_targets(Cursor& cursor, std::vector<Name>& targets) {
    do {
        Name name;
        if (!read_name(cursor, name)) return false;
        if (cursor.accept_symbol(".") && !cursor.accept_symbol("*")) return false;
        targets.push_back(std::move(name));
    } while (cursor.accept_symbol(","));
    return true;
}

}  // namespace

Action read_delete(Cursor cursor, const Context& context) {
    const Cursor whole = cursor;
    while (is_any_word(cursor, std::array{"low_priority"sv, "quick"sv, "ignore"sv})) {
        cursor.advance();
    }
    std::vector<Name> targets;
    if (!cursor.accept_word("from")) {
        // MariaDB's DELETE HISTORY FROM t ends here too: HISTORY is no alias of anything.
        if (cursor.is_word("history")) return not_understood(whole, context);
        if (!read_targets(cursor, targets) || !cursor.is_word("from")) {
            return not_understood(whole, context);
        }
        cursor.advance();
        return delete_several(cursor, context, targets);
    }
    if (!read_targets(cursor, targets)) return not_understood(whole, context);
    if (cursor.accept_word("using")) return delete_several(cursor, context, targets);
    if (targets.size() != 1) return not_understood(whole, context);
    std::string alias;
    const bool has_as = cursor.accept_word("as");
    const bool is_alias =
        cursor.is_name() && (has_as || (!at_end_of_tables(cursor) && !cursor.is_word("partition")));
    if (is_alias) {
        alias = name_of(cursor.token());
        cursor.advance();
    }
    return delete_one(cursor, context, targets.front(), alias);
}

// A plain INSERT makes new rows only: the key is unique, so none of them is hot. REPLACE and ON
// DUPLICATE KEY UPDATE change rows that exist.
Action read_insert(Cursor cursor, const Context& context, bool is_replace) {
    const Cursor whole = cursor;
    while (is_any_word(
        cursor, std::array{"low_priority"sv, "delayed"sv, "high_priority"sv, "ignore"sv}
    )) {
        cursor.advance();
    }
    cursor.accept_word("into");
    Name name;
    if (!read_name(cursor, name)) return not_understood(whole, context);
    const std::optional<std::size_t> managed = context.managed(name);
    if (managed && is_replace) {
        return touches(context, *managed, "REPLACE removes a row that exists", "use UPDATE");
    }
    const std::optional<std::size_t> read = find_read(cursor, context);
    for (; managed && !cursor.at_end(); cursor.advance()) {
        if (cursor.is_word("on") && cursor.following().is_word("duplicate")) {
            return touches(
                context,
                *managed,
                "INSERT ... ON DUPLICATE KEY UPDATE changes a row that exists",
                "use UPDATE for it"
            );
        }
    }
    return reads_or_pass(read);
}

}  // namespace rewrite
