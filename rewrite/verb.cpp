#include "rewrite/verb.hpp"

#include <array>
#include <utility>

namespace rewrite {

namespace {

using namespace std::string_view_literals;

struct VerbWord {
    std::string_view word;
    Verb verb;
};

constexpr std::array verb_words{
    VerbWord{"select", Verb::select},       VerbWord{"insert", Verb::insert},
    VerbWord{"update", Verb::update},       VerbWord{"delete", Verb::remove},
    VerbWord{"replace", Verb::replace},     VerbWord{"set", Verb::set},
    VerbWord{"show", Verb::harmless},       VerbWord{"with", Verb::with},
    VerbWord{"table", Verb::select},        VerbWord{"values", Verb::select},
    VerbWord{"call", Verb::call},           VerbWord{"do", Verb::call},
    VerbWord{"execute", Verb::execute},     VerbWord{"prepare", Verb::prepare},
    VerbWord{"deallocate", Verb::harmless}, VerbWord{"handler", Verb::handler},
    VerbWord{"create", Verb::definition},   VerbWord{"alter", Verb::definition},
    VerbWord{"drop", Verb::definition},     VerbWord{"rename", Verb::definition},
    VerbWord{"truncate", Verb::definition}, VerbWord{"load", Verb::definition},
    VerbWord{"explain", Verb::explain},     VerbWord{"describe", Verb::explain},
    VerbWord{"desc", Verb::explain},        VerbWord{"analyze", Verb::analyze},
    VerbWord{"begin", Verb::compound},      VerbWord{"if", Verb::compound},
    VerbWord{"case", Verb::compound},       VerbWord{"loop", Verb::compound},
    VerbWord{"while", Verb::compound},      VerbWord{"repeat", Verb::compound},
    VerbWord{"for", Verb::compound},        VerbWord{"declare", Verb::compound},
    VerbWord{"check", Verb::harmless},      VerbWord{"checksum", Verb::harmless},
    VerbWord{"optimize", Verb::harmless},   VerbWord{"repair", Verb::harmless},
    VerbWord{"grant", Verb::harmless},      VerbWord{"revoke", Verb::harmless},
    VerbWord{"lock", Verb::harmless},       VerbWord{"unlock", Verb::harmless},
    VerbWord{"flush", Verb::harmless},      VerbWord{"cache", Verb::harmless},
    VerbWord{"kill", Verb::harmless},       VerbWord{"help", Verb::harmless},
    VerbWord{"start", Verb::harmless},      VerbWord{"stop", Verb::harmless},
    VerbWord{"signal", Verb::harmless},     VerbWord{"get", Verb::harmless},
};

bool is_verb_of_query(const Cursor& cursor) noexcept {
    return cursor.is_symbol("(") ||
           is_any_word(cursor, std::array{"select"sv, "table"sv, "values"sv});
}

// Runs the inner statement of EXPLAIN ANALYZE and the like.
Action read_inner(Cursor cursor, const Context& context, std::string_view reason) {
    Context inner = context;
    if (++inner.nesting > 4) return not_understood(cursor, context);
    return demoted(read_action(cursor, inner), context, reason);
}

void skip_format(Cursor& cursor) noexcept {
    if (!cursor.accept_word("format")) return;
    cursor.accept_symbol("=");
    cursor.advance();
}

// MySQL's EXPLAIN ANALYZE runs the statement; plain EXPLAIN does not.
Action read_explain(Cursor cursor, const Context& context) {
    skip_format(cursor);
    if (!cursor.accept_word("analyze")) return Pass{};
    skip_format(cursor);
    return read_inner(cursor, context, "EXPLAIN ANALYZE runs the statement");
}

Action read_analyze(Cursor cursor, const Context& context) {
    while (is_any_word(cursor, std::array{"no_write_to_binlog"sv, "local"sv})) cursor.advance();
    if (is_any_word(cursor, std::array{"table"sv, "tables"sv})) return Pass{};
    skip_format(cursor);
    return read_inner(cursor, context, "ANALYZE runs the statement");
}

// SET STATEMENT variable = value, ... FOR statement; else expressions, perhaps with subqueries.
Action read_set(Cursor cursor, const Context& context, bool is_with_statement) {
    if (!is_with_statement) return reads_or_pass(find_read(cursor, context));
    cursor.advance();
    while (!cursor.at_end() && !cursor.is_word("for")) {
        if (!cursor.is_symbol("(")) {
            cursor.advance();
        } else if (!skip_parentheses(cursor)) {
            break;
        }
    }
    if (!cursor.accept_word("for")) return not_understood(cursor, context);
    return read_inner(cursor, context, "SET STATEMENT runs the statement");
}

// name [(columns)] AS (query), ...: then the verb.
Action read_with(Cursor cursor, const Context& context) {
    const Cursor whole = cursor;
    cursor.accept_word("recursive");
    do {
        if (!cursor.is_name()) return not_understood(whole, context);
        cursor.advance();
        if (cursor.is_symbol("(") && !skip_parentheses(cursor)) break;
        if (!cursor.accept_word("as") || !cursor.is_symbol("(") || !skip_parentheses(cursor)) {
            return not_understood(whole, context);
        }
        if (cursor.accept_word("cycle")) return reads_or_pass(find_read(whole, context));
    } while (cursor.accept_symbol(","));
    if (is_verb_of_query(cursor)) return reads_or_pass(find_read(whole, context));
    if (!is_any_word(cursor, std::array{"update"sv, "delete"sv})) {
        return not_understood(whole, context);
    }
    Action action = read_inner(cursor, context, "it begins with WITH");
    if (std::holds_alternative<Pass>(action)) return reads_or_pass(find_read(whole, context));
    return action;
}

Action read_handler(Cursor cursor, const Context& context) {
    Name name;
    return read_name(cursor, name) ? reads_or_pass(context.managed(name))
                                   : not_understood(cursor, context);
}

Action read_execute(Cursor cursor, const Context& context) {
    if (!cursor.accept_word("immediate")) return reads_or_pass(find_read(cursor, context));
    return read_prepared_text(cursor, context).action;
}

std::string_view definition_word(const Cursor& cursor) noexcept {
    for (const VerbWord& entry : verb_words) {
        if (entry.verb == Verb::definition && cursor.is_word(entry.word)) return entry.word;
    }
    return {};
}

}  // namespace

Verb verb_at(const Cursor& cursor) noexcept {
    if (cursor.is_symbol("(")) return Verb::select;
    for (const VerbWord& entry : verb_words) {
        if (cursor.is_word(entry.word)) return entry.verb;
    }
    const bool is_label = cursor.is_name() && cursor.following().is_symbol(":");
    return is_label ? Verb::compound : Verb::unknown;
}

bool is_compound(const Cursor& cursor) noexcept {
    if (verb_at(cursor) != Verb::compound) return false;
    if (!cursor.is_word("begin")) return true;
    Cursor next = cursor.following();
    next.accept_word("work");
    return !next.at_end();
}

bool runs_another(const Cursor& cursor) noexcept {
    return cursor.is_word("set") && cursor.following().is_word("statement");
}

PreparedText read_prepare(Cursor cursor, const Context& context) {
    cursor.advance();
    if (cursor.is_name()) cursor.advance();
    cursor.accept_word("from");
    return read_prepared_text(cursor, context);
}

Action read_action(Cursor cursor, const Context& context) {
    const Cursor start = cursor;
    const Verb verb = verb_at(cursor);
    const bool is_set_statement = runs_another(cursor);
    cursor.advance();
    switch (verb) {
        case Verb::select:
            return reads_or_pass(find_read(start, context));
        case Verb::with:
            return read_with(cursor, context);
        case Verb::update:
            return read_update(cursor, context);
        case Verb::remove:
            return read_delete(cursor, context);
        case Verb::insert:
            return read_insert(cursor, context, false);
        case Verb::replace:
            return read_insert(cursor, context, true);
        case Verb::definition:
            if (is_program(start)) return Pass{};
            return read_definition(definition_word(start), cursor, context);
        case Verb::harmless:
            return Pass{};
        case Verb::explain:
            return read_explain(cursor, context);
        case Verb::analyze:
            return read_analyze(cursor, context);
        case Verb::set:
            return read_set(cursor, context, is_set_statement);
        case Verb::prepare:
            return read_prepare(start, context).action;
        case Verb::execute:
            return read_execute(cursor, context);
        case Verb::call:
            return reads_or_pass(find_read(cursor, context));
        case Verb::handler:
            return read_handler(cursor, context);
        case Verb::compound:
            return read_compound(start, context);
        case Verb::unknown:
            break;
    }
    return not_understood(start, context);
}

}  // namespace rewrite
