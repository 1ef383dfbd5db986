#pragma once
// What an expression means, as far as a deduction needs it: an integer sum of constants and
// parameters, plus or minus at most one column; a condition as a list of tests joined by AND; or
// nothing that we know, with the reason. Pure data and pure functions; overflow is a reason.

#include "rewrite/statement.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rewrite {

enum class ColumnKind : std::uint8_t { none, stock, key, version, time, other };

struct Column {
    ColumnKind kind = ColumnKind::none;
    std::size_t index = 0;  // of key_columns or time_columns
    bool operator==(const Column&) const = default;
};

enum class Comparison : std::uint8_t { equal, not_equal, less, less_equal, greater, greater_equal };

[[nodiscard]] Comparison negated(Comparison comparison) noexcept;
[[nodiscard]] Comparison mirrored(Comparison comparison) noexcept;

// One of the tests that a WHERE clause joins by AND.
struct Test {
    enum class Kind : std::uint8_t {
        key_in,  // key column `column` is one of `values`
        stock,   // stock `comparison` `bound`
        never,   // false or NULL whatever the row is
        other,   // see `reason`
    };
    Kind kind = Kind::other;
    std::size_t column = 0;
    std::vector<KeyValue> values;
    Comparison comparison = Comparison::equal;
    Linear bound;
    const char* reason = "";
};

struct Value {
    enum class Form : std::uint8_t {
        sum,        // linear + sign * column
        text,       // a string literal: `text`
        huge,       // an integer literal beyond 64 bits: `text`, with its sign
        moment,     // NOW() and its relatives
        condition,  // `tests`; none: always true
        other,      // see `reason`
    };
    Form form = Form::other;
    bool is_plain = false;  // exactly one literal, `?` or column, perhaps in parentheses
    int sign = 0;
    Column column;
    Linear linear;
    std::string text;
    std::vector<Test> tests;
    const char* reason = "";

    [[nodiscard]] bool is_constant() const noexcept {
        return form == Form::sum && sign == 0 && linear.terms.empty() && !linear.has_null;
    }
    [[nodiscard]] bool is_null() const noexcept {
        return form == Form::sum && sign == 0 && linear.has_null;
    }
    [[nodiscard]] bool is_param() const noexcept {
        return form == Form::sum && is_plain && sign == 0 && linear.terms.size() == 1;
    }
    [[nodiscard]] bool is_column(ColumnKind kind) const noexcept {
        return form == Form::sum && is_plain && sign == 1 && column.kind == kind;
    }
};

[[nodiscard]] Value other_value(const char* reason);
[[nodiscard]] Value constant_value(std::int64_t constant);
[[nodiscard]] Value null_value();
[[nodiscard]] Value param_value(std::uint32_t param);
[[nodiscard]] Value column_value(Column column);
[[nodiscard]] Value text_value(std::string text);
[[nodiscard]] Value condition_value(std::vector<Test> tests);

// A number as the tokenizer gives it: 12, 2.0, 1e3.
[[nodiscard]] Value number_value(std::string_view text);

// These take the left value and leave the result in it.
void negate(Value& value);
void add(Value& left, Value right, bool subtract);
void multiply(Value& left, Value right);

// Strings and huge literals to sums where that is exact, else to `other`.
void make_sum(Value& value);

// As one component of a SKU key; nothing if it is no literal and no plain `?`.
[[nodiscard]] std::optional<KeyValue> key_value_of(const Value& value);

// Conditions.
[[nodiscard]] Value compare(Comparison comparison, Value left, Value right);
// Appends it as one of the values of an IN list; NULL matches no row. False: no literal.
bool add_key_value(std::vector<KeyValue>& values, const Value& value);
// left IN (values).
[[nodiscard]] Value one_of(const Value& left, std::vector<KeyValue> values, bool are_literals);
void make_condition(Value& value);
void negate_condition(Value& value);
void join_and(Value& left, Value right);
void join_or(Value& left, Value right, bool may_be_concatenation);

}  // namespace rewrite
