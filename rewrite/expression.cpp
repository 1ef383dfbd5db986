#include "rewrite/expression.hpp"

#include <array>
#include <optional>
#include <utility>

namespace rewrite {

namespace {

using namespace std::string_view_literals;

enum Logic : int { logic_or, logic_xor, logic_and, logic_none };

Logic logic_at(const Cursor& cursor) noexcept {
    if (cursor.is_symbol("||") || cursor.is_word("or")) return logic_or;
    if (cursor.is_symbol("&&") || cursor.is_word("and")) return logic_and;
    return cursor.is_word("xor") ? logic_xor : logic_none;
}

std::optional<Comparison> comparison_at(const Cursor& cursor) noexcept {
    if (cursor.is_symbol("=")) return Comparison::equal;
    if (cursor.is_symbol("<>") || cursor.is_symbol("!=")) return Comparison::not_equal;
    if (cursor.is_symbol("<")) return Comparison::less;
    if (cursor.is_symbol("<=")) return Comparison::less_equal;
    if (cursor.is_symbol(">")) return Comparison::greater;
    if (cursor.is_symbol(">=")) return Comparison::greater_equal;
    return std::nullopt;
}

constexpr const char* extra_test_reason =
    "the WHERE clause tests more than the key and a lower bound of the stock";

Value extra_test() {
    Test test;
    test.reason = extra_test_reason;
    return condition_value({test});
}

}  // namespace

class Expression::Level {
public:
    explicit Level(Expression& owner) : owner_(owner) {
        if (++owner_.depth_ > depth_max) owner_.gave_up_ = true;
    }
    ~Level() { --owner_.depth_; }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;
    [[nodiscard]] bool is_too_deep() const noexcept { return owner_.gave_up_; }

private:
    Expression& owner_;
};

void Expression::pass() {
    seen_.note(cursor_.token(), *scope_.table);
    cursor_.advance();
}

bool Expression::skip_parentheses_noting() {
    std::size_t depth = 0;
    while (!cursor_.at_text_end()) {
        if (cursor_.is_symbol("(")) ++depth;
        const bool closes = cursor_.is_symbol(")");
        pass();
        if (closes && --depth == 0) return true;
    }
    return false;
}

bool Expression::read_logic(Value& out, int weakest) {
    const Level level(*this);
    if (level.is_too_deep() || !read_not(out)) return false;
    while (true) {
        const Logic logic = logic_at(cursor_);
        if (logic == logic_none || logic < weakest) return true;
        const bool is_pipes = cursor_.is_symbol("||");
        cursor_.advance();
        Value right;
        if (!read_logic(right, logic + 1)) return false;
        if (logic == logic_and) {
            join_and(out, std::move(right));
        } else if (logic == logic_or) {
            join_or(out, std::move(right), is_pipes);
        } else {
            out = extra_test();
        }
    }
}

bool Expression::read_not(Value& out) {
    bool is_negated = false;
    bool has_not = false;
    while (cursor_.accept_word("not")) {
        has_not = true;
        is_negated = !is_negated;
    }
    // Under HIGH_NOT_PRECEDENCE it binds like `!`; nobody writes for that, so it is not read.
    if (has_not && cursor_.dialect().high_not_precedence) return false;
    if (!read_comparison(out)) return false;
    if (has_not) make_condition(out);
    if (is_negated) negate_condition(out);
    return true;
}

bool Expression::read_comparison(Value& out) {
    if (!read_predicate(out)) return false;
    while (true) {
        if (cursor_.is_word("is")) {
            if (!read_is(out)) return false;
            continue;
        }
        const std::optional<Comparison> comparison = comparison_at(cursor_);
        const bool is_null_safe = cursor_.is_symbol("<=>");
        if (!comparison && !is_null_safe) return true;
        cursor_.advance();
        if (is_any_word(cursor_, std::array{"all"sv, "any"sv, "some"sv}) &&
            cursor_.following().is_symbol("(")) {
            cursor_.advance();
            if (!skip_parentheses_noting()) return false;
            out = extra_test();
            continue;
        }
        Value right;
        if (!read_predicate(right)) return false;
        out = is_null_safe ? extra_test() : compare(*comparison, std::move(out), std::move(right));
    }
}

bool Expression::read_is(Value& out) {
    cursor_.advance();
    cursor_.accept_word("not");
    if (!is_any_word(cursor_, std::array{"null"sv, "true"sv, "false"sv, "unknown"sv})) return false;
    cursor_.advance();
    out = extra_test();
    return true;
}

bool Expression::read_predicate(Value& out) {
    if (!read_arithmetic(out, 0)) return false;
    while (true) {
        Cursor ahead = cursor_;
        const bool is_negated = ahead.accept_word("not");
        if (ahead.is_word("in")) {
            ahead.advance();
            cursor_ = ahead;
            if (!read_in(out, is_negated)) return false;
        } else if (ahead.is_word("between")) {
            ahead.advance();
            cursor_ = ahead;
            if (!read_between(out)) return false;
        } else if (is_any_word(
                       ahead, std::array{"like"sv, "regexp"sv, "rlike"sv, "sounds"sv, "member"sv}
                   )) {
            cursor_ = ahead;
            if (!read_pattern(out)) return false;
        } else {
            return true;
        }
    }
}

bool Expression::read_in(Value& out, bool is_negated) {
    if (!cursor_.is_symbol("(")) return false;
    if (at_subquery()) {
        out = extra_test();
        return skip_parentheses_noting();
    }
    cursor_.advance();
    std::vector<KeyValue> values;
    bool are_literals = true;
    do {
        Value value;
        if (!read_logic(value, 0)) return false;
        are_literals = are_literals && add_key_value(values, value);
    } while (cursor_.accept_symbol(","));
    if (!cursor_.accept_symbol(")")) return false;
    out = is_negated ? extra_test() : one_of(out, std::move(values), are_literals);
    return true;
}

bool Expression::read_between(Value& out) {
    Value ignored;
    if (!read_arithmetic(ignored, 0) || !cursor_.accept_word("and")) return false;
    const Level level(*this);
    if (level.is_too_deep() || !read_predicate(ignored)) return false;
    out = extra_test();
    return true;
}

// LIKE, REGEXP, SOUNDS LIKE, MEMBER OF.
bool Expression::read_pattern(Value& out) {
    const bool is_like = cursor_.is_word("like");
    const bool is_sounds = cursor_.is_word("sounds");
    const bool is_member = cursor_.is_word("member");
    cursor_.advance();
    if (is_sounds && !cursor_.accept_word("like")) return false;
    if (is_member) cursor_.accept_word("of");
    Value ignored;
    if (!read_arithmetic(ignored, 0)) return false;
    if (is_like && cursor_.accept_word("escape") && !read_arithmetic(ignored, 0)) return false;
    out = extra_test();
    return true;
}

namespace {

// Higher binds closer; 0 is no operator.
int arithmetic_level(const Cursor& cursor) noexcept {
    if (cursor.is(TokenKind::symbol)) {
        const std::string_view text = cursor.token().text;
        if (text == "|") return 1;
        if (text == "&") return 2;
        if (text == "<<" || text == ">>") return 3;
        if (text == "+" || text == "-") return 4;
        if (text == "*" || text == "/" || text == "%") return 5;
        return text == "^" ? 6 : 0;
    }
    return is_any_word(cursor, std::array{"div"sv, "mod"sv}) ? 5 : 0;
}

}  // namespace

bool Expression::read_arithmetic(Value& out, int weakest) {
    const Level level(*this);
    if (level.is_too_deep() || !read_unary(out)) return false;
    while (true) {
        const int binding = arithmetic_level(cursor_);
        if (binding == 0 || binding < weakest) return true;
        const bool is_minus = cursor_.is_symbol("-");
        const bool is_sum = binding == 4;
        const bool is_product = cursor_.is_symbol("*");
        cursor_.advance();
        Value right;
        const bool is_interval = is_sum && cursor_.is_word("interval");
        if (is_interval ? !read_interval(right) : !read_arithmetic(right, binding + 1)) {
            return false;
        }
        if (is_sum) {
            add(out, std::move(right), is_minus);
        } else if (is_product) {
            multiply(out, std::move(right));
        } else {
            out = other_value("it is not a plain sum");
        }
    }
}

bool Expression::read_unary(Value& out) {
    bool is_negative = false;
    while (cursor_.is_symbol("-") || cursor_.is_symbol("+")) {
        is_negative = is_negative != cursor_.is_symbol("-");
        cursor_.advance();
    }
    if (cursor_.is_symbol("!") || cursor_.is_symbol("~") || cursor_.is_word("binary")) {
        const bool is_not = cursor_.is_symbol("!");
        cursor_.advance();
        const Level level(*this);
        if (level.is_too_deep() || !read_unary(out)) return false;
        if (is_not && !is_negative) {
            negate_condition(out);
        } else {
            out = other_value("it is not a plain sum");
        }
        return true;
    }
    if (!read_primary(out)) return false;
    while (cursor_.accept_word("collate")) {
        if (!cursor_.is_name() && !cursor_.is(TokenKind::string)) return false;
        cursor_.advance();
        out = other_value("it uses COLLATE");
    }
    if (is_negative) negate(out);
    return true;
}

}  // namespace rewrite
