#include "proxy/gate/breaker_state.hpp"

#include <gtest/gtest.h>

namespace proxy {
namespace {

using namespace std::chrono_literals;
using config::BreakerMode;
using Time = BreakerState::Time;

constexpr auto fast = std::chrono::microseconds(500);
const Time start = Time{} + 1h;

config::Breaker numbers() {
    config::Breaker options;
    options.failures = 3;
    options.slow_call = 300ms;
    options.open = 1000ms;
    options.open_max = 5000ms;
    options.half_open_probes = 2;
    return options;
}

class BreakerStateTest : public ::testing::Test {
protected:
    void fail(int count) {
        for (int i = 0; i < count; ++i) state_.on_failure("timeout", now_);
    }
    void advance(std::chrono::milliseconds by) { now_ += by; }
    RecoveryStep next() { return state_.next_step(now_); }
    void probe(bool clean) { state_.on_probe(clean, fast, now_); }
    void open() {
        fail(3);
        ASSERT_EQ(state_.phase(), BreakerPhase::open);
    }
    void recover() {
        advance(state_.window());
        ASSERT_EQ(next(), RecoveryStep::probe);
        probe(true);
        probe(true);
        ASSERT_EQ(next(), RecoveryStep::rebuild);
        state_.on_rebuild(true, now_);
        ASSERT_EQ(state_.phase(), BreakerPhase::closed);
    }

