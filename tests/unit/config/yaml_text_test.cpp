#include "config/yaml_text.hpp"

#include <gtest/gtest.h>

#include <string>

namespace config {
namespace {

TEST(yaml_text, measures_utf8) {
    EXPECT_EQ(utf8_length("a"), 1U);
    EXPECT_EQ(utf8_length("\xc3\xa9x"), 2U);
    EXPECT_EQ(utf8_length("\xe2\x82\xac"), 3U);
    EXPECT_EQ(utf8_length("\xf0\x9f\x98\x80"), 4U);
    EXPECT_EQ(utf8_length("\xf4\x8f\xbf\xbf"), 4U);
    EXPECT_TRUE(is_utf8(""));
    EXPECT_TRUE(is_utf8("a\xc3\xa9x"));
    EXPECT_FALSE(is_utf8("a\xc3"));
}

TEST(yaml_text, refuses_what_is_not_utf8) {
    for (const std::string text :
         {"",
          "\x80",
          "\xc3",
          "\xc3(",
          "\xc0\x80",
          "\xc1\xbf",
          "\xe0\x80\x80",
          "\xed\xa0\x80",
          "\xf0\x80\x80\x80",
          "\xf4\x90\x80\x80",
          "\xf5\x80\x80\x80",
          "\xff"}) {
        EXPECT_EQ(utf8_length(text), 0U) << ::testing::PrintToString(text);
    }
}

TEST(yaml_text, finds_the_line_of_a_forbidden_byte) {
    EXPECT_EQ(find_text_fault("a: 1\n\tb: %x\r\n").wrong, "");
    EXPECT_EQ(find_text_fault(std::string_view("a\n\0", 3)).line, 2);
    EXPECT_EQ(find_text_fault("\n\n\x7f").line, 3);
    EXPECT_EQ(find_text_fault("a\n%TAG").line, 2);
    EXPECT_EQ(find_text_fault("\xe2\x82").wrong, "is not valid UTF-8");
}

TEST(yaml_text, knows_whether_a_quote_ends) {
    EXPECT_FALSE(quote_is_open("a: \"b\"", 0, 3));
    EXPECT_FALSE(quote_is_open("\n  'b''c'", 1, 2));
    EXPECT_FALSE(quote_is_open("a: b", 0, 3));
    EXPECT_FALSE(quote_is_open("a", 7, 3));
    EXPECT_TRUE(quote_is_open("a: \"b", 0, 3));
    EXPECT_TRUE(quote_is_open("a: \"b\\\"", 0, 3));
    EXPECT_TRUE(quote_is_open("a: 'b''", 0, 3));
    EXPECT_TRUE(quote_is_open("a: 'b\\", 0, 3));
}

TEST(yaml_text, shows_texts_in_bounds) {
    EXPECT_EQ(shown("a\n\x1b[0m\xff"), "'a??[0m\xff'");
    EXPECT_EQ(shown(std::string(100, 'a')), "'" + std::string(49, 'a') + "...'");
}

}  // namespace
}  // namespace config
