#include "config/spelling.hpp"

#include <gtest/gtest.h>

#include <array>

namespace config {
namespace {

constexpr std::array<std::string_view, 4> words = {"address", "timeout_ms", "user", "key"};

TEST(spelling, finds_the_word_that_was_meant) {
    EXPECT_EQ(nearest("adress", words), "address");
    EXPECT_EQ(nearest("timeout", words), "timeout_ms");
    EXPECT_EQ(nearest("timeout_msec", words), "timeout_ms");
    EXPECT_EQ(nearest("usr", words), "user");
}

TEST(spelling, does_not_guess_wildly) {
    EXPECT_EQ(nearest("", words), std::nullopt);
    EXPECT_EQ(nearest("zzz", words), std::nullopt);
    EXPECT_EQ(nearest("password", words), std::nullopt);
    EXPECT_EQ(nearest("on", std::array<std::string_view, 1>{"off"}), std::nullopt);
    EXPECT_EQ(nearest(std::string(1000, 'a'), words), std::nullopt);
    EXPECT_EQ(suggestion("zzz", words), "Use one of address, timeout_ms, user, key");
}

}  // namespace
}  // namespace config