    Time now_ = start;
    BreakerState state_{numbers(), start};
};

TEST_F(BreakerStateTest, OpensAfterFailuresInARow) {
    fail(2);
    EXPECT_EQ(state_.phase(), BreakerPhase::closed);
    state_.on_success(fast, now_);
    fail(2);
    EXPECT_EQ(state_.phase(), BreakerPhase::closed) << "a good call broke the row";
    fail(1);
    EXPECT_EQ(state_.phase(), BreakerPhase::open);
    EXPECT_EQ(state_.opened_total(), 1U);
    EXPECT_NE(state_.last_reason().find("timeout"), std::string::npos);
}

TEST_F(BreakerStateTest, SlowCallsCountAsFailures) {
    state_.on_success(300ms, now_);
    state_.on_failure("timeout", now_);
    state_.on_success(299ms, now_);
    EXPECT_EQ(state_.failures_in_row(), 0U);
    for (int i = 0; i < 3; ++i) state_.on_success(300ms, now_);
    EXPECT_EQ(state_.phase(), BreakerPhase::open);
    EXPECT_NE(state_.last_reason().find("slow call"), std::string::npos);
}

TEST_F(BreakerStateTest, StaysOpenForTheWholeWindow) {
    open();
    EXPECT_EQ(next(), RecoveryStep::wait);
    state_.on_success(fast, now_);
    advance(999ms);
    EXPECT_EQ(next(), RecoveryStep::wait);
    EXPECT_EQ(state_.phase(), BreakerPhase::open);
    advance(1ms);
    EXPECT_EQ(next(), RecoveryStep::probe);
    EXPECT_EQ(state_.phase(), BreakerPhase::half_open);
}

TEST_F(BreakerStateTest, ClosesOnlyAfterCleanProbesAndARebuild) {
    open();
    advance(1000ms);
    EXPECT_EQ(next(), RecoveryStep::probe);
    probe(true);
    EXPECT_EQ(next(), RecoveryStep::probe);
    EXPECT_EQ(state_.phase(), BreakerPhase::half_open) << "one success must not be enough";
    probe(true);
    EXPECT_EQ(state_.phase(), BreakerPhase::rebuilding);
    EXPECT_EQ(next(), RecoveryStep::rebuild);
    EXPECT_EQ(next(), RecoveryStep::rebuild) << "asked again, not stuck";
    state_.on_rebuild(true, now_);
    EXPECT_EQ(state_.phase(), BreakerPhase::closed);
    EXPECT_EQ(next(), RecoveryStep::wait);
}

TEST_F(BreakerStateTest, ABadProbeOpensAgainAndTheRowStartsAfresh) {
    open();
    advance(1000ms);
    next();
    probe(true);
    probe(false);
    EXPECT_EQ(state_.phase(), BreakerPhase::open);
    EXPECT_EQ(state_.window(), 2000ms);
    advance(1999ms);
    EXPECT_EQ(next(), RecoveryStep::wait);
    advance(1ms);
    EXPECT_EQ(next(), RecoveryStep::probe);
    probe(true);
    EXPECT_EQ(state_.phase(), BreakerPhase::half_open) << "the earlier clean probe does not count";
}

TEST_F(BreakerStateTest, ASlowProbeIsABadOne) {
    open();
    advance(1000ms);
    next();
    state_.on_probe(true, 300ms, now_);
    EXPECT_EQ(state_.phase(), BreakerPhase::open);
    EXPECT_EQ(state_.last_reason(), "slow probe");
}

TEST_F(BreakerStateTest, AFailedRebuildOpensAgain) {
    open();
    advance(1000ms);
    next();
    probe(true);
    probe(true);
    state_.on_rebuild(false, now_);
    EXPECT_EQ(state_.phase(), BreakerPhase::open);
    EXPECT_EQ(state_.window(), 2000ms);
    EXPECT_EQ(state_.opened_total(), 1U) << "it never closed in between";
}

TEST_F(BreakerStateTest, WindowDoublesUpToTheMaximum) {
    open();
    const std::vector<std::chrono::milliseconds> windows{2000ms, 4000ms, 5000ms, 5000ms};
    for (const auto window : windows) {
        advance(state_.window());
        ASSERT_EQ(next(), RecoveryStep::probe);
        probe(false);
        EXPECT_EQ(state_.window(), window);
    }
}

TEST_F(BreakerStateTest, FlappingLengthensTheWindowAndQuietResetsIt) {
    open();
    recover();
    advance(10ms);
    open();
    EXPECT_EQ(state_.window(), 2000ms) << "opened again before it proved itself";
    recover();
    advance(1999ms);
    open();
    EXPECT_EQ(state_.window(), 4000ms);
    recover();
    advance(4000ms);
    open();
    EXPECT_EQ(state_.window(), 1000ms);
}

TEST_F(BreakerStateTest, OnlyTheControlContextMovesItOn) {
    open();
    advance(1000ms);
    state_.on_success(fast, now_);
    EXPECT_EQ(state_.phase(), BreakerPhase::open);
    next();
    for (int i = 0; i < 10; ++i) state_.on_success(fast, now_);
    EXPECT_EQ(state_.phase(), BreakerPhase::half_open);
    fail(10);
    EXPECT_EQ(state_.phase(), BreakerPhase::half_open) << "late client calls say nothing new";
    probe(true);
    probe(true);
    fail(10);
    EXPECT_EQ(state_.phase(), BreakerPhase::rebuilding);
}

TEST_F(BreakerStateTest, ReportsForAnotherPhaseAreIgnored) {
    probe(false);
    state_.on_rebuild(false, now_);
    EXPECT_EQ(state_.phase(), BreakerPhase::closed);
    open();
    probe(true);
    state_.on_rebuild(true, now_);
    EXPECT_EQ(state_.phase(), BreakerPhase::open);
}

TEST_F(BreakerStateTest, GenerationRisesWhenItOpensAndWhenItCloses) {
    EXPECT_EQ(state_.generation(), 0U);
    open();
    EXPECT_EQ(state_.generation(), 1U);
    advance(1000ms);
    next();
    probe(false);
    EXPECT_EQ(state_.generation(), 1U) << "the same local gate serves all along";
    recover();
    EXPECT_EQ(state_.generation(), 2U);
}

TEST_F(BreakerStateTest, HeldOpenByHand) {
    state_.set_mode(BreakerMode::open, now_);
    EXPECT_EQ(state_.phase(), BreakerPhase::open);
    EXPECT_EQ(state_.generation(), 1U);
    advance(1h);
    EXPECT_EQ(next(), RecoveryStep::wait);
    state_.set_mode(BreakerMode::automatic, now_);
    EXPECT_EQ(state_.phase(), BreakerPhase::open) << "it still has to prove itself";
    EXPECT_EQ(next(), RecoveryStep::probe);
}

TEST_F(BreakerStateTest, HeldOpenByHandDuringARecovery) {
    open();
    advance(1000ms);
    next();
    probe(true);
    probe(true);
    state_.set_mode(BreakerMode::open, now_);
    EXPECT_EQ(state_.phase(), BreakerPhase::open);
    EXPECT_EQ(state_.generation(), 1U);
    state_.on_rebuild(true, now_);
    EXPECT_EQ(state_.phase(), BreakerPhase::open);
}

TEST_F(BreakerStateTest, HeldClosedByHandNeverOpens) {
    state_.set_mode(BreakerMode::closed, now_);
    fail(100);
    EXPECT_EQ(state_.phase(), BreakerPhase::closed);
    EXPECT_EQ(next(), RecoveryStep::wait) << "nothing was missed";
    state_.set_mode(BreakerMode::automatic, now_);
    fail(2);
    EXPECT_EQ(state_.phase(), BreakerPhase::closed) << "counted from the change of mode";
    fail(1);
    EXPECT_EQ(state_.phase(), BreakerPhase::open);
}

TEST_F(BreakerStateTest, ClosedByHandStillRebuildsWhatWasMissed) {
    open();
    state_.set_mode(BreakerMode::closed, now_);
    EXPECT_EQ(state_.phase(), BreakerPhase::closed);
    EXPECT_EQ(state_.generation(), 2U);
    EXPECT_EQ(next(), RecoveryStep::rebuild);
    state_.on_rebuild(false, now_);
    EXPECT_EQ(next(), RecoveryStep::rebuild);
    state_.on_rebuild(true, now_);
    EXPECT_EQ(next(), RecoveryStep::wait);
}

TEST_F(BreakerStateTest, StartsOpenWhenConfiguredSo) {
    auto options = numbers();
    options.mode = BreakerMode::open;
    BreakerState held(options, now_);
    EXPECT_EQ(held.phase(), BreakerPhase::open);
    EXPECT_EQ(held.next_step(now_ + 1h), RecoveryStep::wait);
}

TEST_F(BreakerStateTest, NewNumbersTakeEffectAtOnce) {
    auto options = numbers();
    options.failures = 1;
    options.open = 3000ms;
    state_.configure(options, now_);
    fail(1);
    EXPECT_EQ(state_.phase(), BreakerPhase::open);
    EXPECT_EQ(state_.window(), 3000ms);
}

TEST_F(BreakerStateTest, EveryChangeIsRecorded) {
    open();
    recover();
    const auto changes = state_.take_transitions();
    ASSERT_EQ(changes.size(), 4U);
    const std::vector<BreakerPhase> to{
        BreakerPhase::open,
        BreakerPhase::half_open,
        BreakerPhase::rebuilding,
        BreakerPhase::closed};
    for (std::size_t i = 0; i < changes.size(); ++i) {
        EXPECT_EQ(changes[i].to, to[i]);
        EXPECT_FALSE(changes[i].reason.empty());
        if (i > 0) {
            EXPECT_EQ(changes[i].from, changes[i - 1].to);
        }
    }
    EXPECT_TRUE(state_.take_transitions().empty());
}

}  // namespace
}  // namespace proxy
