#include "proxy/gate/gate_switch.hpp"

#include "proxy/gate/rebuild_targets.hpp"
#include "proxy/runtime/event.hpp"
#include "tests/unit/gate/bucket_cases.hpp"
#include "tests/unit/gate/run_task.hpp"

#include <gtest/gtest.h>

#include <deque>

namespace proxy {
namespace {

using namespace std::chrono_literals;
using testing::numbered_id;
using testing::run_task;
using Keys = std::vector<std::string>;

const std::string key = "stock:t_stock:1001:0";

RemoteReply answered(BucketCode code, std::int64_t left = 0) {
    RemoteReply reply;
    reply.end = CallEnd::answered;
    reply.bucket = BucketReply{code, left};
    reply.duration = 1ms;
    return reply;
}

RemoteReply failed(CallEnd end) {
    RemoteReply reply;
    reply.end = end;
    return reply;
}

// Answers as told, remembers what it was asked; ends may be held back to answer late.
class FakeRemote final : public RemoteGate {
public:
    Task<RemoteReply> reserve(const std::string& bucket, const RequestId&, std::int64_t, bool)
        override {
        calls.push_back("reserve " + bucket);
        if (during_reserve) during_reserve();
        co_return next();
    }
    void settle(const std::string& bucket, const RequestId&, Done done) override {
        end("settle " + bucket, std::move(done));
    }
    void release(const std::string& bucket, const RequestId&, Done done) override {
        end("release " + bucket, std::move(done));
    }
    void credit(const std::string& bucket, std::int64_t, Done done) override {
        end("credit " + bucket, std::move(done));
    }

    std::deque<RemoteReply> replies;
    Keys calls;
    std::function<void()> during_reserve;
    bool hold_ends = false;
    std::vector<Done> held;

private:
    RemoteReply next() {
        if (replies.empty()) return answered(BucketCode::done);
        const auto reply = replies.front();
        replies.pop_front();
        return reply;
    }
    void end(std::string call, Done done) {
        calls.push_back(std::move(call));
        if (hold_ends) {
            held.push_back(std::move(done));
        } else {
            done(next());
        }
    }
};

class FakeDirty final : public DirtyBuckets {
public:
    void mark(const std::string& gate_key) override { marked.push_back(gate_key); }
    Keys marked;
};

config::Breaker numbers() {
    config::Breaker options;
    options.failures = 2;
    options.half_open_probes = 1;
    return options;
}

class GateSwitchTest : public ::testing::Test {
protected:
    GateSwitchTest() : gate_(std::make_unique<GateSwitch>(parts(&remote_))) {}

    GateSwitchParts parts(RemoteGate* remote) {
        GateSwitchParts parts;
        parts.remote = remote;
        parts.local = &local_;
        parts.breaker = &breaker_;
        parts.dirty = &dirty_;
        parts.on_missing = [this](const std::string& bucket) { missing_.push_back(bucket); };
        return parts;
    }
    ReserveReply reserve(const RequestId& id, std::int64_t units = 1, bool forced = false) {
        return run_task(context_, gate_->reserve(key, id, units, forced));
    }
    ReserveReply reserve_answered(const RequestId& id, const RemoteReply& reply) {
        remote_.replies.push_back(reply);
        return reserve(id);
    }
    void open() {
        for (int i = 0; i < 2; ++i) breaker_.record_failure("timeout");
        ASSERT_FALSE(breaker_.allow());
    }
    void half_open() {
        const auto later = std::chrono::steady_clock::now() + 1h;
        ASSERT_EQ(breaker_.next_recovery_step(later), RecoveryStep::probe);
    }
    void rebuilding() {
        half_open();
        breaker_.record_probe(true, 1ms);
        ASSERT_EQ(breaker_.view().phase, BreakerPhase::rebuilding);
    }
    void close() { breaker_.record_rebuild(true); }

