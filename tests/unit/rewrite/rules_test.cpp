#include "rewrite/rules.hpp"

#include <gtest/gtest.h>

#include <string>

namespace rewrite_test {

namespace {

using rewrite::ManagedTable;
using rewrite::MentionScanner;
using rewrite::Rules;

ManagedTable table(std::string schema, std::string name) {
    return {std::move(schema), std::move(name), {"id"}, "stock", std::nullopt, {}};
}

Rules some_rules() {
    return Rules(
        {table("shop", "t_stock"),
         table("Shop2", "T_Stock"),
         table("shop", "ab"),
         table("shop", "a_very_long_table_name_that_is_managed_too")}
    );
}

TEST(Rules, FindsByNameInAnyCase) {
    const Rules rules = some_rules();
    EXPECT_EQ(rules.find("shop", "t_stock"), 0U);
    EXPECT_EQ(rules.find("SHOP", "T_STOCK"), 0U);
    EXPECT_EQ(rules.find("shop2", "t_stock"), 1U);
    EXPECT_EQ(rules.find("", "t_stock"), 0U);
    EXPECT_EQ(rules.find("", "AB"), 2U);
    EXPECT_EQ(rules.find("other", "t_stock"), std::nullopt);
    EXPECT_EQ(rules.find("shop", "t_stoc"), std::nullopt);
    EXPECT_EQ(rules.find("shop", ""), std::nullopt);
    EXPECT_EQ(Rules().find("", "t_stock"), std::nullopt);
}

TEST(Rules, SeesNamesAnywhere) {
    const Rules rules = some_rules();
    for (const std::string_view text :
         {"t_stock",
          "T_STOCK",
          "xt_stockx",
          "select 'T_stock'",
          "/*t_stock*/",
          "ab",
          "xAb",
          "t_stocab",
          "t_t_stock",
          "A_VERY_LONG_TABLE_NAME_THAT_IS_MANAGED_TOO"}) {
        EXPECT_TRUE(rules.mentioned_in(text)) << text;
    }
    for (const std::string_view text : {"", "a", "t_stoc", "t_stoc k", "t-stock", "_stock", "ba"}) {
        EXPECT_FALSE(rules.mentioned_in(text)) << text;
    }
    EXPECT_FALSE(Rules().mentioned_in("t_stock"));
    EXPECT_FALSE(Rules({table("shop", "")}).mentioned_in("t_stock"));
    EXPECT_TRUE(Rules({table("shop", "\xe5\xba\x93")}).mentioned_in("from \xe5\xba\x93"));
    EXPECT_TRUE(Rules({table("shop", std::string(300, 'x'))}).mentioned_in(std::string(300, 'X')));
    EXPECT_FALSE(Rules({table("shop", std::string(300, 'x'))}).mentioned_in(std::string(299, 'X')));
}

// Against the plain definition, at every place of a text.
TEST(Rules, SeesNamesAtEveryPlace) {
    const Rules rules = some_rules();
    for (const std::string_view name : {"t_stock", "ab"}) {
        for (std::size_t before = 0; before < 60; ++before) {
            const std::string text = std::string(before, 't') + std::string(name) + "t_";
            EXPECT_TRUE(rules.mentioned_in(text)) << text;
            EXPECT_FALSE(rules.mentioned_in(text.substr(0, before + name.size() - 1))) << text;
        }
    }
}

TEST(MentionScanner, SeesNamesCutAnywhere) {
    const Rules rules = some_rules();
    const std::string with = "update shop . T_stock set x = 1";
    const std::string without = "update shop . T_stoc k set x = 1 t_stoc";
    for (const std::string& text : {with, without}) {
        for (std::size_t first = 0; first <= text.size(); ++first) {
            for (std::size_t second = first; second <= text.size(); ++second) {
                MentionScanner scanner(rules);
                bool seen = scanner.feed(text.substr(0, first));
                seen = scanner.feed(text.substr(first, second - first));
                seen = scanner.feed(text.substr(second));
                EXPECT_EQ(seen, text == with) << text << " cut at " << first << ", " << second;
            }
        }
    }
}

TEST(MentionScanner, SeesNamesByteByByte) {
    const Rules rules = some_rules();
    MentionScanner scanner(rules);
    const std::string text = "xxt_stt_stock yy";
    for (std::size_t i = 0; i < text.size(); ++i) {
        EXPECT_EQ(scanner.feed(text.substr(i, 1)), i >= text.find("k yy")) << i;
    }
    EXPECT_TRUE(scanner.feed(""));
    MentionScanner none{rules};
    EXPECT_FALSE(none.feed(""));
}

TEST(MentionScanner, KeepsNothingWithoutRules) {
    const Rules rules;
    MentionScanner scanner(rules);
    EXPECT_FALSE(scanner.feed("t_stock"));
}

TEST(MentionScanner, WorksWithOneByteNames) {
    const Rules rules({table("shop", "q")});
    MentionScanner scanner(rules);
    EXPECT_FALSE(scanner.feed("abc"));
    EXPECT_TRUE(scanner.feed("Q"));
}

}  // namespace

}  // namespace rewrite_test
