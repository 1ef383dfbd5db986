#include "rewrite/value.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

namespace rewrite {

namespace {

constexpr const char* overflow_reason = "an integer in it is beyond 64 bits (overflow)";
constexpr const char* too_many_params_reason = "it has too many parameters in one sum";
constexpr const char* not_integer_reason = "a value in it is not an integer";
constexpr std::size_t terms_max = 16;

bool is_digits(std::string_view text) noexcept {
    return text.find_first_not_of("0123456789") == std::string_view::npos;
}

bool is_zeros(std::string_view text) noexcept {
    return text.find_first_not_of('0') == std::string_view::npos;
}

// Digits with an optional sign, and a fraction of zeros at most.
Value integer_value(std::string_view text) {
    const bool is_negative = !text.empty() && text.front() == '-';
    if (!text.empty() && (text.front() == '-' || text.front() == '+')) text.remove_prefix(1);
    const std::size_t dot = text.find('.');
    std::string_view digits = text.substr(0, dot);
    const bool has_fraction = dot != std::string_view::npos;
    const std::string_view fraction = has_fraction ? text.substr(dot + 1) : std::string_view();
    const bool is_empty = digits.empty() && fraction.empty();
    if (is_empty || !is_digits(digits) || !is_zeros(fraction)) {
        return other_value(not_integer_reason);
    }
    digits.remove_prefix(std::min(digits.find_first_not_of('0'), digits.size()));
    std::string signed_digits = is_negative && !digits.empty() ? "-" : "";
    signed_digits += digits.empty() ? "0" : digits;
    std::int64_t number = 0;
    const char* const end = signed_digits.data() + signed_digits.size();
    if (std::from_chars(signed_digits.data(), end, number).ec == std::errc()) {
        return constant_value(number);
    }
    Value value;
    value.form = Value::Form::huge;
    value.is_plain = true;
    value.text = std::move(signed_digits);
    return value;
}

// False on overflow.
bool add_linear(Linear& left, const Linear& right, bool subtract) {
    left.has_null = left.has_null || right.has_null;
    const bool overflows =
        subtract ? __builtin_sub_overflow(left.constant, right.constant, &left.constant)
                 : __builtin_add_overflow(left.constant, right.constant, &left.constant);
    if (overflows) return false;
    for (Linear::Term term : right.terms) {
        if (subtract && __builtin_sub_overflow(std::int64_t{0}, term.factor, &term.factor)) {
            return false;
        }
        // Parameters come in the order of the text, except below a comparison that was turned.
        auto place = left.terms.end();
        while (place != left.terms.begin() && (place - 1)->param > term.param) --place;
        left.terms.insert(place, term);
    }
    return true;
}

}  // namespace

Value other_value(const char* reason) {
    Value value;
    value.reason = reason;
    return value;
}

Value constant_value(std::int64_t constant) {
    Value value;
    value.form = Value::Form::sum;
    value.is_plain = true;
    value.linear.constant = constant;
    return value;
}

Value null_value() {
    Value value = constant_value(0);
    value.linear.has_null = true;
    return value;
}

Value param_value(std::uint32_t param) {
    Value value = constant_value(0);
    value.linear.terms.push_back({param, 1});
    return value;
}

Value column_value(Column column) {
    Value value = constant_value(0);
    value.sign = 1;
    value.column = column;
    return value;
}

Value text_value(std::string text) {
    Value value;
    value.form = Value::Form::text;
    value.is_plain = true;
    value.text = std::move(text);
    return value;
}

Value condition_value(std::vector<Test> tests) {
    Value value;
    value.form = Value::Form::condition;
    value.tests = std::move(tests);
    return value;
}

Value number_value(std::string_view text) {
    return integer_value(text);
}

void make_sum(Value& value) {
    if (value.form == Value::Form::sum) return;
    if (value.form == Value::Form::text) value = integer_value(value.text);
    if (value.form == Value::Form::huge) value = other_value(overflow_reason);
    if (value.form == Value::Form::condition) value = other_value("it computes with a condition");
    if (value.form == Value::Form::moment) value = other_value("it computes with a time");
}

void negate(Value& value) {
    if (value.form == Value::Form::huge) {
        std::string turned =
            value.text.front() == '-' ? value.text.substr(1) : std::string("-") + value.text;
        value = integer_value(turned);  // -9223372036854775808 fits again
        return;
    }
    const bool is_null = value.is_null();
    make_sum(value);
    if (value.form != Value::Form::sum || is_null) return;
    const bool was_constant = value.is_plain && value.is_constant();
    Linear turned;
    if (!add_linear(turned, value.linear, true)) {
        value = other_value(overflow_reason);
        return;
    }
    value.linear = std::move(turned);
    value.sign = -value.sign;
    value.is_plain = was_constant;
}

void add(Value& left, Value right, bool subtract) {
    make_sum(left);
    make_sum(right);
    if (left.form != Value::Form::sum) return;
    if (right.form != Value::Form::sum) {
        left = std::move(right);
        return;
    }
    if (left.sign != 0 && right.sign != 0) {
        left = other_value("it combines two columns");
        return;
    }
    if (left.linear.terms.size() + right.linear.terms.size() > terms_max) {
        left = other_value(too_many_params_reason);
        return;
    }
    if (!add_linear(left.linear, right.linear, subtract)) {
        left = other_value(overflow_reason);
        return;
    }
    if (right.sign != 0) {
        left.sign = subtract ? -right.sign : right.sign;
        left.column = right.column;
    }
    left.is_plain = false;
}

// Only where one side is a constant; a column times something is no deduction.
void multiply(Value& left, Value right) {
    make_sum(left);
    make_sum(right);
    if (left.form != Value::Form::sum) return;
    if (right.form != Value::Form::sum) {
        left = std::move(right);
        return;
    }
    if (left.is_constant()) std::swap(left, right);
    if (!right.is_constant() || left.sign != 0) {
        left = other_value("it multiplies other things than constants");
        return;
    }
    const std::int64_t factor = right.linear.constant;
    bool overflows = __builtin_mul_overflow(left.linear.constant, factor, &left.linear.constant);
    for (Linear::Term& term : left.linear.terms) {
        overflows = overflows || __builtin_mul_overflow(term.factor, factor, &term.factor);
    }
    if (overflows) left = other_value(overflow_reason);
    left.is_plain = false;
}

std::optional<KeyValue> key_value_of(const Value& value) {
    if (value.form == Value::Form::text) return KeyValue{KeyValue::Kind::string, value.text, 0};
    if (value.form == Value::Form::huge) return KeyValue{KeyValue::Kind::integer, value.text, 0};
    if (value.is_param())
        return KeyValue{KeyValue::Kind::param, {}, value.linear.terms.front().param};
    if (!value.is_constant()) return std::nullopt;
    return KeyValue{KeyValue::Kind::integer, std::to_string(value.linear.constant), 0};
}

}  // namespace rewrite
