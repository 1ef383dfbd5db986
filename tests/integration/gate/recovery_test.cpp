// The whole gate of one core (switch, breaker, local gate, Redis) against a model of the ledger,
// through a kill, an empty restart, a flush, a stall and a stop by hand. At the end every bucket in
// Redis must hold exactly what the ledger can still sell, and the ledger must agree with what
// clients were told.
#include "proxy/gate/gate_switch.hpp"
#include "proxy/gate/rebuild_targets.hpp"
#include "proxy/runtime/event.hpp"
#include "tests/integration/gate/redis_fixture.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>

namespace proxy {
namespace {

using namespace std::chrono_literals;
using testing::numbered_id;

constexpr int bucket_count = 48;  // enough that not every one is marked again by chance
constexpr std::int64_t initial = 1'000'000;

// One row per bucket and one detail per deduction; the lock is the row lock.
struct Ledger {
    struct Row {
        std::int64_t remainder = initial;
        bool locked = false;
    };
    std::map<std::string, Row> rows;
    std::set<RequestId> details;
};

class DirtySet final : public DirtyBuckets {
public:
    void mark(const std::string& gate_key) override { keys.insert(gate_key); }
    std::set<std::string> keys;
};

config::Breaker quick_breaker() {
    config::Breaker options;
    options.failures = 5;
    options.slow_call = 200ms;
    options.open = 50ms;
    options.open_max = 200ms;
    options.half_open_probes = 2;
    return options;
}

class RecoveryTest : public testing::RedisFixture {
protected:
    RecoveryTest() {
        for (int i = 0; i < bucket_count; ++i) ledger_.rows["stock:1:" + std::to_string(i)];
        auto impatient = options();
        impatient.timeout = 200ms;
        impatient.stall_timeout = 500ms;
        redis_ = std::make_unique<RedisGate>(context_.get_executor(), impatient, dirty_);
        maintenance_ = std::make_unique<RedisGate>(context_.get_executor(), impatient, dirty_);
        redis_->start();
        maintenance_->start();
        GateSwitchParts parts;
        parts.remote = redis_.get();
        parts.local = &local_;
        parts.breaker = &breaker_;
        parts.dirty = &dirty_;
        parts.on_missing = [this](const std::string& key) { dirty_.mark(key); };
        switch_ = std::make_unique<GateSwitch>(std::move(parts));
        targets_ = std::make_unique<RebuildTargets>(maintenance_.get(), local_gate_, breaker_);
    }

    Task<> pause(std::chrono::milliseconds duration) {
        boost::asio::steady_timer timer(context_);
        timer.expires_after(duration);
        co_await timer.async_wait(boost::asio::as_tuple(boost::asio::use_awaitable));
    }

    Task<> lock(Ledger::Row& row) {
        while (row.locked) co_await pause(1ms);
        row.locked = true;
    }

    // As services do it: with the row locked, drop what is booked or dead, keep what is live.
    Task<bool> rebuild(std::string key) {
        auto& row = ledger_.rows[key];
        co_await lock(row);
        bool all = true;
        for (auto* target : targets_->now()) {
            BucketState state;
            const bool is_read = co_await target->read(key, state);
            std::vector<RequestId> drop;
            for (const auto& reservation : state.reservations) {
                const bool booked = ledger_.details.contains(reservation.id);
                if (booked || !switch_->is_live(key, reservation.id))
                    drop.push_back(reservation.id);
            }
            bool is_set = false;
            if (is_read) is_set = co_await target->rebuild(key, row.remainder, drop);
            all = all && is_set;
        }
        row.locked = false;
        co_return all;
    }

    Task<> control() {
        while (!finished_) {
            const auto step = breaker_.next_recovery_step(std::chrono::steady_clock::now());
            if (step == RecoveryStep::probe) {
                const auto start = std::chrono::steady_clock::now();
                const bool pong = co_await maintenance_->ping();
                const auto took = std::chrono::steady_clock::now() - start;
                breaker_.record_probe(
                    pong, std::chrono::duration_cast<std::chrono::microseconds>(took)
                );
            } else if (step == RecoveryStep::rebuild) {
                bool all = true;
                for (const auto& [key, row] : ledger_.rows) {
                    const bool done = co_await rebuild(key);
                    all = all && done;
                    co_await pause(1ms);  // clients go on with the buckets already rebuilt
                }
                breaker_.record_rebuild(all);
            }
            const auto taken = std::exchange(dirty_.keys, {});
            for (const auto& key : taken) {
                const bool done = co_await rebuild(key);
                if (!done) dirty_.mark(key);
            }
            co_await pause(2ms);
        }
        ++ended_;
    }

