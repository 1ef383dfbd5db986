#include "rewrite/value.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace rewrite_test {

namespace {

using namespace rewrite;

TEST(Value, AddsAndMultipliesExactly) {
    Value sum = param_value(1);
    add(sum, constant_value(5), true);
    multiply(sum, constant_value(-3));
    EXPECT_EQ(sum.linear, (Linear{15, {{1, -3}}, false}));
    negate(sum);
    EXPECT_EQ(sum.linear, (Linear{-15, {{1, 3}}, false}));
}

TEST(Value, KeepsParametersInOrder) {
    Value sum = param_value(3);
    add(sum, param_value(1), false);
    add(sum, param_value(2), true);
    EXPECT_EQ(sum.linear.terms, (std::vector<Linear::Term>{{1, 1}, {2, -1}, {3, 1}}));
}

TEST(Value, LimitsParameters) {
    Value sum = param_value(0);
    for (std::uint32_t param = 1; param < 100; ++param) add(sum, param_value(param), false);
    EXPECT_EQ(sum.form, Value::Form::other);
}

TEST(Value, ReportsOverflow) {
    constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();
    Value value = constant_value(least);
    negate(value);
    EXPECT_EQ(value.form, Value::Form::other);
    value = constant_value(least);
    add(value, constant_value(1), true);
    EXPECT_EQ(value.form, Value::Form::other);
    value = constant_value(least);
    multiply(value, constant_value(-1));
    EXPECT_EQ(value.form, Value::Form::other);
    value = number_value("9223372036854775808");
    EXPECT_EQ(value.form, Value::Form::huge);
    negate(value);
    EXPECT_EQ(value.linear.constant, least);
}

TEST(Value, TurnsComparisons) {
    for (const Comparison comparison :
         {Comparison::equal,
          Comparison::not_equal,
          Comparison::less,
          Comparison::less_equal,
          Comparison::greater,
          Comparison::greater_equal}) {
        EXPECT_EQ(negated(negated(comparison)), comparison);
        EXPECT_EQ(mirrored(mirrored(comparison)), comparison);
        EXPECT_NE(negated(comparison), comparison);
    }
    EXPECT_EQ(negated(Comparison::less), Comparison::greater_equal);
    EXPECT_EQ(mirrored(Comparison::less), Comparison::greater);
}

// a * stock + b compared with c, by the solved form and by arithmetic.
TEST(Value, SolvesComparisonsForTheStock) {
    const auto holds = [](Comparison comparison, std::int64_t left, std::int64_t right) {
        const Value result = compare(comparison, constant_value(left), constant_value(right));
        return result.tests.empty();
    };
    for (int kind = 0; kind < 6; ++kind) {
        for (int bits = 0; bits < 4; ++bits) {
            const auto comparison = static_cast<Comparison>(kind);
            Value left = column_value({ColumnKind::stock, 0});
            if ((bits & 1) != 0) negate(left);
            add(left, constant_value(2), false);
            Value right = constant_value(5);
            if ((bits & 2) != 0) std::swap(left, right);
            const Value solved = compare(comparison, left, right);
            ASSERT_EQ(solved.tests.size(), 1U);
            const rewrite::Test& test = solved.tests.front();
            ASSERT_EQ(test.kind, rewrite::Test::Kind::stock);
            for (std::int64_t stock = -10; stock <= 10; ++stock) {
                const std::int64_t side = (bits & 1) != 0 ? 2 - stock : stock + 2;
                const bool expected =
                    (bits & 2) != 0 ? holds(comparison, 5, side) : holds(comparison, side, 5);
                EXPECT_EQ(holds(test.comparison, stock, test.bound.constant), expected)
                    << kind << ' ' << bits << ' ' << stock;
            }
        }
    }
}

}  // namespace

}  // namespace rewrite_test
