// The conditions among the values: comparisons, NOT, AND, OR.

#include "rewrite/value.hpp"

#include <utility>

namespace rewrite {

namespace {

Test other_test(const char* reason) {
    Test test;
    test.reason = reason;
    return test;
}

Value other_condition(const char* reason) {
    return condition_value({other_test(reason)});
}

Value never() {
    Test test;
    test.kind = Test::Kind::never;
    return condition_value({test});
}

bool holds(Comparison comparison, std::int64_t left, std::int64_t right) noexcept {
    switch (comparison) {
        case Comparison::equal:
            return left == right;
        case Comparison::not_equal:
            return left != right;
        case Comparison::less:
            return left < right;
        case Comparison::less_equal:
            return left <= right;
        case Comparison::greater:
            return left > right;
        case Comparison::greater_equal:
            return left >= right;
    }
    return false;
}

bool is_of(const Value& value, ColumnKind kind) noexcept {
    return value.form == Value::Form::sum && value.sign != 0 && value.column.kind == kind;
}

const char* reason_for(const Value& left, const Value& right) noexcept {
    if (left.form == Value::Form::other) return left.reason;
    if (right.form == Value::Form::other) return right.reason;
    if (is_of(left, ColumnKind::version) || is_of(right, ColumnKind::version)) {
        return "the WHERE clause tests the version column";
    }
    if (is_of(left, ColumnKind::time) || is_of(right, ColumnKind::time)) {
        return "the WHERE clause tests a time column";
    }
    return "the WHERE clause tests more than the key and a lower bound of the stock";
}

// left `comparison` right, where just one side has the stock column: solved for it.
Value compare_stock(Comparison comparison, Value left, Value right) {
    if (left.sign == 0) {
        std::swap(left, right);
        comparison = mirrored(comparison);
    }
    // sign * stock + a `comparison` b  =>  stock `comparison` sign * (b - a)
    Test test;
    test.kind = Test::Kind::stock;
    Value bound = right;
    Value offset;
    offset.form = Value::Form::sum;
    offset.linear = left.linear;
    add(bound, std::move(offset), true);
    if (left.sign < 0) {
        comparison = mirrored(comparison);
        negate(bound);
    }
    if (bound.form != Value::Form::sum) return other_condition(bound.reason);
    test.comparison = comparison;
    test.bound = std::move(bound.linear);
    return condition_value({std::move(test)});
}

}  // namespace

Comparison negated(Comparison comparison) noexcept {
    switch (comparison) {
        case Comparison::equal:
            return Comparison::not_equal;
        case Comparison::not_equal:
            return Comparison::equal;
        case Comparison::less:
            return Comparison::greater_equal;
        case Comparison::less_equal:
            return Comparison::greater;
        case Comparison::greater:
            return Comparison::less_equal;
        case Comparison::greater_equal:
            return Comparison::less;
    }
    return comparison;
}

Comparison mirrored(Comparison comparison) noexcept {
    switch (comparison) {
        case Comparison::less:
            return Comparison::greater;
        case Comparison::less_equal:
            return Comparison::greater_equal;
        case Comparison::greater:
            return Comparison::less;
        case Comparison::greater_equal:
            return Comparison::less_equal;
        case Comparison::equal:
        case Comparison::not_equal:
            break;
    }
    return comparison;
}

Value compare(Comparison comparison, Value left, Value right) {
    if (comparison == Comparison::equal) {
        const bool is_left = left.is_column(ColumnKind::key);
        if (is_left || right.is_column(ColumnKind::key)) {
            std::vector<KeyValue> values;
            const bool is_literal = add_key_value(values, is_left ? right : left);
            return one_of(is_left ? left : right, std::move(values), is_literal);
        }
    }
    const bool has_stock = is_of(left, ColumnKind::stock) || is_of(right, ColumnKind::stock);
    if (has_stock) {
        make_sum(left);
        make_sum(right);
    }
    const bool are_sums = left.form == Value::Form::sum && right.form == Value::Form::sum;
    if (!are_sums) return other_condition(reason_for(left, right));
    if (has_stock && (left.sign == 0 || right.sign == 0)) {
        return compare_stock(comparison, std::move(left), std::move(right));
    }
    if (left.is_constant() && right.is_constant()) {
        const bool is_true = holds(comparison, left.linear.constant, right.linear.constant);
        return is_true ? condition_value({}) : never();
    }
    return other_condition(reason_for(left, right));
}

bool add_key_value(std::vector<KeyValue>& values, const Value& value) {
    if (value.is_null()) return true;
    std::optional<KeyValue> key = key_value_of(value);
    if (!key) return false;
    values.push_back(*std::move(key));
    return true;
}

Value one_of(const Value& left, std::vector<KeyValue> values, bool are_literals) {
    if (left.is_column(ColumnKind::key) && are_literals) {
        Test test;
        test.kind = Test::Kind::key_in;
        test.column = left.column.index;
        test.values = std::move(values);
        return condition_value({std::move(test)});
    }
    if (left.is_column(ColumnKind::key)) {
        return other_condition("a key column is compared with something else than a literal");
    }
    if (is_of(left, ColumnKind::stock)) {
        return other_condition("the WHERE clause compares the stock for equality");
    }
    return other_condition(reason_for(left, left));
}

void make_condition(Value& value) {
    if (value.form == Value::Form::condition) return;
    if (value.form == Value::Form::text) make_sum(value);
    if (value.is_constant()) {
        value = value.linear.constant != 0 ? condition_value({}) : never();
    } else if (value.form == Value::Form::other) {
        value = other_condition(value.reason);
    } else {
        value = other_condition("the WHERE clause uses a value as a condition");
    }
}

// Comparisons turn round, for NULL too: neither form is true then. The rest is not needed.
void negate_condition(Value& value) {
    make_condition(value);
    if (value.tests.empty()) {
        value = never();
    } else if (value.tests.size() == 1 && value.tests.front().kind == Test::Kind::stock) {
        Test& test = value.tests.front();
        test.comparison = negated(test.comparison);
    } else {
        value = other_condition("the WHERE clause negates a condition");
    }
}

void join_and(Value& left, Value right) {
    make_condition(left);
    make_condition(right);
    for (Test& test : right.tests) left.tests.push_back(std::move(test));
}

// Alternatives of one key column are an IN list. `||` may mean concatenation, by sql_mode, and
// then it would bind its operands otherwise: no list then.
void join_or(Value& left, Value right, bool may_be_concatenation) {
    make_condition(left);
    make_condition(right);
    const auto is_key = [](const Value& value) {
        return value.tests.size() == 1 && value.tests.front().kind == Test::Kind::key_in;
    };
    if (!may_be_concatenation && is_key(left) && is_key(right) &&
        left.tests.front().column == right.tests.front().column) {
        std::vector<KeyValue>& values = left.tests.front().values;
        for (KeyValue& value : right.tests.front().values) values.push_back(std::move(value));
        return;
    }
    left = other_condition("the WHERE clause has an OR");
}

}  // namespace rewrite
