// The canonical names of SKUs: one row, one name; one name, one row.

#include "proxy/ledger/sku_id.hpp"

#include <gtest/gtest.h>

#include <random>

namespace {

using proxy::gate_key;
using proxy::key_parts_of;
using proxy::KeyType;
using proxy::make_sku_id;

using Parts = std::vector<std::string>;
using Types = std::vector<KeyType>;

constexpr auto integer = KeyType::integer;
constexpr auto binary = KeyType::binary_string;
constexpr auto folded = KeyType::folded_string;

std::string id_of(const std::string& part, KeyType type) {
    return make_sku_id("t", Parts{part}, Types{type}).value_or("none");
}

TEST(SkuId, IntegersHaveOneSpelling) {
    struct Row {
        const char* text;
        const char* id;
    };
    const Row rows[] = {
        {"1001", "t:1001"}, {"007", "t:7"},   {"+7", "t:7"},
        {"-7", "t:-7"},     {"-007", "t:-7"}, {"0", "t:0"},
        {"000", "t:0"},     {"-0", "t:0"},    {"+0", "t:0"},
        {"", "none"},       {"-", "none"},    {"+", "none"},
        {"1.0", "none"},    {"1e3", "none"},  {" 1", "none"},
        {"1 ", "none"},     {"0x10", "none"}, {"--1", "none"},
        {"+-1", "none"},    {"one", "none"},  {"18446744073709551615", "t:18446744073709551615"},
    };
    for (const auto& row : rows) EXPECT_EQ(id_of(row.text, integer), row.id) << row.text;
}

TEST(SkuId, BinaryTextsKeepTheirCase) {
    EXPECT_EQ(id_of("Ab-1_2.3", binary), "t:Ab-1_2.3");
    EXPECT_NE(id_of("a", binary), id_of("A", binary));
    EXPECT_EQ(id_of("", binary), "t:");
    EXPECT_EQ(id_of("caf\xc3\xa9", binary), "t:caf%C3%A9");
    EXPECT_EQ(id_of(std::string("a\0b", 3), binary), "t:a%00b");
}

TEST(SkuId, TrailingBlanksNameTheSameRow) {
    EXPECT_EQ(id_of("A1   ", binary), "t:A1");
    EXPECT_EQ(id_of("A1   ", folded), "t:a1");
    EXPECT_EQ(id_of("   ", binary), "t:");
    EXPECT_EQ(id_of("  A", binary), "t:%20%20A");
    EXPECT_EQ(id_of("A\t", binary), "t:A%09");
}

TEST(SkuId, FoldedTextsIgnoreCaseAndAreAscii) {
    EXPECT_EQ(id_of("RED Shoe", folded), "t:red%20shoe");
    EXPECT_EQ(id_of("red shoe", folded), "t:red%20shoe");
    EXPECT_EQ(id_of("[@Z`{", folded), "t:%5B%40z%60%7B");
    EXPECT_EQ(id_of("caf\xc3\xa9", folded), "none");
    EXPECT_EQ(id_of("a\tb", folded), "none");
    EXPECT_EQ(id_of("a\x7f", folded), "none");
}

TEST(SkuId, SeparatorsInsideAPartAreEncoded) {
    EXPECT_EQ(id_of("a:b,c%d'e\"f`g\\h", binary), "t:a%3Ab%2Cc%25d%27e%22f%60g%5Ch");
    const Types two{binary, binary};
    EXPECT_NE(make_sku_id("t", {"a,b", "c"}, two), make_sku_id("t", {"a", "b,c"}, two));
    EXPECT_EQ(make_sku_id("t", {"", ""}, two), "t:,");
    EXPECT_EQ(make_sku_id("odd:t", {"1", "x"}, {integer, folded}), "odd%3At:1,x");
}

TEST(SkuId, NeedsAsManyPartsAsTypes) {
    EXPECT_FALSE(make_sku_id("t", {}, {}));
    EXPECT_FALSE(make_sku_id("t", {"1"}, {integer, integer}));
    EXPECT_FALSE(make_sku_id("t", {"1", "2"}, {integer}));
}

TEST(SkuId, IsAtMost190Bytes) {
    const std::string longest(188, 'x');
    EXPECT_EQ(id_of(longest, binary).size(), proxy::sku_id_size_max);
    EXPECT_EQ(id_of(longest + 'x', binary), "none");
    EXPECT_EQ(id_of(std::string(63, ','), binary), "none");
}

TEST(SkuId, GivesItsPartsBack) {
    EXPECT_EQ(key_parts_of("t:7,a%20b"), (Parts{"7", "a b"}));
    EXPECT_EQ(key_parts_of("t:"), (Parts{""}));
    EXPECT_EQ(key_parts_of("t:,"), (Parts{"", ""}));
    EXPECT_EQ(key_parts_of("t:%00"), (Parts{std::string(1, '\0')}));
}

TEST(SkuId, RefusesWhatIsNoId) {
    for (const char* text :
         {"",
          "t",
          "t:a b",
          "t:a'b",
          "t:%2",
          "t:%2g",
          "t:%2c",
          "t:%41",
          "t:%",
          "t:\xc3\xa9",
          "t%41:1",
          "t t:1",
          "t:1:2"}) {
        EXPECT_FALSE(key_parts_of(text)) << text;
    }
    EXPECT_FALSE(key_parts_of("t:" + std::string(189, 'x')));
}

TEST(SkuId, SurvivesTheWayThereAndBack) {
    std::mt19937 random(20240501);
    std::uniform_int_distribution<int> byte(0, 255);
    std::uniform_int_distribution<std::size_t> size(0, 20);
    for (int i = 0; i < 5000; ++i) {
        Parts parts(1 + static_cast<std::size_t>(i % 3));
        for (auto& part : parts) {
            part.resize(size(random));
            for (auto& c : part) c = static_cast<char>(byte(random));
            while (!part.empty() && part.back() == ' ') part.pop_back();
        }
        const Types types(parts.size(), binary);
        const auto id = make_sku_id("t_stock", parts, types);
        ASSERT_TRUE(id);
        EXPECT_EQ(key_parts_of(*id), parts);
        EXPECT_EQ(make_sku_id("t_stock", *key_parts_of(*id), types), id);
        for (const char c : *id) EXPECT_TRUE(c > ' ' && c <= '~' && c != '\'' && c != '\\') << *id;
    }
}

TEST(GateKey, NamesOneBucketWithoutAHashTag) {
    EXPECT_EQ(gate_key("shop", "t_stock:1001", 12), "stock:shop.t_stock:1001:12");
    EXPECT_EQ(gate_key("shop", "t:%7Bx%7D", 0).find('{'), std::string::npos);
}

}  // namespace
