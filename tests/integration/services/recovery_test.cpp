// Redis goes away and comes back empty, and a proxy dies: the whole way back, with the real
// breaker.
#include "proxy/services/recovery.hpp"

#include "proxy/gate/local_gate.hpp"
#include "proxy/gate/rebuild_targets.hpp"
#include "proxy/gate/redis_gate.hpp"
#include "proxy/services/heartbeat.hpp"
#include "tests/integration/services/services_fixture.hpp"

namespace proxy {
namespace {

// As in the application: the gate marks, the rebuilder works it off.
class Marks final : public DirtyBuckets {
public:
    Rebuilder* rebuilder = nullptr;
    void mark(const std::string& key) override {
        if (rebuilder) rebuilder->mark(key);
    }
};

config::Breaker breaker_options() {
    config::Breaker options;
    options.open = std::chrono::milliseconds{20};
    options.open_max = std::chrono::milliseconds{20};
    options.slow_call = std::chrono::minutes{1};
    return options;
}

class RecoveryOnServers : public ServicesTest {
protected:
    RecoveryOnServers() {
        adopt(1, 100, 4);
        registry_ = registry();
        RebuildHooks hooks;
        hooks.gates = [this] { return targets_.now(); };
        hooks.live = [](std::string, std::vector<RequestId> ids) { return nobody(ids.size()); };
        hooks.registry = [this] { return registry_; };
        rebuilder_ = std::make_unique<Rebuilder>(
            context_.get_executor(), pool_, our_incarnation, hooks, RebuildLimits{}
        );
        recovery_ = std::make_unique<Recovery>(
            context_.get_executor(), breaker_, redis_, *rebuilder_, std::chrono::milliseconds{5}
        );
        marks_.rebuilder = rebuilder_.get();
        redis_.start();
        rebuilder_->start();
    }

    ~RecoveryOnServers() override {
        recovery_->stop();
        rebuilder_->stop();
        run_until(
            [this] { return !recovery_->running() && !rebuilder_->running(); }, "the services' end"
        );
        redis_.stop();
        run_until([this] { return context_.poll() == 0; }, "the link's end");
    }

    static Task<std::vector<bool>> nobody(std::size_t count) {
        co_return std::vector<bool>(count, false);
    }

    void start_redis() {
        server_.start();
        run_until([this] { return run(redis_.ping()); }, "Redis");
    }

    BucketState state(GateMaintenance& gate, unsigned bucket) {
        BucketState state;
        EXPECT_TRUE(run(gate.read(key_of(1, bucket), state)));
        return state;
    }

    void sell(unsigned bucket, std::int64_t units) {
        const auto id = new_id();
        const auto name = sku(1);
        book(id, 1, units, bucket, 1);
        sql_.query(ledger_sql::sell(target(name), id, bucket, units));
    }

    RedisServer server_;
    Marks marks_;
    LocalGate local_;
    LocalMaintenance local_maintenance_{local_};
    Breaker breaker_{breaker_options(), [this] { local_.clear(); }};
    RedisGate redis_{context_.get_executor(), RedisServer::options(), marks_};
    RebuildTargets targets_{&redis_, local_maintenance_, breaker_};
    RegistryView registry_;
    std::unique_ptr<Rebuilder> rebuilder_;
    std::unique_ptr<Recovery> recovery_;
};

TEST_F(RecoveryOnServers, RedisComesBackEmpty) {
    start_redis();
    ASSERT_TRUE(run(recovery_->begin()));
    for (unsigned bucket = 0; bucket < 4; ++bucket) EXPECT_EQ(state(redis_, bucket).left, 25);
    recovery_->start();

    server_.kill();
    while (breaker_.allow()) breaker_.record_failure("Redis is gone");
    run_until([this] { return local_.bucket_count() == 4; }, "the local gate's buckets");
    sell(2, 7);
    EXPECT_FALSE(breaker_.allow());

    start_redis();
    run_until([this] { return breaker_.allow(); }, "the breaker to close");
    for (unsigned bucket = 0; bucket < 4; ++bucket) {
        EXPECT_TRUE(state(redis_, bucket).exists);
        EXPECT_EQ(state(redis_, bucket).left, remainder(1, bucket)) << bucket;
    }
    EXPECT_EQ(remainder(1, 2), 18);
}

TEST_F(RecoveryOnServers, BeginsWithoutRedisOnTheLocalGate) {
    ASSERT_FALSE(run(recovery_->begin()));
    EXPECT_FALSE(breaker_.allow());
    recovery_->start();
    run_until([this] { return local_.bucket_count() == 4; }, "the local gate's buckets");
    EXPECT_EQ(state(local_maintenance_, 0).left, 25);
    start_redis();
    run_until([this] { return breaker_.allow(); }, "the breaker to close");
    EXPECT_EQ(state(redis_, 0).left, 25);
}

TEST_F(RecoveryOnServers, WhatADeadProxyReservedComesBack) {
    start_redis();
    ASSERT_TRUE(run(recovery_->begin()));
    HeartbeatLimits limits;
    limits.interval = std::chrono::milliseconds{20};
    limits.dead_after = std::chrono::milliseconds{200};
    limits.gap_max = std::chrono::seconds{30};
    HeartbeatHooks hooks;
    hooks.rebuild = [this](const std::string& schema) { rebuilder_->mark_schema(schema); };
    Heartbeat ours(context_.get_executor(), pool_, our_incarnation, "ours", hooks, limits);
    Heartbeat dead(context_.get_executor(), pool_, 666, "dead", hooks, limits);
    std::vector<std::string> schemas{test_schema};
    ASSERT_TRUE(run(ours.announce(schemas)));
    ASSERT_TRUE(run(dead.announce(schemas)));

    // It reserved twice and booked one of the two before it died.
    const auto booked = new_id(666);
    const auto lost = new_id(666);
    const auto name = sku(1);
    for (const auto& id : {booked, lost}) {
        const auto reply = run(redis_.reserve(key_of(1, 0), id, 4, false));
        ASSERT_EQ(reply.bucket.code, BucketCode::done);
    }
    book(booked, 1, 4, 0, 1);
    sql_.query(ledger_sql::sell(target(name), booked, 0, 4));
    ASSERT_TRUE(run(rebuilder_->rebuild_all(redis_, test_schema)));
    EXPECT_EQ(state(redis_, 0).left, 17) << "it is not known to be dead yet";
    EXPECT_EQ(state(redis_, 0).reservations.size(), 1U);

    ours.start();
    run_until([&] { return ours.status().claimed == 1; }, "the claim");
    run_until([this] { return state(redis_, 0).reservations.empty(); }, "the rebuild");
    EXPECT_EQ(state(redis_, 0).left, 21);
    EXPECT_EQ(remainder(1, 0), 21);
    ours.stop();
    run_until([&] { return !ours.running(); }, "the heartbeat's end");
}

}  // namespace
}  // namespace proxy
