// Stored programs and compound statements: texts whose `;` do not end the statement.

#include "rewrite/readers.hpp"

#include <array>
#include <utility>

namespace rewrite {

namespace {

using namespace std::string_view_literals;

constexpr std::array program_kinds{
    "procedure"sv, "function"sv, "trigger"sv, "event"sv, "package"sv, "view"sv};
constexpr std::array other_kinds{
    "table"sv,
    "index"sv,
    "database"sv,
    "schema"sv,
    "user"sv,
    "role"sv,
    "server"sv,
    "sequence"sv,
    "logfile"sv,
    "tablespace"sv,
    "unique"sv,
    "fulltext"sv,
    "spatial"sv,
    "instance"sv,
    "resource"sv,
    "undo"sv,
    "library"sv};
constexpr std::array loop_words{"if"sv, "loop"sv, "while"sv, "repeat"sv, "for"sv};

// May a statement of a program begin behind this token?
bool starts_statement_after(const Token& previous) noexcept {
    constexpr std::array words{"then"sv, "else"sv, "do"sv, "loop"sv, "repeat"sv, "begin"sv};
    if (previous.kind == TokenKind::symbol) return previous.text == ";" || previous.text == ":";
    if (previous.kind != TokenKind::word) return false;
    for (const std::string_view word : words) {
        if (equals_lower(previous.text, word)) return true;
    }
    return false;
}

// BEGIN and END may also be names: then something follows that no statement begins with.
bool is_name_here(const Cursor& cursor) noexcept {
    const Cursor next = cursor.following();
    if (next.is(TokenKind::symbol)) return !next.is_symbol(";") && !next.is_symbol("(");
    return is_any_word(next, std::array{"from"sv, "as"sv, "where"sv, "and"sv, "or"sv});
}

}  // namespace

bool is_program(Cursor cursor) noexcept {
    if (!cursor.accept_word("create") && !cursor.accept_word("alter")) return false;
    for (int tokens = 0; tokens < 24 && !cursor.at_end(); ++tokens, cursor.advance()) {
        if (is_any_word(cursor, program_kinds)) return true;
        if (is_any_word(cursor, other_kinds)) return false;
    }
    return false;
}

// BEGIN ... END and CASE ... END nest; IF, LOOP and the like end with END IF and so on. A body
// that is one of the latter without BEGIN ends too early here, which is on the safe side.
bool skip_program(Cursor& cursor) noexcept {
    std::size_t depth = 0;
    Token previous;
    while (!cursor.at_text_end()) {
        if (depth == 0 && cursor.is_symbol(";")) return true;
        const bool is_free =
            !(previous.kind == TokenKind::symbol && previous.text == ".") &&
            !(previous.kind == TokenKind::word && equals_lower(previous.text, "as"));
        const Token token = cursor.token();
        if (is_free && cursor.is_word("end")) {
            const Cursor next = cursor.following();
            if (!is_any_word(next, loop_words)) {
                if (depth == 0) return false;
                --depth;
            }
            if (is_any_word(next, loop_words) || next.is_word("case")) cursor.advance();
        } else if (is_free && cursor.is_word("case")) {
            ++depth;
        } else if (is_free && cursor.is_word("begin")) {
            const bool is_first = depth == 0 && !is_name_here(cursor);
            if (is_first || starts_statement_after(previous)) ++depth;
        }
        previous = token;
        cursor.advance();
    }
    return depth == 0;
}

// Runs to the end of the text: where it ends is not worth knowing, as nothing in it is booked.
Action read_compound(Cursor cursor, const Context& context) {
    constexpr std::array changes{
        "update"sv,
        "delete"sv,
        "insert"sv,
        "replace"sv,
        "truncate"sv,
        "load"sv,
        "drop"sv,
        "alter"sv,
        "rename"sv,
        "create"sv,
        "prepare"sv,
        "execute"sv};
    std::optional<std::size_t> named;
    bool may_change = false;
    while (!cursor.at_text_end()) {
        may_change = may_change || is_any_word(cursor, changes);
        if (cursor.is_name()) {
            Name name;
            if (read_name(cursor, name) && !named) named = context.managed(name);
        } else {
            cursor.advance();
        }
    }
    if (!named) return Pass{};
    if (!may_change) return Reads{*named};
    return touches(
        context, *named, "a compound statement may change it", "send its statements one by one"
    );
}

PreparedText read_prepared_text(Cursor cursor, const Context& context) {
    PreparedText out;
    std::string text;
    bool is_literal = cursor.is(TokenKind::string);
    for (; cursor.is(TokenKind::string); cursor.advance()) {
        text += string_of(cursor.token(), context.dialect);
    }
    is_literal = is_literal && (cursor.at_end() || cursor.is_word("using"));
    if (!is_literal || context.nesting > 2) {
        if (context.rules.empty()) return out;
        out.action = touches(
            context,
            0,
            "the text of a prepared statement cannot be seen",
            "send it as a plain query or prepare it over the protocol"
        );
        return out;
    }
    out.is_visible = true;
    Context inner = context;
    ++inner.nesting;
    Statement held = analyse_text(text, inner);
    out.mentions_sql_mode = held.mentions_sql_mode;
    out.mentions_charset = held.mentions_charset;
    out.action =
        demoted(std::move(held.action), context, "it is prepared as text inside another statement");
    // Its parameters are user variables, which cannot be seen.
    if (Touches* const found = std::get_if<Touches>(&out.action); found && found->keys) {
        for (const std::vector<KeyValue>& key : *found->keys) {
            for (const KeyValue& value : key) {
                if (value.kind != KeyValue::Kind::param) continue;
                found->keys.reset();
                return out;
            }
        }
    }
    return out;
}

}  // namespace rewrite
