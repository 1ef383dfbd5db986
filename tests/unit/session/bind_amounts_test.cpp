// Amounts and guards of a recognised update, from literals and from every kind of parameter.
#include "proxy/session/bind.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace proxy {
namespace {

using protocol::ParamValue;
using rewrite::Linear;

constexpr std::int64_t int_max = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t int_min = std::numeric_limits<std::int64_t>::min();
constexpr double two_to_53 = 9007199254740992.0;

ParamValue value_of(ParamValue::Kind kind) {
    ParamValue value{};
    value.kind = kind;
    return value;
}

ParamValue integer(std::int64_t number) {
    ParamValue value = value_of(ParamValue::Kind::signed_integer);
    value.integer = number;
    return value;
}

ParamValue natural(std::uint64_t number) {
    ParamValue value = value_of(ParamValue::Kind::unsigned_integer);
    value.integer = static_cast<std::int64_t>(number);
    return value;
}

ParamValue text(std::string_view characters) {
    ParamValue value = value_of(ParamValue::Kind::text);
    value.text = characters;
    return value;
}

ParamValue real(double number) {
    ParamValue value = value_of(ParamValue::Kind::real);
    value.real = number;
    return value;
}

ParamValue null() {
    return value_of(ParamValue::Kind::null);
}

Linear constant(std::int64_t number) {
    Linear linear;
    linear.constant = number;
    return linear;
}

Linear times(std::int64_t factor, std::uint32_t param = 0, std::int64_t number = 0) {
    Linear linear = constant(number);
    linear.terms.push_back({param, factor});
    return linear;
}

Linear null_literal() {
    Linear linear;
    linear.has_null = true;
    return linear;
}

using Result = std::variant<BoundUpdate, BindProblem>;

Result bind(
    Linear delta, std::optional<Linear> minimum = {}, const std::vector<ParamValue>& params = {}
) {
    rewrite::HotUpdate update;
    update.delta = std::move(delta);
    update.minimum = std::move(minimum);
    return bind_amounts(update, params);
}

// The delta of `stock = stock - ?`, or the problem.
std::string deducted(const ParamValue& param) {
    const auto result = bind(times(-1), {}, {param});
    if (const auto* bound = std::get_if<BoundUpdate>(&result)) return std::to_string(bound->delta);
    switch (std::get<BindProblem>(result)) {
        case BindProblem::null_amount:
            return "null_amount";
        case BindProblem::null_guard:
            return "null_guard";
        case BindProblem::not_integer:
            return "not_integer";
        case BindProblem::out_of_range:
            return "out_of_range";
        case BindProblem::guarded_return:
            return "guarded_return";
        case BindProblem::null_key:
            return "null_key";
        case BindProblem::unclear_key:
            return "unclear_key";
    }
    return "?";
}

TEST(BindAmounts, TakesLiterals) {
    const auto unguarded = std::get<BoundUpdate>(bind(constant(-3)));
    EXPECT_EQ(unguarded.delta, -3);
    EXPECT_EQ(unguarded.minimum, std::nullopt);
    const auto guarded = std::get<BoundUpdate>(bind(constant(-3), constant(10)));
    EXPECT_EQ(guarded.delta, -3);
    EXPECT_EQ(guarded.minimum, 10);
    EXPECT_EQ(std::get<BoundUpdate>(bind(constant(0))).delta, 0);
    EXPECT_EQ(std::get<BoundUpdate>(bind(constant(int_max))).delta, int_max);
    EXPECT_EQ(std::get<BoundUpdate>(bind(constant(-1), constant(int_min))).minimum, int_min);
}

TEST(BindAmounts, TakesParameters) {
    struct Row {
        ParamValue param;
        std::string delta;
    };
    const Row rows[] = {
        {integer(2), "-2"},
        {integer(-2), "2"},
        {integer(0), "0"},
        {integer(int_max), "-9223372036854775807"},
        {integer(int_min), "out_of_range"},
        {natural(2), "-2"},
        {natural(static_cast<std::uint64_t>(int_max)), "-9223372036854775807"},
        {natural(static_cast<std::uint64_t>(int_max) + 1), "out_of_range"},
        {natural(std::numeric_limits<std::uint64_t>::max()), "out_of_range"},
        {real(2.0), "-2"},
        {real(-0.0), "0"},
        {real(2.5), "not_integer"},
        {real(1e-300), "not_integer"},
        {real(two_to_53), "-9007199254740992"},
        {real(-two_to_53), "9007199254740992"},
        {real(two_to_53 + 2), "out_of_range"},
        {real(std::numeric_limits<double>::infinity()), "out_of_range"},
        {real(std::numeric_limits<double>::quiet_NaN()), "not_integer"},
        {null(), "null_amount"},
        {value_of(ParamValue::Kind::other), "not_integer"},
    };
    for (const auto& row : rows) {
        EXPECT_EQ(deducted(row.param), row.delta) << row.param.integer << ' ' << row.param.real;
    }
}

TEST(BindAmounts, TakesQuotedNumbers) {
    struct Row {
        std::string_view text;
        std::string_view delta;
    };
    constexpr Row rows[] = {
        {"2", "-2"},
        {"-2", "2"},
        {"+2", "-2"},
        {"0002", "-2"},
        {"2.", "-2"},
        {"2.00", "-2"},
        {"-2.0", "2"},
        {" 2 ", "-2"},
        {"9223372036854775807", "-9223372036854775807"},
        {"9223372036854775807.000", "-9223372036854775807"},
        {"9223372036854775808", "out_of_range"},
        {"-9223372036854775809", "out_of_range"},
        {"99999999999999999999999", "out_of_range"},
        {"2.5", "not_integer"},
        {"2.001", "not_integer"},
        {"2.0x", "not_integer"},
        {"2.0.0", "not_integer"},
        {"", "not_integer"},
        {" ", "not_integer"},
        {".", "not_integer"},
        {".0", "not_integer"},
        {"-", "not_integer"},
        {"+", "not_integer"},
        {"--2", "not_integer"},
        {"- 2", "not_integer"},
        {"2 3", "not_integer"},
        {"2e1", "not_integer"},
        {"0x2", "not_integer"},
        {"two", "not_integer"},
        {"2\t", "not_integer"},
    };
    for (const auto& row : rows) EXPECT_EQ(deducted(text(row.text)), row.delta) << row.text;
}

// The server reads '+-2' as zero, with a warning or an error: it is no whole number. Waits for
// whole_number() to take one sign only.
TEST(BindAmounts, TakesOneSignOnly) {
    EXPECT_EQ(deducted(text("+-2")), "not_integer");
}

TEST(BindAmounts, AddsUpTerms) {
    Linear sum = times(-2, 0, 5);
    sum.terms.push_back({1, 3});
    const auto bound = std::get<BoundUpdate>(bind(sum, {}, {integer(10), text("4.0")}));
    EXPECT_EQ(bound.delta, 5 - 20 + 12);
}

TEST(BindAmounts, SeesEveryOverflow) {
    const Result product = bind(times(2), {}, {integer(int_max)});
    EXPECT_EQ(std::get<BindProblem>(product), BindProblem::out_of_range);
    const Result sum = bind(times(1, 0, 1), {}, {integer(int_max)});
    EXPECT_EQ(std::get<BindProblem>(sum), BindProblem::out_of_range);
    const Result difference = bind(times(-1, 0, int_min), {}, {integer(1)});
    EXPECT_EQ(std::get<BindProblem>(difference), BindProblem::out_of_range);
    // Its units could not be told: the negative of this number does not exist.
    EXPECT_EQ(std::get<BindProblem>(bind(constant(int_min))), BindProblem::out_of_range);
    const Result guard = bind(constant(-1), times(2), {integer(int_max)});
    EXPECT_EQ(std::get<BindProblem>(guard), BindProblem::out_of_range);
}

TEST(BindAmounts, TellsNullAmountsFromNullGuards) {
    EXPECT_EQ(std::get<BindProblem>(bind(null_literal())), BindProblem::null_amount);
    EXPECT_EQ(std::get<BindProblem>(bind(constant(-1), null_literal())), BindProblem::null_guard);
    EXPECT_EQ(
        std::get<BindProblem>(bind(constant(-1), times(1), {null()})), BindProblem::null_guard
    );
    // No row matches a NULL guard, so what the amount would have been does not matter.
    EXPECT_EQ(std::get<BindProblem>(bind(times(-1), times(1), {null()})), BindProblem::null_guard);
    EXPECT_EQ(
        std::get<BindProblem>(bind(times(-1, 1), times(1), {integer(1), null()})),
        BindProblem::null_amount
    );
}

TEST(BindAmounts, SaysWhatIsWrongWithAGuard) {
    EXPECT_EQ(
        std::get<BindProblem>(bind(constant(-1), times(1), {text("2.5")})), BindProblem::not_integer
    );
    EXPECT_EQ(
        std::get<BindProblem>(bind(constant(-1), times(1), {natural(1ULL << 63)})),
        BindProblem::out_of_range
    );
}

TEST(BindAmounts, RefusesAParameterThatWasNotSent) {
    EXPECT_EQ(
        std::get<BindProblem>(bind(times(-1, 1), {}, {integer(1)})), BindProblem::not_integer
    );
    EXPECT_EQ(std::get<BindProblem>(bind(times(-1))), BindProblem::not_integer);
}

}  // namespace
}  // namespace proxy
