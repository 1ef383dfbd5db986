// UPDATE: which tables, and what it means where they are several.

#include "rewrite/expression.hpp"
#include "rewrite/readers.hpp"

#include <array>
#include <utility>

namespace rewrite {

namespace {

using namespace std::string_view_literals;

constexpr std::string_view several_advice = "update one row of this table alone";

TableScope scope_of(const Context& context, const TableReference& reference) {
    TableScope scope;
    scope.index = *reference.managed;
    scope.table = &context.rules.tables()[scope.index];
    scope.alias = reference.alias;
    scope.has_alias = reference.has_alias;
    return scope;
}

// Of the tables in an UPDATE of several: what is set there.
struct SeveralSet {
    bool understood = true;
    bool touches = false;  // stock, key or version column, or a column whose table is in doubt
    Seen seen;
};

bool sets_what_matters(
    const std::vector<TableScope>& scopes, const TableReferences& references, const Name& column
) {
    const auto matters = [](ColumnKind kind) {
        return kind == ColumnKind::stock || kind == ColumnKind::key || kind == ColumnKind::version;
    };
    if (column.parts.size() == 1) {
        for (const TableScope& scope : scopes) {
            if (matters(scope.column_by_name(column.last()).kind)) return true;
        }
        return false;
    }
    for (const TableScope& scope : scopes) {
        if (scope.owns(column)) return matters(scope.column_by_name(column.last()).kind);
    }
    const std::string& qualifier = column.parts[column.parts.size() - 2];
    for (const TableReference& table : references.tables) {
        if (equal_ignoring_case(table.alias, qualifier)) return false;
    }
    return true;  // an unknown table: in doubt
}

// Up to the next comma or the end of the SET list.
void skip_assigned(Cursor& cursor, const TableScope& scope, Seen& seen) {
    while (!cursor.at_end() && !cursor.is_symbol(",") &&
           !is_any_word(cursor, std::array{"where"sv, "order"sv, "limit"sv, "returning"sv})) {
        if (cursor.is_symbol("(")) {
            Expression expression(cursor, scope, seen);
            if (!expression.skip_parentheses_noting()) return;
        } else {
            seen.note(cursor.token(), *scope.table);
            cursor.advance();
        }
    }
}

SeveralSet read_several_set(
    Cursor& cursor, const std::vector<TableScope>& scopes, const TableReferences& references
) {
    SeveralSet set;
    do {
        Name column;
        const bool is_assignment =
            read_name(cursor, column) && (cursor.accept_symbol("=") || cursor.accept_symbol(":="));
        if (!is_assignment) {
            set.understood = false;
            return set;
        }
        set.touches = set.touches || sets_what_matters(scopes, references, column);
        skip_assigned(cursor, scopes.front(), set.seen);
    } while (cursor.accept_symbol(","));
    return set;
}

Action read_several(Cursor cursor, const Context& context) {
    const Cursor start = cursor;
    const TableReferences references = read_table_references(cursor, context, "set");
    std::vector<TableScope> scopes;
    for (const TableReference& table : references.tables) {
        if (!table.managed) continue;
        scopes.push_back(scope_of(context, table));
        scopes.back().is_alone = references.tables.size() == 1;
    }
    if (scopes.empty() && cursor.is_word("set")) return reads_or_pass(find_read(start, context));
    const std::size_t table =
        scopes.empty() ? find_named(start, context).value_or(0) : scopes.front().index;
    if (scopes.empty() || !cursor.accept_word("set")) {
        if (scopes.empty() && !find_named(start, context)) return Pass{};
        return touches(context, table, "the UPDATE is not understood", several_advice);
    }
    // The ON conditions may read the stock as well.
    Seen seen;
    for (Cursor other = start; !other.is_word("set"); other.advance()) {
        seen.note(other.token(), *scopes.front().table);
    }
    const SeveralSet set = read_several_set(cursor, scopes, references);
    Seen where_seen;
    const Where where = read_where(cursor, scopes.front(), where_seen);
    if (!set.understood || set.touches) {
        Touches out = touches(
            context,
            table,
            "the UPDATE has several tables, or its only one in a form not known",
            several_advice
        );
        if (set.understood && scopes.size() == 1) out.keys = keys_of(where, scopes.front());
        return out;
    }
    for (std::size_t i = 1; i < scopes.size(); ++i) {
        if (scopes[i].index != table) return Reads{table};  // not worth telling apart
    }
    const bool reads = seen.stock || seen.version || set.seen.stock || set.seen.version ||
                       where_seen.stock || where_seen.version || references.inner ||
                       set.seen.subquery || where_seen.subquery;
    if (reads) return Reads{table};
    return Pass{};
}

}  // namespace

// Does not say what the columns mean: read_single_update does.
Action read_update(Cursor cursor, const Context& context) {
    SingleUpdate update;
    cursor.accept_word("low_priority");
    update.ignores_errors = cursor.accept_word("ignore");
    const Cursor start = cursor;
    TableReference reference;
    if (cursor.is_symbol("(") || !read_name(cursor, reference.name)) {
        return read_several(start, context);
    }
    reference.managed = context.managed(reference.name);
    reference.alias = reference.name.last();
    const bool has_as = cursor.accept_word("as");
    if (cursor.is_name() && (has_as || !cursor.is_word("set")) &&
        cursor.following().is_word("set")) {
        reference.alias = name_of(cursor.token());
        reference.has_alias = true;
        cursor.advance();
    }
    if (!cursor.is_word("set")) return read_several(start, context);
    if (!reference.managed) return reads_or_pass(find_read(cursor, context));
    update.scope = scope_of(context, reference);
    return read_single_update(cursor, context, update);
}

}  // namespace rewrite
