// One bucket at a time, against both gates: what a rebuild makes of each kind of reservation.
#include "proxy/gate/local_gate.hpp"
#include "proxy/gate/redis_gate.hpp"
#include "tests/integration/services/services_fixture.hpp"

#include <map>

namespace proxy {
namespace {

class IgnoredMarks final : public DirtyBuckets {
public:
    void mark(const std::string&) override {}
};

enum class Kind : std::uint8_t { local, redis };

class RebuildFacts : public ServicesTest, public testing::WithParamInterface<Kind> {
protected:
    RebuildFacts() {
        adopt(1, 100, 4);
        if (GetParam() == Kind::redis) {
            server_.start();
            redis_.emplace(context_.get_executor(), RedisServer::options(), marks_);
            redis_->start();
            run_until([this] { return run(redis_->ping()); }, "Redis");
        }
        registry_ = registry();
        limits_.retry_min = std::chrono::milliseconds{1};
        limits_.interval = std::chrono::milliseconds{1};
        make_rebuilder();
    }

    void make_rebuilder() {
        RebuildHooks hooks;
        hooks.gates = [this] { return std::vector<GateMaintenance*>{&gate()}; };
        hooks.live = [this](std::string key, std::vector<RequestId> ids) {
            return live(std::move(key), std::move(ids));
        };
        hooks.registry = [this] { return registry_; };
        rebuilder_ = std::make_unique<Rebuilder>(
            context_.get_executor(), pool_, our_incarnation, hooks, limits_
        );
    }

    ~RebuildFacts() override {
        rebuilder_->stop();
        run_until([this] { return !rebuilder_->running(); }, "the rebuilder's end");
        if (redis_) {
            redis_->stop();
            run_until([this] { return context_.poll() == 0; }, "the link's end");
        }
    }

    GateMaintenance& gate() {
        if (redis_) return *redis_;
        return local_maintenance_;
    }

    Task<std::vector<bool>> live(std::string key, std::vector<RequestId> ids) {
        std::vector<bool> held;
        for (const auto& id : ids) held.push_back(live_.contains(key + id.hex()));
        co_return held;
    }

    void reserve(const RequestId& id, std::int64_t units, unsigned bucket) {
        const auto key = key_of(1, bucket);
        if (!redis_) {
            ASSERT_EQ(local_.reserve(key, id, units, true).code, BucketCode::done);
            return;
        }
        const auto reply = run(redis_->reserve(key, id, units, true));
        ASSERT_EQ(reply.end, CallEnd::answered);
        ASSERT_EQ(reply.bucket.code, BucketCode::done);
    }

    BucketState state(unsigned bucket) {
        BucketState state;
        EXPECT_TRUE(run(gate().read(key_of(1, bucket), state)));
        return state;
    }

    bool rebuild_all() { return run(rebuilder_->rebuild_all(gate(), test_schema)); }

