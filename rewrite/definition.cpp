// Statements about tables themselves.

#include "rewrite/readers.hpp"

#include <array>

namespace rewrite {

namespace {

using namespace std::string_view_literals;

constexpr std::string_view drain_advice = "drain its SKUs first";

Action touching(const Context& context, std::size_t table, std::string_view reason) {
    return touches(context, table, reason, drain_advice);
}

Action read_truncate(Cursor cursor, const Context& context) {
    const Cursor whole = cursor;
    cursor.accept_word("table");
    Name name;
    if (!read_name(cursor, name)) return not_understood(whole, context);
    const auto managed = context.managed(name);
    return managed ? touching(context, *managed, "TRUNCATE removes its rows") : Action(Pass{});
}

// LOAD DATA and LOAD XML say INTO TABLE; LOAD INDEX does not and changes nothing.
Action read_load(Cursor cursor, const Context& context) {
    for (; !cursor.at_end(); cursor.advance()) {
        if (!cursor.is_word("into") || !cursor.following().is_word("table")) continue;
        cursor.advance();
        cursor.advance();
        Name name;
        if (!read_name(cursor, name)) return not_understood(cursor, context);
        const auto managed = context.managed(name);
        if (managed) return touching(context, *managed, "LOAD writes rows to it");
        return reads_or_pass(find_read(cursor, context));
    }
    return Pass{};
}

void accept_if_exists(Cursor& cursor) {
    if (!cursor.accept_word("if")) return;
    cursor.accept_word("not");
    cursor.accept_word("exists");
}

Action read_drop(Cursor cursor, const Context& context) {
    if (cursor.accept_word("database") || cursor.accept_word("schema")) {
        accept_if_exists(cursor);
        for (std::size_t i = 0; i < context.rules.tables().size(); ++i) {
            if (is_named(cursor.token(), context.rules.tables()[i].schema)) {
                return touching(context, i, "DROP DATABASE removes it");
            }
        }
        return Pass{};
    }
    cursor.accept_word("temporary");
    if (!cursor.accept_word("table") && !cursor.accept_word("tables")) return Pass{};
    const auto named = find_named(cursor, context);
    return named ? touching(context, *named, "DROP TABLE removes it") : Action(Pass{});
}

Action read_rename(Cursor cursor, const Context& context) {
    if (!cursor.accept_word("table") && !cursor.accept_word("tables")) return Pass{};
    const auto named = find_named(cursor, context);
    return named ? touching(context, *named, "RENAME TABLE takes its name") : Action(Pass{});
}

// ALTER TABLE of another table matters if that takes the managed name or exchanges rows with it.
Action read_alter(Cursor cursor, const Context& context) {
    while (is_any_word(cursor, std::array{"online"sv, "offline"sv, "ignore"sv})) cursor.advance();
    if (!cursor.accept_word("table")) return Pass{};
    accept_if_exists(cursor);
    const Cursor whole = cursor;
    Name name;
    if (!read_name(cursor, name)) return not_understood(whole, context);
    if (const auto managed = context.managed(name)) {
        return touching(context, *managed, "ALTER TABLE changes it");
    }
    while (!cursor.at_end()) {
        const bool renames = cursor.is_word("rename");
        const bool exchanges = cursor.is_word("table");
        cursor.advance();
        if (!renames && !exchanges) continue;
        if (is_any_word(cursor, std::array{"column"sv, "index"sv, "key"sv})) continue;
        if (is_any_word(cursor, std::array{"to"sv, "as"sv}) || cursor.is_symbol("=")) {
            cursor.advance();
        }
        Name other;
        Cursor ahead = cursor;
        if (!read_name(ahead, other)) continue;
        if (const auto managed = context.managed(other)) {
            return touching(context, *managed, "ALTER TABLE takes its name or its rows");
        }
    }
    return Pass{};
}

// A new table cannot be the managed one, which exists; except where it replaces or hides it.
Action read_create(Cursor cursor, const Context& context) {
    bool replaces = false;
    if (cursor.accept_word("or")) replaces = cursor.accept_word("replace");
    const bool is_temporary = cursor.accept_word("temporary");
    if (!cursor.accept_word("table")) return Pass{};
    accept_if_exists(cursor);
    const Cursor whole = cursor;
    Name name;
    if (!read_name(cursor, name)) return not_understood(whole, context);
    const auto managed = context.managed(name);
    if (managed && replaces) return touching(context, *managed, "CREATE OR REPLACE removes it");
    if (managed && is_temporary) {
        return touches(
            context, *managed, "a temporary table would hide it", "give it another name"
        );
    }
    return reads_or_pass(find_read(cursor, context));
}

}  // namespace

Action read_definition(std::string_view verb, Cursor cursor, const Context& context) {
    if (verb == "truncate") return read_truncate(cursor, context);
    if (verb == "load") return read_load(cursor, context);
    if (verb == "drop") return read_drop(cursor, context);
    if (verb == "rename") return read_rename(cursor, context);
    if (verb == "alter") return read_alter(cursor, context);
    if (verb == "create") return read_create(cursor, context);
    return not_understood(cursor, context);
}

}  // namespace rewrite
