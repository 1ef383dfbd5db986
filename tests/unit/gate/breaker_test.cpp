#include "proxy/gate/breaker.hpp"

#include <gtest/gtest.h>

#include <thread>

namespace proxy {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

config::Breaker numbers() {
    config::Breaker options;
    options.failures = 3;
    options.half_open_probes = 1;
    return options;
}

void trip(Breaker& breaker) {
    for (int i = 0; i < 3; ++i) breaker.record_failure("timeout");
}

void recover(Breaker& breaker) {
    ASSERT_EQ(breaker.next_recovery_step(Clock::now() + 1h), RecoveryStep::probe);
    breaker.record_probe(true, 1ms);
    breaker.record_rebuild(true);
}

TEST(Breaker, WalksThroughARecovery) {
    int opened = 0;
    Breaker breaker(numbers(), [&opened] { ++opened; });
    EXPECT_TRUE(breaker.allow());
    trip(breaker);
    EXPECT_FALSE(breaker.allow());
    EXPECT_EQ(opened, 1);
    EXPECT_EQ(breaker.view().generation, 1U);
    EXPECT_EQ(breaker.next_recovery_step(Clock::now()), RecoveryStep::wait);
    EXPECT_EQ(breaker.next_recovery_step(Clock::now() + 1h), RecoveryStep::probe);
    EXPECT_FALSE(breaker.allow());
    breaker.record_probe(true, 1ms);
    EXPECT_FALSE(breaker.allow());
    EXPECT_EQ(breaker.view().phase, BreakerPhase::rebuilding);
    breaker.record_rebuild(true);
    EXPECT_TRUE(breaker.allow());
    EXPECT_EQ(breaker.view().generation, 2U);
    EXPECT_EQ(opened, 1);
}

TEST(Breaker, GoodCallsBreakTheRow) {
    Breaker breaker(numbers(), nullptr);
    for (int i = 0; i < 10; ++i) {
        breaker.record_failure("timeout");
        breaker.record_failure("timeout");
        breaker.record_success(1ms);
    }
    EXPECT_TRUE(breaker.allow());
    for (int i = 0; i < 3; ++i) breaker.record_success(300ms);
    EXPECT_FALSE(breaker.allow());
}

TEST(Breaker, ClearsBeforeAnybodySeesItOpen) {
    Breaker* self = nullptr;
    bool was_closed = false;
    const auto on_open = [&self, &was_closed] { was_closed = self->allow(); };
    Breaker breaker(numbers(), on_open);
    self = &breaker;
    trip(breaker);
    EXPECT_TRUE(was_closed);
    EXPECT_FALSE(breaker.allow());
}

TEST(Breaker, StatusTellsTheStory) {
    Breaker breaker(numbers(), nullptr);
    trip(breaker);
    breaker.set_mode(config::BreakerMode::closed);
    const auto status = breaker.status();
    EXPECT_EQ(status.phase, BreakerPhase::closed);
    EXPECT_EQ(status.mode, config::BreakerMode::closed);
    EXPECT_EQ(status.opened_total, 1U);
    EXPECT_EQ(status.generation, 2U);
    ASSERT_EQ(status.transitions.size(), 2U);
    EXPECT_EQ(status.last_reason, status.transitions.back().reason);
}

TEST(Breaker, HistoryIsBounded) {
    Breaker breaker(numbers(), nullptr);
    for (int i = 0; i < 200; ++i) {
        trip(breaker);
        recover(breaker);
    }
    EXPECT_EQ(breaker.status().transitions.size(), 64U);
    EXPECT_EQ(breaker.status().opened_total, 200U);
    EXPECT_EQ(breaker.view().generation, 400U);
}

// Cores report while the control context recovers. A generation must never be seen with a phase
// that it did not have: odd ones are "not closed", even ones are "closed".
TEST(Breaker, ViewIsConsistentUnderThreads) {
    Breaker breaker(numbers(), nullptr);
    std::atomic<bool> stop{false};
    std::atomic<int> torn{0};
    const auto core = [&breaker, &stop, &torn](bool failing) {
        while (!stop) {
            const auto view = breaker.view();
            const bool closed = view.phase == BreakerPhase::closed;
            if (closed != (view.generation % 2 == 0)) ++torn;
            if (failing) {
                breaker.record_failure("timeout");
            } else {
                breaker.record_success(1ms);
            }
        }
    };
    std::vector<std::thread> cores;
    for (int i = 0; i < 3; ++i) cores.emplace_back(core, i != 0);
    std::uint64_t closed_again = 0;
    while (closed_again < 50) {
        const auto step = breaker.next_recovery_step(Clock::now() + 1h);
        if (step == RecoveryStep::probe) breaker.record_probe(true, 1ms);
        if (step != RecoveryStep::rebuild) continue;
        breaker.record_rebuild(true);
        ++closed_again;
    }
    stop = true;
    for (auto& thread : cores) thread.join();
    EXPECT_EQ(torn.load(), 0);
    EXPECT_GE(breaker.status().opened_total, 50U);
}

}  // namespace
}  // namespace proxy
