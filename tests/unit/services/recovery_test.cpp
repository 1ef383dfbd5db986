// Recovery with the real breaker, a scripted Redis and an empty registry (so that a rebuild of all
// asks no database). The breaker's windows are zero: nothing here waits for a clock.
#include "proxy/services/recovery.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>

namespace proxy {
namespace {

class ScriptedRedis final : public GateMaintenance {
public:
    std::vector<bool> answers;  // of the pings, the last one for ever
    std::size_t pings = 0;
    std::vector<BreakerPhase> phases;  // in which each ping came
    const Breaker* breaker = nullptr;

    Task<bool> read(const std::string&, BucketState&) override { co_return false; }
    Task<bool> rebuild(const std::string&, std::int64_t, const std::vector<RequestId>&) override {
        co_return false;
    }
    Task<bool> remove(const std::string&) override { co_return false; }
    Task<bool> ping() override {
        phases.push_back(breaker->view().phase);
        const std::size_t at = std::min(pings++, answers.size() - 1);
        co_return answers[at];
    }
};

config::Breaker options() {
    config::Breaker options;
    options.open = std::chrono::milliseconds{0};
    options.open_max = std::chrono::milliseconds{0};
    options.failures = 2;
    options.half_open_probes = 3;
    options.slow_call = std::chrono::minutes{1};
    return options;
}

RebuildHooks no_skus(ScriptedRedis& redis) {
    RebuildHooks hooks;
    hooks.gates = [&redis] { return std::vector<GateMaintenance*>{&redis}; };
    hooks.live = [](std::string, std::vector<RequestId>) -> Task<std::vector<bool>> {
        co_return std::vector<bool>{};
    };
    hooks.registry = [] { return std::make_shared<Registry>(); };
    return hooks;
}

class RecoveryTest : public testing::Test {
protected:
    RecoveryTest() { redis_.breaker = &breaker_; }

    // Runs until Recovery has nothing left that is due.
    void run_until(BreakerPhase phase) {
        recovery_.start();
        for (int i = 0; i < 10'000 && breaker_.view().phase != phase; ++i) context_.run_one();
        recovery_.stop();
        context_.restart();
        context_.run();
        EXPECT_FALSE(recovery_.running());
    }

    bool begin() {
        bool result = false;
        auto task = begin_into(result);
        boost::asio::co_spawn(context_, std::move(task), boost::asio::detached);
        context_.run();
        context_.restart();
        return result;
    }

    Task<> begin_into(bool& result) { result = co_await recovery_.begin(); }

    boost::asio::io_context context_;
    ScriptedRedis redis_;
    Breaker breaker_{options(), [] {}};
    SqlPool pool_{context_.get_executor(), SqlAccount{}, 1};
    Rebuilder rebuilder_{context_.get_executor(), pool_, 1, no_skus(redis_), RebuildLimits{}};
    Recovery recovery_{
        context_.get_executor(), breaker_, redis_, rebuilder_, std::chrono::milliseconds{1}};
};

TEST_F(RecoveryTest, BeginsClosedWhenRedisAnswers) {
    redis_.answers = {true};
    EXPECT_TRUE(begin());
    EXPECT_TRUE(breaker_.allow());
    EXPECT_EQ(recovery_.status().rebuilds, 1U);
}

TEST_F(RecoveryTest, BeginsOpenWhenItDoesNot) {
    redis_.answers = {false};
    EXPECT_FALSE(begin());
    EXPECT_FALSE(breaker_.allow());
    EXPECT_EQ(recovery_.status().rebuilds, 0U);
}

TEST_F(RecoveryTest, AModeThatHoldsItClosedWins) {
    breaker_.set_mode(config::BreakerMode::closed);
    redis_.answers = {false};
    EXPECT_FALSE(begin());
    EXPECT_TRUE(breaker_.allow());
}

TEST_F(RecoveryTest, ClosesAfterCleanProbesInARowAndARebuild) {
    breaker_.record_failure("test");
    breaker_.record_failure("test");
    ASSERT_FALSE(breaker_.allow());
    redis_.answers = {true, true, false, true, true, true};
    run_until(BreakerPhase::closed);
    EXPECT_TRUE(breaker_.allow());
    EXPECT_EQ(redis_.pings, 6U);
    EXPECT_EQ(recovery_.status().probes_failed, 1U);
    EXPECT_EQ(recovery_.status().rebuilds, 1U);
    EXPECT_EQ(recovery_.status().switched_to_local, 1U);
    for (const auto phase : redis_.phases) EXPECT_NE(phase, BreakerPhase::closed);
}

TEST_F(RecoveryTest, AsksNothingWhileItIsClosed) {
    redis_.answers = {true};
    recovery_.start();
    for (int i = 0; i < 20; ++i) context_.run_one();
    recovery_.stop();
    context_.run();
    EXPECT_EQ(redis_.pings, 0U);
    EXPECT_EQ(recovery_.status().switched_to_local, 0U);
}

}  // namespace
}  // namespace proxy