    Task<> session(std::uint32_t number) {
        std::uint32_t count = 0;
        while (!finished_) {
            const std::string key = "stock:1:" + std::to_string(draw(bucket_count));
            const RequestId id = numbered_id(number << 24 | ++count);
            const std::int64_t units = 1 + draw(3);
            // Now and then the ledger books whatever the gate says.
            const bool forced = draw(8) == 0;
            const bool rolls_back = draw(4) == 0;
            const ReserveReply reply = co_await switch_->reserve(key, id, units, forced);
            ++(breaker_.allow() ? asked_redis_ : asked_local_);
            const bool granted = reply.answer == GateAnswer::granted;
            if (!granted && !forced) {
                co_await pause(1ms);
                continue;
            }
            auto& row = ledger_.rows[key];
            co_await lock(row);
            if (!rolls_back) {
                row.remainder -= units;
                ledger_.details.insert(id);
                sold_ += units;
            }
            row.locked = false;
            co_await pause(std::chrono::milliseconds(draw(2)));
            if (rolls_back) {
                switch_->release(key, id, reply.ticket);
            } else {
                switch_->settle(key, id, reply.ticket);
            }
            if (draw(16) == 0) {
                co_await lock(row);
                row.remainder += 2;
                returned_ += 2;
                row.locked = false;
                switch_->credit(key, 2);
            }
        }
        ++ended_;
    }

    // 0 .. below - 1. The seed is fixed; what is drawn by whom depends on when replies arrive.
    std::int64_t draw(std::int64_t below) {
        return std::uniform_int_distribution<std::int64_t>(0, below - 1)(random_);
    }

    void start(int sessions) {
        auto task = control();
        spawn(context_.get_executor(), "control", std::move(task));
        for (int i = 0; i < sessions; ++i) {
            auto next = session(static_cast<std::uint32_t>(i));
            spawn(context_.get_executor(), "session", std::move(next));
        }
    }
    bool serve_by_redis(int calls) {
        const bool closed = run_until([this] { return breaker_.allow(); });
        const auto goal = asked_redis_ + calls;
        return closed && run_until([this, goal] { return asked_redis_ >= goal; });
    }
    bool serve_by_local(int calls) {
        const bool open = run_until([this] { return !breaker_.allow(); });
        const auto goal = asked_local_ + calls;
        return open && run_until([this, goal] { return asked_local_ >= goal; });
    }
    void finish(int sessions) {
        finished_ = true;
        ASSERT_TRUE(run_until([this, sessions] { return ended_ == sessions + 1; }));
        ASSERT_TRUE(run_until([this] { return redis_->link().queue_length() == 0; }));
        while (!dirty_.keys.empty()) {
            const auto taken = std::exchange(dirty_.keys, {});
            for (const auto& key : taken) {
                if (!run(rebuild(key))) dirty_.mark(key);
            }
        }
    }
    void expect_conservation() {
        std::int64_t remainder = 0;
        for (const auto& [key, row] : ledger_.rows) {
            BucketState state;
            ASSERT_TRUE(run(maintenance_->read(key, state)));
            EXPECT_TRUE(state.exists) << key;
            EXPECT_EQ(state.left, row.remainder) << key;
            EXPECT_TRUE(state.reservations.empty()) << key;
            remainder += row.remainder;
        }
        EXPECT_EQ(remainder, bucket_count * initial + returned_ - sold_);
        EXPECT_EQ(switch_->live_count(), 0U);
        EXPECT_EQ(switch_->counters().live.value(), 0);
    }

    Ledger ledger_;
    DirtySet dirty_;
    LocalGate local_;
    LocalMaintenance local_gate_{local_};
    Breaker breaker_{quick_breaker(), [this] { local_.clear(); }};
    std::unique_ptr<RedisGate> redis_;
    std::unique_ptr<RedisGate> maintenance_;
    std::unique_ptr<GateSwitch> switch_;
    std::unique_ptr<RebuildTargets> targets_;
    std::mt19937 random_{1};
    bool finished_ = false;
    int ended_ = 0;
    int asked_redis_ = 0;
    int asked_local_ = 0;
    std::int64_t sold_ = 0;
    std::int64_t returned_ = 0;
};

TEST_F(RecoveryTest, ConservesUnitsThroughEveryLossOfRedis) {
    constexpr int sessions = 16;
    start(sessions);
    ASSERT_TRUE(serve_by_redis(300));
    server_.kill();
    ASSERT_TRUE(serve_by_local(300));
    server_.start();
    ASSERT_TRUE(serve_by_redis(300));
    ASSERT_EQ(command({"FLUSHALL"}).reply.value().text(), "OK");
    ASSERT_TRUE(serve_by_redis(300));
    server_.stop();
    ASSERT_TRUE(serve_by_local(300));
    server_.resume();
    ASSERT_TRUE(serve_by_redis(300));
    breaker_.set_mode(config::BreakerMode::open);
    ASSERT_TRUE(serve_by_local(300));
    breaker_.set_mode(config::BreakerMode::automatic);
    // Ended soon: what the recovery missed must not be healed by later marks.
    ASSERT_TRUE(serve_by_redis(20));
    finish(sessions);
    expect_conservation();
    EXPECT_GE(breaker_.status().opened_total, 3U);
}

}  // namespace
}  // namespace proxy
