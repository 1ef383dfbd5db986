#include "proxy/services/proxy_watch.hpp"

#include <gtest/gtest.h>

namespace proxy {
namespace {

using std::chrono::seconds;
using Rows = std::vector<ProxyRow>;

class ProxyWatchTest : public testing::Test {
protected:
    Rows at(int second, const Rows& rows) { return watch_.observe(rows, start_ + seconds{second}); }

    ProxyWatch watch_{seconds{10}, seconds{3}};
    ProxyWatch::TimePoint start_ = ProxyWatch::TimePoint{} + seconds{1000};
};

TEST_F(ProxyWatchTest, ARowThatStandsStillForTheLimitIsDead) {
    const Rows rows{{1, "12:00:00"}};
    for (int second = 0; second < 10; ++second) EXPECT_EQ(at(second, rows), Rows{}) << second;
    EXPECT_EQ(at(10, rows), rows);
    // Until it is gone, also if the first claim failed.
    EXPECT_EQ(at(11, rows), rows);
    EXPECT_EQ(at(12, {}), Rows{});
}

TEST_F(ProxyWatchTest, ATouchedRowLives) {
    for (int second = 0; second < 30; ++second) {
        const Rows rows{{1, std::to_string(second / 9)}, {2, "still"}};
        const auto dead = at(second, rows);
        EXPECT_EQ(dead, second < 10 ? Rows{} : (Rows{{2, "still"}})) << second;
    }
}

TEST_F(ProxyWatchTest, WhatWasNotWatchedIsWatchedAnew) {
    const Rows rows{{1, "12:00:00"}};
    for (int second = 0; second < 9; ++second) EXPECT_EQ(at(second, rows), Rows{});
    // The database was away for all; when it is back the others need a moment too.
    EXPECT_EQ(at(100, rows), Rows{});
    for (int second = 101; second < 110; ++second) EXPECT_EQ(at(second, rows), Rows{}) << second;
    EXPECT_EQ(at(110, rows), rows);
}

TEST_F(ProxyWatchTest, AnOldStampAloneIsNoProof) {
    // First seen now, whatever its clock says.
    EXPECT_EQ(at(0, {{1, "1999-01-01"}}), Rows{});
}

TEST_F(ProxyWatchTest, ARowThatWentAndCameBackIsNew) {
    const Rows rows{{1, "12:00:00"}};
    for (int second = 0; second < 9; ++second) EXPECT_EQ(at(second, rows), Rows{});
    EXPECT_EQ(at(9, {}), Rows{});
    EXPECT_EQ(at(10, rows), Rows{});
    EXPECT_EQ(at(11, rows), Rows{});
}

}  // namespace
}  // namespace proxy