    boost::asio::io_context context_;
    FakeRemote remote_;
    LocalGate local_;
    Breaker breaker_{numbers(), [this] { local_.clear(); }};
    FakeDirty dirty_;
    Keys missing_;
    std::unique_ptr<GateSwitch> gate_;
    const RequestId id_ = numbered_id(1);
};

TEST_F(GateSwitchTest, GrantedIsLiveUntilSettled) {
    bool live_while_asking = false;
    remote_.during_reserve = [&] { live_while_asking = gate_->is_live(id_); };
    const auto reply = reserve_answered(id_, answered(BucketCode::done, 9));
    EXPECT_EQ(reply.answer, GateAnswer::granted);
    EXPECT_EQ(reply.left, 9);
    EXPECT_FALSE(reply.ticket.local);
    EXPECT_TRUE(live_while_asking);
    EXPECT_TRUE(gate_->is_live(id_));
    EXPECT_TRUE(gate_->is_live(key, id_));
    EXPECT_FALSE(gate_->is_live("another", id_));
    gate_->settle(key, id_, reply.ticket);
    EXPECT_FALSE(gate_->is_live(id_));
    EXPECT_EQ(remote_.calls, (Keys{"reserve " + key, "settle " + key}));
    EXPECT_TRUE(dirty_.marked.empty());
    EXPECT_TRUE(missing_.empty());
    EXPECT_EQ(gate_->counters().live.value(), 0);
}

TEST_F(GateSwitchTest, GrantedIsLiveUntilReleased) {
    const auto reply = reserve_answered(id_, answered(BucketCode::done));
    gate_->release(key, id_, reply.ticket);
    EXPECT_FALSE(gate_->is_live(id_));
    EXPECT_EQ(remote_.calls.back(), "release " + key);
    EXPECT_TRUE(dirty_.marked.empty());
}

TEST_F(GateSwitchTest, InsufficientAndMissingAreNotLive) {
    const auto empty = reserve_answered(id_, answered(BucketCode::insufficient, 2));
    EXPECT_EQ(empty.answer, GateAnswer::insufficient);
    EXPECT_EQ(empty.left, 2);
    EXPECT_FALSE(gate_->is_live(id_));
    EXPECT_TRUE(missing_.empty());
    for (const auto code : {BucketCode::missing, BucketCode::damaged}) {
        missing_.clear();
        const auto reply = reserve_answered(id_, answered(code));
        EXPECT_EQ(reply.answer, GateAnswer::missing);
        EXPECT_FALSE(gate_->is_live(id_));
        EXPECT_EQ(missing_, Keys{key});
    }
    EXPECT_TRUE(dirty_.marked.empty());
    EXPECT_TRUE(breaker_.allow());
}

TEST_F(GateSwitchTest, UnknownReserveIsNotLiveAndMarksItsBucket) {
    const auto reply = reserve_answered(id_, failed(CallEnd::unknown));
    EXPECT_EQ(reply.answer, GateAnswer::unknown);
    EXPECT_FALSE(gate_->is_live(id_));
    EXPECT_EQ(dirty_.marked, Keys{key});
    EXPECT_TRUE(local_.read(key).reservations.empty());
}

TEST_F(GateSwitchTest, AReserveThatChangedNothingMarksNothing) {
    for (const auto end : {CallEnd::not_sent, CallEnd::refused}) {
        breaker_.record_success(1ms);
        EXPECT_EQ(reserve_answered(id_, failed(end)).answer, GateAnswer::unknown);
        EXPECT_FALSE(gate_->is_live(id_));
    }
    EXPECT_TRUE(dirty_.marked.empty());
}

// The ledger may have booked a forced reservation whose answer was lost.
TEST_F(GateSwitchTest, AnEndAfterAnUnknownReserveIsSentAndMarked) {
    const auto reply = reserve_answered(id_, failed(CallEnd::unknown));
    dirty_.marked.clear();
    gate_->settle(key, id_, reply.ticket);
    EXPECT_EQ(remote_.calls.back(), "settle " + key);
    EXPECT_EQ(dirty_.marked, Keys{key});
}

TEST_F(GateSwitchTest, ARepeatThatEndsUnknownStaysLive) {
    reserve_answered(id_, answered(BucketCode::done));
    reserve_answered(id_, failed(CallEnd::unknown));
    EXPECT_TRUE(gate_->is_live(id_));
    EXPECT_EQ(gate_->counters().live.value(), 1);
}

TEST_F(GateSwitchTest, OneIdMayHoldSeveralBuckets) {
    const std::string other = "stock:t_stock:1001:1";
    const auto first = reserve(id_);
    const auto second = run_task(context_, gate_->reserve(other, id_, 1, false));
    gate_->settle(key, id_, first.ticket);
    EXPECT_TRUE(gate_->is_live(id_));
    EXPECT_FALSE(gate_->is_live(key, id_));
    EXPECT_TRUE(gate_->is_live(other, id_));
    gate_->settle(other, id_, second.ticket);
    EXPECT_FALSE(gate_->is_live(id_));
}

TEST_F(GateSwitchTest, AFailedEndMarksItsBucket) {
    for (const auto end : {CallEnd::not_sent, CallEnd::refused, CallEnd::unknown}) {
        breaker_.record_success(1ms);
        dirty_.marked.clear();
        const auto reply = reserve(id_);
        remote_.replies.push_back(failed(end));
        gate_->release(key, id_, reply.ticket);
        EXPECT_EQ(dirty_.marked, Keys{key});
        EXPECT_FALSE(gate_->is_live(id_));
        breaker_.record_success(1ms);
        remote_.replies.push_back(failed(end));
        gate_->credit(key, 3);
        EXPECT_EQ(dirty_.marked, (Keys{key, key}));
    }
    EXPECT_EQ(gate_->counters().ends_failed.value(), 6U);
}

TEST_F(GateSwitchTest, AnEndThatFindsNoBucketAsksForARebuild) {
    const auto reply = reserve(id_);
    remote_.replies.push_back(answered(BucketCode::missing));
    gate_->settle(key, id_, reply.ticket);
    remote_.replies.push_back(answered(BucketCode::damaged));
    gate_->credit(key, 1);
    EXPECT_EQ(missing_, (Keys{key, key}));
    EXPECT_TRUE(dirty_.marked.empty());
}

TEST_F(GateSwitchTest, FailuresOpenTheBreakerAndTheLocalGateServes) {
    reserve_answered(id_, failed(CallEnd::not_sent));
    reserve_answered(id_, failed(CallEnd::refused));
    EXPECT_FALSE(breaker_.allow());
    const auto calls = remote_.calls.size();
    EXPECT_EQ(reserve(id_).answer, GateAnswer::missing);
    EXPECT_EQ(missing_, Keys{key});
    local_.rebuild(key, 5, {});
    const auto reply = reserve(id_, 2);
    EXPECT_EQ(reply.answer, GateAnswer::granted);
    EXPECT_EQ(reply.left, 3);
    EXPECT_TRUE(reply.ticket.local);
    EXPECT_EQ(reserve(numbered_id(2), 4).answer, GateAnswer::insufficient);
    EXPECT_EQ(reserve(numbered_id(3), 4, true).left, -1);
    gate_->release(key, id_, reply.ticket);
    EXPECT_EQ(local_.read(key).left, 1);
    gate_->credit(key, 10);
    EXPECT_EQ(local_.read(key).left, 11);
    EXPECT_EQ(remote_.calls.size(), calls) << "nothing goes to Redis meanwhile";
    EXPECT_EQ(dirty_.marked, Keys{key}) << "the credit, and nothing else";
    EXPECT_EQ(gate_->counters().reserve_local[0].value(), 2U);
}

// Between a return's COMMIT and its credit a rebuild may have counted the units: whatever became of
// the call, the bucket is rebuilt after it.
TEST_F(GateSwitchTest, EveryCreditMarksItsBucketOnce) {
    gate_->credit(key, 3);
    EXPECT_EQ(dirty_.marked, Keys{key});
}

TEST_F(GateSwitchTest, SlowCallsOpenTheBreaker) {
    auto slow = answered(BucketCode::done);
    slow.duration = 300ms;
    reserve_answered(numbered_id(1), slow);
    reserve_answered(numbered_id(2), slow);
    EXPECT_FALSE(breaker_.allow());
}

TEST_F(GateSwitchTest, EndsOfAReplacedGateOnlyMark) {
    const auto redis_ticket = reserve(id_).ticket;
    const auto other = numbered_id(2);
    const auto late = reserve(other).ticket;
    const auto calls = remote_.calls.size();
    open();
    local_.rebuild(key, 5, {});
    gate_->settle(key, id_, redis_ticket);
    EXPECT_EQ(dirty_.marked, Keys{key});
    EXPECT_FALSE(gate_->is_live(id_));
    EXPECT_EQ(local_.read(key).left, 5);
    // Closed again: Redis, but not the state that granted it.
    const auto third = numbered_id(3);
    const auto local_ticket = reserve(third).ticket;
    rebuilding();
    close();
    gate_->release(key, other, late);
    gate_->release(key, third, local_ticket);
    EXPECT_EQ(dirty_.marked, (Keys{key, key, key}));
    EXPECT_EQ(remote_.calls.size(), calls);
    EXPECT_EQ(gate_->live_count(), 0U);
    EXPECT_EQ(gate_->counters().ends_replaced.value(), 3U);
}

TEST_F(GateSwitchTest, ALocalTicketOfAnEarlierOpeningOnlyMarks) {
    open();
    local_.rebuild(key, 5, {});
    const auto ticket = reserve(id_).ticket;
    rebuilding();
    close();
    dirty_.marked.clear();
    open();
    EXPECT_FALSE(local_.read(key).exists) << "seeded afresh";
    local_.rebuild(key, 5, {});
    gate_->release(key, id_, ticket);
    EXPECT_EQ(local_.read(key).left, 5);
    EXPECT_EQ(dirty_.marked, Keys{key});
}

TEST_F(GateSwitchTest, WhatHappensWhileRedisIsRebuiltIsMarked) {
    open();
    local_.rebuild(key, 5, {});
    half_open();
    const auto ticket = reserve(id_).ticket;
    EXPECT_TRUE(dirty_.marked.empty());
    breaker_.record_probe(true, 1ms);
    ASSERT_EQ(breaker_.view().phase, BreakerPhase::rebuilding);
    gate_->settle(key, id_, ticket);
    EXPECT_EQ(dirty_.marked, Keys{key});
    reserve(numbered_id(2));
    gate_->credit(key, 1);
    EXPECT_EQ(dirty_.marked, (Keys{key, key, key}));
}

TEST_F(GateSwitchTest, AnEndUnderWayWhenTheBreakerOpensIsMarked) {
    const auto ticket = reserve(id_).ticket;
    remote_.hold_ends = true;
    gate_->settle(key, id_, ticket);
    gate_->credit(key, 2);
    open();
    ASSERT_EQ(remote_.held.size(), 2U);
    for (const auto& done : remote_.held) done(answered(BucketCode::done));
    EXPECT_EQ(dirty_.marked, (Keys{key, key}));
}

TEST_F(GateSwitchTest, LateRepliesMayComeAfterTheSwitchIsGone) {
    const auto ticket = reserve(id_).ticket;
    remote_.hold_ends = true;
    gate_->settle(key, id_, ticket);
    gate_.reset();
    ASSERT_EQ(remote_.held.size(), 1U);
    remote_.held[0](failed(CallEnd::unknown));
    EXPECT_EQ(dirty_.marked, Keys{key});
}

TEST_F(GateSwitchTest, LocalByConfigurationNeverAsksTheBreaker) {
    gate_ = std::make_unique<GateSwitch>(parts(nullptr));
    local_.rebuild(key, 5, {});
    const auto reply = reserve(id_);
    EXPECT_EQ(reply.answer, GateAnswer::granted);
    EXPECT_TRUE(reply.ticket.local);
    gate_->settle(key, id_, reply.ticket);
    EXPECT_EQ(local_.read(key).left, 4);
    EXPECT_TRUE(local_.read(key).reservations.empty());
    EXPECT_TRUE(remote_.calls.empty());
    EXPECT_TRUE(dirty_.marked.empty());
}

TEST_F(GateSwitchTest, RebuildTargetsFollowTheBreaker) {
    LocalMaintenance local(local_);
    LocalMaintenance redis(local_);  // stands for it; only its address counts
    using Targets = std::vector<GateMaintenance*>;
    const RebuildTargets targets(&redis, local, breaker_);
    EXPECT_EQ(targets.now(), Targets{&redis});
    EXPECT_EQ(&targets.serving(), &redis);
    open();
    EXPECT_EQ(targets.now(), Targets{&local});
    EXPECT_EQ(&targets.serving(), &local);
    half_open();
    EXPECT_EQ(targets.now(), Targets{&local});
    breaker_.record_probe(true, 1ms);
    EXPECT_EQ(targets.now(), (Targets{&local, &redis}));
    EXPECT_EQ(&targets.serving(), &local);
    close();
    EXPECT_EQ(targets.now(), Targets{&redis});
    const RebuildTargets only_local(nullptr, local, breaker_);
    EXPECT_EQ(only_local.now(), Targets{&local});
    EXPECT_EQ(&only_local.serving(), &local);
}

}  // namespace
}  // namespace proxy