    RedisServer server_;
    IgnoredMarks marks_;
    std::optional<RedisGate> redis_;
    LocalGate local_;
    LocalMaintenance local_maintenance_{local_};
    RegistryView registry_;
    std::map<std::string, bool> live_;  // gate key + id
    RebuildLimits limits_;
    std::unique_ptr<Rebuilder> rebuilder_;
};

TEST_P(RebuildFacts, MissingBucketsAreMade) {
    sql_.query(
        std::string{"UPDATE "} + test_schema +
        ".inventory_bucket SET sold_stock=5 WHERE bucket_id=3"
    );
    EXPECT_FALSE(state(0).exists);
    ASSERT_TRUE(rebuild_all());
    for (unsigned bucket = 0; bucket < 4; ++bucket) {
        EXPECT_TRUE(state(bucket).exists);
        EXPECT_EQ(state(bucket).left, bucket == 3 ? 20 : 25);
    }
    EXPECT_EQ(rebuilder_->status().rebuilt, 4U);
}

TEST_P(RebuildFacts, EachReservationByItsFacts) {
    ASSERT_TRUE(rebuild_all());
    sql_.query(
        std::string{"INSERT INTO "} + test_schema +
        ".inventory_proxy (incarnation,instance) VALUES (777,'alive')"
    );
    const auto held = new_id();
    const auto held_elsewhere = new_id();
    const auto left_over = new_id();
    const auto booked = new_id();
    const auto cancelled = new_id();
    const auto of_the_living = new_id(777);
    const auto booked_by_the_living = new_id(777);
    const auto of_the_dead = new_id(666);
    for (const auto& id :
         {held,
          held_elsewhere,
          left_over,
          booked,
          cancelled,
          of_the_living,
          booked_by_the_living,
          of_the_dead}) {
        reserve(id, 2, 0);
    }
    reserve(held_elsewhere, 1, 1);
    live_[key_of(1, 0) + held.hex()] = true;
    live_[key_of(1, 1) + held_elsewhere.hex()] = true;
    live_[key_of(1, 0) + booked.hex()] = true;
    book(booked, 1, 2, 0, 1);
    book(booked_by_the_living, 1, 2, 0, 1);
    book(cancelled, 1, 2, 0, 2);
    sql_.query(
        std::string{"UPDATE "} + test_schema +
        ".inventory_bucket SET sold_stock=4 WHERE bucket_id=0"
    );
    ASSERT_TRUE(rebuild_all());
    const auto after = state(0);
    EXPECT_EQ(after.left, 25 - 4 - 2 - 2);
    ASSERT_EQ(after.reservations.size(), 2U);
    for (const auto& kept : after.reservations) {
        EXPECT_TRUE(kept.id == held || kept.id == of_the_living) << kept.id.hex();
    }
    ASSERT_EQ(state(1).reservations.size(), 1U);
    EXPECT_EQ(state(1).left, 24);
    EXPECT_EQ(rebuilder_->status().reservations_dropped, 6U);
}

// More ids than one query asks for.
TEST_P(RebuildFacts, ManyReservations) {
    ASSERT_TRUE(rebuild_all());
    std::string rows;
    for (int i = 0; i < 1203; ++i) {
        const auto id = new_id();
        reserve(id, 1, 2);
        if (i % 3 != 0) {
            live_[key_of(1, 2) + id.hex()] = true;
        } else {
            rows += rows.empty() ? "" : ",";
            rows += "(X'" + id.hex() + "','t_stock:1',1,2,2)";
        }
    }
    sql_.query(
        std::string{"INSERT INTO "} + test_schema +
        ".stock_deduct_detail (request_id,sku_id,qty,bucket_id,status) VALUES " + rows
    );
    ASSERT_TRUE(rebuild_all());
    EXPECT_EQ(state(2).reservations.size(), 802U);
    EXPECT_EQ(state(2).left, 25 - 802);
}

TEST_P(RebuildFacts, ABucketThatIsGoneIsRemoved) {
    ASSERT_TRUE(rebuild_all());
    sql_.query(std::string{"DELETE FROM "} + test_schema + ".inventory_bucket WHERE bucket_id=3");
    ASSERT_TRUE(rebuild_all());
    EXPECT_FALSE(state(3).exists);
    EXPECT_EQ(rebuilder_->status().gone, 1U);
}

// A sale that is booked but open: the rebuild waits, gives up for now, and is right when it is
// over.
TEST_P(RebuildFacts, AnOpenBookingIsWaitedFor) {
    ASSERT_TRUE(rebuild_all());
    const auto id = new_id();
    const auto name = sku(1);
    reserve(id, 3, 1);
    live_[key_of(1, 1) + id.hex()] = true;
    Sql client;
    client.query("BEGIN");
    client.query(
        ledger_sql::insert_detail(target(name), id, 3, 1, ledger_sql::DetailStatus::confirmed)
    );
    client.query(ledger_sql::sell(target(name), id, 1, 3));
    rebuilder_->start();
    rebuilder_->mark(key_of(1, 1));
    run_until([this] { return rebuilder_->status().locked > 0; }, "the lock to be met");
    EXPECT_EQ(state(1).left, 22);
    client.query("COMMIT");
    const auto before = rebuilder_->status().rebuilt;
    run_until([&] { return rebuilder_->status().rebuilt > before; }, "the rebuild");
    EXPECT_EQ(state(1).left, 22);
    EXPECT_TRUE(state(1).reservations.empty());
}

TEST_P(RebuildFacts, MarksFromAnyThreadAreWorkedOffOnce) {
    rebuilder_->start();
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
        threads.emplace_back([this] {
            for (unsigned round = 0; round < 500; ++round) rebuilder_->mark(key_of(1, round % 4));
            rebuilder_->mark("stock:services_test.t_stock:99:0");
            rebuilder_->mark("nonsense");
        });
    }
    for (auto& thread : threads) thread.join();
    run_until(
        [this] {
            const auto now = rebuilder_->status();
            return now.rebuilt >= 4 && now.waiting == 0 && now.running == 0;
        },
        "the marked buckets"
    );
    EXPECT_LE(rebuilder_->status().rebuilt, 8U) << "2,000 marks were four buckets";
    EXPECT_GE(rebuilder_->status().unknown_keys, 2U);
    for (unsigned bucket = 0; bucket < 4; ++bucket) EXPECT_EQ(state(bucket).left, 25);
}

// The gate forgets everything between a client's reservation and its booking. The rebuild that
// makes the bucket anew cannot know of it; the one that follows does.
TEST_P(RebuildFacts, AReservationThatTheGateLostIsBookedLater) {
    limits_.again_after = {std::chrono::milliseconds{100}};
    make_rebuilder();
    ASSERT_TRUE(rebuild_all());
    const auto id = new_id();
    const auto name = sku(1);
    reserve(id, 3, 1);
    ASSERT_TRUE(run(gate().remove(key_of(1, 1))));
    rebuilder_->start();
    rebuilder_->mark(key_of(1, 1));
    run_until([this] { return rebuilder_->status().lost == 1; }, "the loss to be noticed");
    EXPECT_EQ(state(1).left, 25);
    book(id, 1, 3, 1, 1);
    sql_.query(ledger_sql::sell(target(name), id, 1, 3));
    run_until([this] { return state(1).left == 22; }, "the second rebuild");
    EXPECT_EQ(rebuilder_->status().lost, 1U) << "there was nothing to be made this time";
}

INSTANTIATE_TEST_SUITE_P(
    Gates,
    RebuildFacts,
    testing::Values(Kind::local, Kind::redis),
    [](const auto& gate) { return gate.param == Kind::local ? "local" : "redis"; }
);

}  // namespace
}  // namespace proxy
