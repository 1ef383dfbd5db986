// Key values of a recognised update, by the type of their column. What is only probably the same
// row must be said, not guessed: another row's stock would be booked.
#include "proxy/session/bind.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace proxy {
namespace {

using protocol::ParamValue;
using rewrite::KeyValue;

ParamValue param_of(ParamValue::Kind kind, std::int64_t integer = 0) {
    ParamValue value{};
    value.kind = kind;
    value.integer = integer;
    return value;
}

ParamValue text_param(std::string_view text) {
    ParamValue value = param_of(ParamValue::Kind::text);
    value.text = text;
    return value;
}

ParamValue real_param(double real) {
    ParamValue value = param_of(ParamValue::Kind::real);
    value.real = real;
    return value;
}

KeyValue number(std::string text) {
    KeyValue value;
    value.text = std::move(text);
    return value;
}

KeyValue quoted(std::string text) {
    KeyValue value;
    value.kind = KeyValue::Kind::string;
    value.text = std::move(text);
    return value;
}

KeyValue param(std::uint32_t index = 0) {
    KeyValue value;
    value.kind = KeyValue::Kind::param;
    value.param = index;
    return value;
}

TableInfo table_with(std::string_view types) {
    TableInfo table;
    table.schema = "shop";
    table.table = "t_stock";
    for (const char type : types) table.key_types.push_back(static_cast<KeyType>(type));
    return table;
}

std::string bound(
    std::string_view types,
    const std::vector<KeyValue>& key,
    const std::vector<ParamValue>& params = {}
) {
    const auto result = bind_key(key, params, table_with(types));
    if (const auto* sku_id = std::get_if<std::string>(&result)) return *sku_id;
    const auto problem = std::get<BindProblem>(result);
    if (problem == BindProblem::null_key) return "null_key";
    return problem == BindProblem::unclear_key ? "unclear_key" : "another problem";
}

struct Row {
    std::string_view types;
    KeyValue key;
    std::string_view sku_id;
};

TEST(BindKey, TakesLiterals) {
    const Row rows[] = {
        {"i", number("1001"), "t_stock:1001"},
        {"i", number("-7"), "t_stock:-7"},
        {"i", number("007"), "t_stock:7"},
        {"i", number("18446744073709551615"), "t_stock:18446744073709551615"},
        {"i", quoted("1001"), "t_stock:1001"},
        {"i", quoted("007"), "t_stock:7"},
        {"i", quoted("+7"), "t_stock:7"},
        {"i", quoted("7.00"), "t_stock:7"},
        {"i", quoted(" 7 "), "t_stock:7"},
        {"i", quoted("7.5"), "unclear_key"},
        {"i", quoted("7x"), "unclear_key"},
        {"i", quoted(""), "unclear_key"},
        {"i", quoted("99999999999999999999"), "unclear_key"},
        {"b", quoted("A1"), "t_stock:A1"},
        {"b", quoted("a1"), "t_stock:a1"},
        {"b", quoted("A1  "), "t_stock:A1"},
        {"b", quoted("a b'"), "t_stock:a%20b%27"},
        {"b", quoted("\xC3\xA4"), "t_stock:%C3%A4"},
        {"b", quoted("007"), "t_stock:007"},
        // A number against a string column compares as floating point: it may match '7', '07'...
        {"b", number("7"), "unclear_key"},
        {"f", quoted("A1"), "t_stock:a1"},
        {"f", quoted("a1 "), "t_stock:a1"},
        {"f", quoted("\xC3\xA4"), "unclear_key"},
        {"f", quoted(std::string{"a\0", 2}), "unclear_key"},
        {"f", number("7"), "unclear_key"},
    };
    for (const auto& row : rows) {
        EXPECT_EQ(bound(row.types, {row.key}), row.sku_id) << row.types << ' ' << row.key.text;
    }
}

struct ParamRow {
    std::string_view types;
    ParamValue value;
    std::string_view sku_id;
};

TEST(BindKey, TakesParameters) {
    using Kind = ParamValue::Kind;
    const ParamRow rows[] = {
        {"i", param_of(Kind::signed_integer, 1001), "t_stock:1001"},
        {"i", param_of(Kind::signed_integer, -7), "t_stock:-7"},
        {"i",
         param_of(Kind::signed_integer, std::numeric_limits<std::int64_t>::min()),
         "t_stock:-9223372036854775808"},
        {"i", param_of(Kind::unsigned_integer, 1001), "t_stock:1001"},
        {"i", param_of(Kind::unsigned_integer, -1), "t_stock:18446744073709551615"},
        {"i", text_param("1001"), "t_stock:1001"},
        {"i", text_param("007.0"), "t_stock:7"},
        {"i", text_param("seven"), "unclear_key"},
        {"i", real_param(7.0), "t_stock:7"},
        {"i", real_param(7.5), "unclear_key"},
        {"i", real_param(1e18), "unclear_key"},
        {"i", param_of(Kind::null), "null_key"},
        {"i", param_of(Kind::other), "unclear_key"},
        {"b", text_param("A1 "), "t_stock:A1"},
        {"b", param_of(Kind::signed_integer, 7), "unclear_key"},
        {"b", param_of(Kind::unsigned_integer, 7), "unclear_key"},
        {"b", real_param(7.0), "unclear_key"},
        {"b", param_of(Kind::null), "null_key"},
        {"b", param_of(Kind::other), "unclear_key"},
        {"f", text_param("A1 "), "t_stock:a1"},
        {"f", text_param("\xC3\xA4"), "unclear_key"},
        {"f", param_of(Kind::signed_integer, 7), "unclear_key"},
        {"f", param_of(Kind::null), "null_key"},
    };
    for (const auto& row : rows) {
        EXPECT_EQ(bound(row.types, {param()}, {row.value}), row.sku_id)
            << row.types << ' ' << row.value.integer << ' ' << row.value.text;
    }
}

TEST(BindKey, TakesSeveralColumnsInOrder) {
    EXPECT_EQ(bound("ib", {number("3"), quoted("A1")}), "t_stock:3,A1");
    // A comma in a value is not the comma between values.
    EXPECT_EQ(bound("bb", {quoted("a,b"), quoted("c")}), "t_stock:a%2Cb,c");
    const auto seven = param_of(ParamValue::Kind::signed_integer, 7);
    EXPECT_EQ(bound("fi", {param(1), param(0)}, {seven, text_param("X")}), "t_stock:x,7");
    const auto null = param_of(ParamValue::Kind::null);
    EXPECT_EQ(bound("ii", {number("3"), param()}, {null}), "null_key");
}

TEST(BindKey, RefusesWhatDoesNotFitTheColumns) {
    EXPECT_EQ(bound("ib", {number("3")}), "unclear_key");
    EXPECT_EQ(bound("i", {number("3"), number("4")}), "unclear_key");
    EXPECT_EQ(bound("", {}), "unclear_key");
    EXPECT_EQ(
        bound("i", {param(1)}, {param_of(ParamValue::Kind::signed_integer, 7)}), "unclear_key"
    );
}

TEST(BindKey, RefusesAnIdThatWouldBeTooLong) {
    const std::size_t room = sku_id_size_max - std::string_view{"t_stock:"}.size();
    const std::string longest(room, 'x');
    EXPECT_EQ(bound("b", {quoted(longest)}), "t_stock:" + longest);
    EXPECT_EQ(bound("b", {quoted(longest + 'x')}), "unclear_key");
    // Trailing blanks go before it is measured; other bytes count threefold.
    EXPECT_EQ(bound("b", {quoted(longest + "   ")}), "t_stock:" + longest);
    EXPECT_EQ(bound("b", {quoted(std::string(room / 3, '!'))}).size(), 8 + room / 3 * 3);
    EXPECT_EQ(bound("b", {quoted(std::string(room / 3 + 1, '!'))}), "unclear_key");
    EXPECT_EQ(
        bound("bb", {quoted(std::string(room - 2, 'x')), quoted("y")}).size(), sku_id_size_max
    );
    EXPECT_EQ(bound("bb", {quoted(std::string(room - 1, 'x')), quoted("y")}), "unclear_key");
}

}  // namespace
}  // namespace proxy
