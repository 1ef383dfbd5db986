#include "rewrite/recogniser.hpp"

#include "rewrite/readers.hpp"
#include "rewrite/verb.hpp"

#include <array>
#include <utility>

namespace rewrite {

namespace {

bool mentions_sql_mode(std::string_view text) noexcept {
    constexpr std::string_view before = "sql";
    constexpr std::string_view after = "mode";
    for (std::size_t at = text.find('_', before.size()); at != std::string_view::npos;
         at = text.find('_', at + 1)) {
        if (equals_lower(text.substr(at - before.size(), before.size()), before) &&
            equals_lower(text.substr(at + 1, after.size()), after)) {
            return true;
        }
    }
    return false;
}

// SET NAMES, SET CHARACTER SET, SET character_set_client and their relatives.
bool sets_charset(Cursor cursor) noexcept {
    constexpr std::array words{
        std::string_view("names"),
        std::string_view("character"),
        std::string_view("charset"),
        std::string_view("character_set_client")};
    for (; !cursor.at_end(); cursor.advance()) {
        if (is_any_word(cursor, words)) return true;
        const bool is_variable = cursor.is(TokenKind::system_variable) &&
                                 equals_lower(cursor.token().text, "@@character_set_client");
        if (is_variable || cursor.token().text == "`character_set_client`") return true;
    }
    return false;
}

bool is_broken(Cursor cursor) noexcept {
    while (!cursor.at_text_end()) {
        if (cursor.is(TokenKind::broken)) return true;
        cursor.advance();
    }
    return false;
}

// A managed table whose name the text contains.
std::size_t mentioned_table(std::string_view text, const Rules& rules) {
    for (std::size_t i = 0; i < rules.tables().size(); ++i) {
        if (Rules({rules.tables()[i]}).mentioned_in(text)) return i;
    }
    return 0;
}

// The first token of each statement of the text.
struct Parts {
    std::vector<Cursor> starts;
    bool is_multi = false;
    bool is_clear = true;  // the ends of all are known
};

Parts split(Cursor cursor) {
    Parts parts;
    while (!cursor.at_text_end()) {
        if (!cursor.at_end()) {
            parts.starts.push_back(cursor);
            if (is_compound(cursor)) return parts;
            if (is_program(cursor)) {
                parts.is_clear = skip_program(cursor);
                if (!parts.is_clear) return parts;
            }
            while (!cursor.at_end()) cursor.advance();
        }
        if (cursor.accept_symbol(";") && !cursor.at_text_end()) parts.is_multi = true;
    }
    return parts;
}

// `may_concern`: the text mentions a managed table; otherwise only the kind is in question.
void read_statement(Cursor cursor, const Context& context, bool may_concern, Statement& out) {
    if (cursor.at_end()) {
        out.kind = Kind::empty;
        return;
    }
    if (read_control(cursor, out)) return;
    const Verb verb = verb_at(cursor);
    if (verb == Verb::prepare) {
        PreparedText text = read_prepare(cursor, context);
        out.kind = text.is_visible ? Kind::other : Kind::opaque;
        out.mentions_sql_mode = out.mentions_sql_mode || text.mentions_sql_mode;
        out.mentions_charset = text.mentions_charset;
        out.action = std::move(text.action);
        return;
    }
    if (verb == Verb::set) out.mentions_charset = sets_charset(cursor);
    if (verb == Verb::execute || verb == Verb::handler || verb == Verb::call ||
        verb == Verb::compound || runs_another(cursor)) {
        out.kind = Kind::opaque;
    }
    // Neither a token nor a word that begins a statement: the server may read it otherwise.
    if (cursor.is(TokenKind::unknown) || cursor.is(TokenKind::broken)) out.kind = Kind::opaque;
    if (may_concern || verb == Verb::execute) out.action = read_action(cursor, context);
}

void add_part(Action& sum, Action part, bool is_first_change, const Context& context) {
    Action changed = demoted(std::move(part), context, "the text has several statements");
    if (const Reads* const reads = std::get_if<Reads>(&changed)) {
        if (std::holds_alternative<Pass>(sum)) sum = *reads;
        return;
    }
    Touches* const added = std::get_if<Touches>(&changed);
    if (added == nullptr) return;
    if (is_first_change) {
        sum = std::move(*added);
        return;
    }
    Touches& all = std::get<Touches>(sum);
    if (all.table != added->table || !added->keys) all.keys.reset();
    if (!all.keys) return;
    for (std::vector<KeyValue>& key : *added->keys) all.keys->push_back(std::move(key));
}

void read_several(const Parts& parts, const Context& context, bool may_concern, Statement& out) {
    out.kind = Kind::opaque;
    out.multi = true;
    for (const Cursor& start : parts.starts) {
        Statement part;
        read_statement(start, context, may_concern, part);
        out.mentions_sql_mode = out.mentions_sql_mode || part.mentions_sql_mode;
        out.mentions_charset = out.mentions_charset || part.mentions_charset;
        const bool is_first_change = !std::holds_alternative<Touches>(out.action);
        add_part(out.action, std::move(part.action), is_first_change, context);
    }
    if (Touches* const found = std::get_if<Touches>(&out.action)) {
        found->reason += "; send each statement alone";
    }
}

}  // namespace

Statement analyse_text(std::string_view text, const Context& context) {
    Statement out;
    out.mentions_sql_mode = mentions_sql_mode(text);
    const bool is_mentioned = context.rules.mentioned_in(text);
    const Cursor start(text, context.dialect);
    const bool has_semicolon = text.find(';') != std::string_view::npos;
    if (!is_mentioned && !has_semicolon) {
        read_statement(start, context, false, out);
        return out;
    }
    if (is_broken(start)) {
        out.kind = Kind::opaque;
        if (is_mentioned) {
            out.action = touches(
                context,
                mentioned_table(text, context.rules),
                "the text cannot be read to its end",
                "check its quotes and comments"
            );
        }
        return out;
    }
    if (!has_semicolon) {
        read_statement(start, context, is_mentioned, out);
        return out;
    }
    const Parts parts = split(start);
    if (!parts.is_clear) {
        out.kind = Kind::opaque;
        out.multi = true;
        out.action = read_compound(start, context);
    } else if (parts.is_multi) {
        read_several(parts, context, is_mentioned, out);
    } else {
        read_statement(
            parts.starts.empty() ? start : parts.starts.front(), context, is_mentioned, out
        );
    }
    return out;
}

Statement analyse(
    std::string_view sql,
    const Rules& rules,
    const Dialect& dialect,
    std::string_view default_schema
) {
    return analyse_text(sql, Context{rules, dialect, default_schema});
}

}  // namespace rewrite
