#include "proxy/runtime/event.hpp"

#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>

namespace proxy {
namespace {

class EventTest : public ::testing::Test {
protected:
    Task<> wait_once() {
        co_await event_.wait();
        ++woken_;
    }
    Task<> wait_for(std::chrono::milliseconds timeout) {
        const bool notified = co_await event_.wait_for(timeout);
        ++woken_;
        notified_ = notified;
    }
    void start(Task<> task) { spawn(context_.get_executor(), "waiter", std::move(task)); }
    void settle() {
        context_.restart();
        context_.poll();
    }

    boost::asio::io_context context_;
    Event event_{context_.get_executor()};
    int woken_ = 0;
    bool notified_ = false;
};

TEST_F(EventTest, AWaiterGoesOnAfterANotifyAndNotWithinIt) {
    start(wait_once());
    settle();
    EXPECT_EQ(woken_, 0);
    event_.notify();
    EXPECT_EQ(woken_, 0);
    settle();
    EXPECT_EQ(woken_, 1);
}

TEST_F(EventTest, ANotifyWithoutAWaiterIsRememberedOnce) {
    event_.notify();
    event_.notify();
    start(wait_once());
    settle();
    EXPECT_EQ(woken_, 1);
    start(wait_once());
    settle();
    EXPECT_EQ(woken_, 1);
    event_.notify();
    settle();
    EXPECT_EQ(woken_, 2);
}

TEST_F(EventTest, TheLoopDoesNotEndWhileSomebodyWaits) {
    start(wait_once());
    settle();
    EXPECT_FALSE(context_.stopped());
    event_.notify();
    context_.restart();
    context_.run();
    EXPECT_EQ(woken_, 1);
}

TEST_F(EventTest, ATimeoutEndsTheWait) {
    start(wait_for(std::chrono::milliseconds{5}));
    context_.run();
    EXPECT_EQ(woken_, 1);
    EXPECT_FALSE(notified_);
}

TEST_F(EventTest, ANotifyEndsATimedWaitEarly) {
    start(wait_for(std::chrono::hours{1}));
    settle();
    event_.notify();
    context_.restart();
    context_.run();
    EXPECT_EQ(woken_, 1);
    EXPECT_TRUE(notified_);
}

TEST_F(EventTest, AnOldTimeoutDoesNotWakeALaterWaiter) {
    start(wait_for(std::chrono::milliseconds{1}));
    context_.run();
    start(wait_once());
    settle();
    EXPECT_EQ(woken_, 1);
    event_.notify();
    settle();
    EXPECT_EQ(woken_, 2);
}

}  // namespace
}  // namespace proxy
