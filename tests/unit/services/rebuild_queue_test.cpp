#include "proxy/services/rebuild_queue.hpp"

#include <gtest/gtest.h>

namespace proxy {
namespace {

using std::chrono::milliseconds;

class RebuildQueueTest : public testing::Test {
protected:
    RebuildQueue::TimePoint at(int ms) const { return start_ + milliseconds{ms}; }

    RebuildQueue queue_{milliseconds{50}, milliseconds{100}, milliseconds{1000}};
    RebuildQueue::TimePoint start_ = RebuildQueue::TimePoint{} + std::chrono::hours{1};
};

TEST_F(RebuildQueueTest, ABucketMarkedOftenIsTakenOnce) {
    for (int i = 0; i < 5; ++i) queue_.mark("a", at(i));
    queue_.mark("b", at(9));
    EXPECT_EQ(queue_.waiting(), 2U);
    EXPECT_EQ(queue_.oldest_ms(at(20)), 20U);
    EXPECT_EQ(queue_.take(at(20)), "a");
    EXPECT_EQ(queue_.take(at(20)), "b");
    EXPECT_EQ(queue_.take(at(20)), std::nullopt);
    EXPECT_EQ(queue_.oldest_ms(at(20)), 0U);
    EXPECT_EQ(queue_.next_due(), std::nullopt);
}

TEST_F(RebuildQueueTest, AMarkDuringTheRebuildAsksForOneMore) {
    queue_.mark("a", at(0));
    ASSERT_EQ(queue_.take(at(0)), "a");
    queue_.mark("a", at(1));
    queue_.mark("a", at(2));
    EXPECT_EQ(queue_.take(at(500)), std::nullopt) << "never two at a time";
    queue_.done("a", true, at(10));
    EXPECT_EQ(queue_.next_due(), at(60));
    EXPECT_EQ(queue_.take(at(59)), std::nullopt);
    EXPECT_EQ(queue_.take(at(60)), "a");
    queue_.done("a", true, at(61));
    EXPECT_EQ(queue_.waiting(), 0U);
}

TEST_F(RebuildQueueTest, AtMostOnePerInterval) {
    queue_.mark("a", at(0));
    ASSERT_EQ(queue_.take(at(0)), "a");
    queue_.done("a", true, at(5));
    queue_.mark("a", at(6));
    EXPECT_EQ(queue_.take(at(54)), std::nullopt);
    EXPECT_EQ(queue_.take(at(55)), "a");
}

TEST_F(RebuildQueueTest, AFailureComesBackWithAGrowingPause) {
    queue_.mark("a", at(0));
    int now = 0;
    for (const int pause : {100, 200, 400, 800, 1000, 1000}) {
        ASSERT_EQ(queue_.take(at(now)), "a") << pause;
        queue_.done("a", false, at(now));
        EXPECT_EQ(queue_.next_due(), at(now + pause));
        now += pause;
    }
    ASSERT_EQ(queue_.take(at(now)), "a");
    queue_.done("a", true, at(now));
    queue_.mark("a", at(now));
    ASSERT_EQ(queue_.take(at(now + 50)), "a");
    queue_.done("a", false, at(now + 50));
    EXPECT_EQ(queue_.next_due(), at(now + 150)) << "success starts the pauses anew";
}

TEST_F(RebuildQueueTest, AFailureIsNeverLostToAMark) {
    queue_.mark("a", at(0));
    ASSERT_EQ(queue_.take(at(0)), "a");
    queue_.mark("a", at(1));
    queue_.done("a", false, at(2));
    EXPECT_EQ(queue_.waiting(), 1U);
    EXPECT_EQ(queue_.take(at(102)), "a");
    queue_.done("a", true, at(103));
    EXPECT_EQ(queue_.waiting(), 0U);
}

TEST_F(RebuildQueueTest, AForgottenBucketIsNewWhenItIsMarkedAgain) {
    queue_.mark("a", at(0));
    ASSERT_EQ(queue_.take(at(0)), "a");
    queue_.forget("a");
    queue_.mark("a", at(1));
    EXPECT_EQ(queue_.take(at(1)), "a");
    queue_.done("a", false, at(1));
    queue_.forget("a");
    EXPECT_EQ(queue_.waiting(), 0U);
    EXPECT_EQ(queue_.take(at(5000)), std::nullopt);
    queue_.forget("never seen");
}

}  // namespace
}  // namespace proxy
