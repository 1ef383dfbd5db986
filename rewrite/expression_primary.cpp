// The operands: literals, columns, calls, CASE, parentheses.

#include "rewrite/expression.hpp"

#include <array>
#include <utility>

namespace rewrite {

namespace {

using namespace std::string_view_literals;

constexpr const char* function_reason =
    "it uses a function or another expression that is not a sum";

// Words that cannot begin an operand, so that a mistake is not taken for a column.
constexpr std::array reserved_words{
    "and"sv,       "as"sv,      "asc"sv,    "between"sv, "by"sv,     "delete"sv, "desc"sv,
    "div"sv,       "else"sv,    "from"sv,   "group"sv,   "having"sv, "in"sv,     "insert"sv,
    "into"sv,      "is"sv,      "join"sv,   "like"sv,    "limit"sv,  "mod"sv,    "not"sv,
    "on"sv,        "or"sv,      "order"sv,  "regexp"sv,  "rlike"sv,  "select"sv, "set"sv,
    "then"sv,      "union"sv,   "update"sv, "using"sv,   "when"sv,   "where"sv,  "xor"sv,
    "returning"sv, "collate"sv, "for"sv,    "with"sv};

constexpr std::array interval_units{
    "microsecond"sv,
    "second"sv,
    "minute"sv,
    "hour"sv,
    "day"sv,
    "week"sv,
    "month"sv,
    "quarter"sv,
    "year"sv,
    "second_microsecond"sv,
    "minute_microsecond"sv,
    "minute_second"sv,
    "hour_microsecond"sv,
    "hour_second"sv,
    "hour_minute"sv,
    "day_microsecond"sv,
    "day_second"sv,
    "day_minute"sv,
    "day_hour"sv,
    "year_month"sv};

}  // namespace

bool Expression::at_subquery() const noexcept {
    const Cursor inner = cursor_.following();
    return is_any_word(inner, std::array{"select"sv, "with"sv, "table"sv, "values"sv}) &&
           !inner.following().is_symbol(".");
}

bool Expression::read_primary(Value& out) {
    switch (cursor_.token().kind) {
        case TokenKind::number:
            out = number_value(cursor_.token().text);
            cursor_.advance();
            return true;
        case TokenKind::string:
            return read_strings(out);
        case TokenKind::binary_literal:
            cursor_.advance();
            out = other_value("it uses a hexadecimal or bit literal");
            return true;
        case TokenKind::param:
            out = param_value(cursor_.params_before());
            cursor_.advance();
            return true;
        case TokenKind::user_variable:
        case TokenKind::system_variable:
            return read_variable(out);
        case TokenKind::word:
            return read_word(out);
        case TokenKind::quoted_name:
            return read_column_or_call(out);
        case TokenKind::symbol:
            if (cursor_.is_symbol("(")) return read_parenthesised(out);
            if (cursor_.is_symbol("{")) return read_braces(out);
            return cursor_.is_symbol(".") && read_column_or_call(out);
        case TokenKind::end:
        case TokenKind::blank:
        case TokenKind::comment:
        case TokenKind::hint:
        case TokenKind::version_open:
        case TokenKind::version_close:
        case TokenKind::unknown:
        case TokenKind::broken:
            return false;
    }
    return false;
}

bool Expression::read_parenthesised(Value& out) {
    if (at_subquery()) {
        out = other_value("it uses a subquery");
        return skip_parentheses_noting();
    }
    cursor_.advance();
    if (!read_logic(out, 0)) return false;
    bool is_row = false;
    while (cursor_.accept_symbol(",")) {
        Value ignored;
        if (!read_logic(ignored, 0)) return false;
        is_row = true;
    }
    if (is_row) out = other_value("the WHERE clause compares rows of values");
    return cursor_.accept_symbol(")");
}

// ODBC escapes: {ts '2025-01-01 00:00:00'} is a time literal, {anything x} is x.
bool Expression::read_braces(Value& out) {
    cursor_.advance();
    if (!cursor_.is_name()) return false;
    const bool is_timestamp = cursor_.is_word("ts");
    cursor_.advance();
    if (!read_logic(out, 0)) return false;
    if (!is_timestamp || out.form != Value::Form::text) out = other_value(function_reason);
    return cursor_.accept_symbol("}");
}

// Literals that stand side by side are one.
bool Expression::read_strings(Value& out) {
    std::string text = string_of(cursor_.token(), cursor_.dialect());
    cursor_.advance();
    while (cursor_.is(TokenKind::string)) {
        text += string_of(cursor_.token(), cursor_.dialect());
        cursor_.advance();
    }
    out = text_value(std::move(text));
    return true;
}

bool Expression::read_variable(Value& out) {
    const bool is_user = cursor_.is(TokenKind::user_variable);
    cursor_.advance();
    if (is_user && cursor_.accept_symbol(":=")) {
        if (!read_logic(out, 0)) return false;
        out = other_value("it assigns a user variable");
        return true;
    }
    while (!is_user && cursor_.accept_symbol(".")) {
        if (!cursor_.is_name()) return false;
        cursor_.advance();
    }
    out = other_value("it uses a variable");
    return true;
}

bool Expression::skip_call(Value& out, const char* reason) {
    out = other_value(reason);
    return skip_parentheses_noting();
}

bool Expression::read_word(Value& out) {
    const Cursor next = cursor_.following();
    if (next.is_symbol(".")) return read_column_or_call(out);
    if (cursor_.is_word("null")) {
        out = null_value();
    } else if (cursor_.is_word("true") || cursor_.is_word("false")) {
        out = constant_value(cursor_.is_word("true") ? 1 : 0);
    } else if (cursor_.is_word("default") && !next.is_symbol("(")) {
        out = other_value("it uses DEFAULT");
    } else {
        const bool is_introducer =
            cursor_.token().text.front() == '_' &&
            (next.is(TokenKind::string) || next.is(TokenKind::binary_literal));
        if (is_introducer) {
            cursor_.advance();
            out = other_value("it uses a string of another character set");
        } else {
            if (cursor_.is_word("case")) return read_case(out);
            if (cursor_.is_word("interval")) return read_interval(out);
            if (is_any_word(cursor_, std::array{"cast"sv, "convert"sv}) && next.is_symbol("(")) {
                return read_cast(out);
            }
            if (is_any_word(cursor_, std::array{"coalesce"sv, "ifnull"sv}) && next.is_symbol("(")) {
                return read_coalesce(out);
            }
            const bool is_function =
                is_any_word(cursor_, std::array{"mod"sv, "insert"sv}) && next.is_symbol("(");
            if (!is_function && is_any_word(cursor_, reserved_words)) return false;
            return read_moment(out);
        }
    }
    cursor_.advance();
    return true;
}

// The names that stand for the current time, TIMESTAMP 'text', or else a column or call. NOW and
// SYSDATE are functions only if the parenthesis touches them.
bool Expression::read_moment(Value& out) {
    const Cursor next = cursor_.following();
    const bool may_stand_alone =
        is_any_word(cursor_, std::array{"current_timestamp"sv, "localtime"sv, "localtimestamp"sv});
    const bool is_moment =
        may_stand_alone ||
        is_any_word(cursor_, std::array{"now"sv, "sysdate"sv, "utc_timestamp"sv});
    const bool is_literal = is_any_word(cursor_, std::array{"timestamp"sv, "date"sv, "time"sv}) &&
                            next.is(TokenKind::string);
    if (is_literal) {
        const bool is_timestamp = cursor_.is_word("timestamp");
        cursor_ = next;
        if (!read_strings(out)) return false;
        if (!is_timestamp) out = other_value(function_reason);
        return true;
    }
    if (!is_moment) return read_column_or_call(out);
    const bool needs_touch = is_any_word(cursor_, std::array{"now"sv, "sysdate"sv});
    if (!next.is_symbol("(")) {
        if (!may_stand_alone && !cursor_.is_word("utc_timestamp")) return read_column_or_call(out);
    } else if (needs_touch && !next.is_adjacent()) {
        return read_column_or_call(out);
    }
    cursor_ = next;
    out.form = Value::Form::moment;
    if (!cursor_.accept_symbol("(")) return true;
    if (cursor_.is(TokenKind::number)) cursor_.advance();
    return cursor_.accept_symbol(")");
}

bool Expression::read_column_or_call(Value& out) {
    Name name;
    if (!read_name(cursor_, name)) return false;
    const bool is_call = cursor_.is_symbol("(");
    if (is_call) {
        if (!skip_call(out, function_reason)) return false;
        // MATCH (columns) AGAINST ('text' IN BOOLEAN MODE)
        if (equals_lower(name.last(), "match") && cursor_.accept_word("against")) {
            return cursor_.is_symbol("(") && skip_parentheses_noting();
        }
        return true;
    }
    if (equals_lower(name.last(), "exists") || cursor_.is_symbol(".")) return false;
    const Column column = scope_.resolve(name);
    if (column.kind == ColumnKind::stock) seen_.stock = true;
    if (column.kind == ColumnKind::version) seen_.version = true;
    out = column_value(column);
    if (!cursor_.is_symbol("->") && !cursor_.is_symbol("->>")) return true;
    cursor_.advance();
    if (!cursor_.is(TokenKind::string)) return false;
    cursor_.advance();
    out = other_value(function_reason);
    return true;
}

// Not understood, only left: CASE may nest.
bool Expression::read_case(Value& out) {
    std::size_t depth = 0;
    while (!cursor_.at_end()) {
        if (cursor_.is_symbol("(")) {
            if (!skip_parentheses_noting()) return false;
            continue;
        }
        if (cursor_.is_symbol(".")) pass();  // what follows is a name
        if (cursor_.is_word("case")) ++depth;
        const bool ends = cursor_.is_word("end");
        pass();
        if (ends && --depth == 0) {
            out = other_value("it uses CASE");
            return true;
        }
    }
    return false;
}

// CAST(n AS SIGNED) is n. AS UNSIGNED turns negative numbers round, so only known ones pass.
bool Expression::read_cast(Value& out) {
    const Cursor call = cursor_.following();
    cursor_ = call;
    cursor_.advance();
    if (!at_subquery() && read_logic(out, 0)) {
        const bool has_type = cursor_.accept_word("as") || cursor_.accept_symbol(",");
        const bool is_signed = cursor_.is_word("signed");
        if (has_type && (is_signed || cursor_.is_word("unsigned"))) {
            cursor_.advance();
            if (!cursor_.accept_word("integer")) cursor_.accept_word("int");
            if (cursor_.accept_symbol(")")) {
                make_sum(out);
                const bool is_exact = is_signed || (out.is_constant() && out.linear.constant >= 0);
                if (!is_exact) out = other_value("it casts to UNSIGNED");
                out.is_plain = false;
                return true;
            }
        }
    }
    if (gave_up_) return false;
    cursor_ = call;
    return skip_call(out, "it uses CAST or CONVERT");
}

// COALESCE(stock, 0): a stock in the ledger is never NULL, so this is the stock.
bool Expression::read_coalesce(Value& out) {
    const Cursor call = cursor_.following();
    cursor_ = call;
    cursor_.advance();
    Value fallback;
    if (read_logic(out, 0) && out.is_column(ColumnKind::stock) && cursor_.accept_symbol(",") &&
        read_logic(fallback, 0) && cursor_.accept_symbol(")")) {
        make_sum(fallback);
        if (fallback.is_constant() && fallback.linear.constant == 0) return true;
        out = other_value("it replaces NULL by something else than 0");
        return true;
    }
    if (gave_up_) return false;
    cursor_ = call;
    return skip_call(out, function_reason);
}

// INTERVAL expression unit, or the function INTERVAL(n, ...).
bool Expression::read_interval(Value& out) {
    cursor_.advance();
    Value ignored;
    if (cursor_.is_symbol("(")) {
        if (!skip_parentheses_noting()) return false;
    } else if (!read_arithmetic(ignored, 0)) {
        return false;
    }
    if (is_any_word(cursor_, interval_units)) cursor_.advance();
    out = other_value("it computes with a time");
    return true;
}

}  // namespace rewrite
