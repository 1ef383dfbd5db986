// Clients sell and roll back on several cores while every bucket is rebuilt again and again. When
// all is over, and without a last rebuild that would hide a drift, the gate must hold exactly what
// the ledger can still sell. This is the proof of bucket_rebuild.hpp's argument.
#include "proxy/gate/gate_switch.hpp"
#include "proxy/gate/redis_gate.hpp"
#include "proxy/ledger/judge.hpp"
#include "tests/integration/services/services_fixture.hpp"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <random>
#include <thread>

namespace proxy {
namespace {

constexpr unsigned buckets = 4;
constexpr unsigned cores = 3;
constexpr unsigned clients_per_core = 4;
constexpr int transactions_per_episode = 4;  // of each client
constexpr int episodes = 40;

class Marks final : public DirtyBuckets {
public:
    Rebuilder* rebuilder = nullptr;
    void mark(const std::string& key) override { rebuilder->mark(key); }
};

struct Shared {
    Marks marks;
    LocalGate local;
    Breaker* breaker = nullptr;
    bool with_redis = false;
    std::atomic<int> sold{0};
    std::atomic<int> rolled_back{0};
    std::atomic<int> refused_by_ledger{0};
    std::atomic<int> judged{0};
};

// What a worker of the proxy is made of, as far as this test needs it.
class Core {
public:
    Core(unsigned index, Shared& shared)
        : shared_(&shared),
          ids_(our_incarnation, static_cast<std::uint16_t>(index)),
          random_(index + 1),
          pool_(context_.get_executor(), root_account(), clients_per_core + 2) {
        GateSwitchParts parts;
        if (shared.with_redis) {
            redis_.emplace(context_.get_executor(), RedisServer::options(), shared.marks);
            redis_->start();
            parts.remote = &*redis_;
        }
        parts.local = &shared.local;
        parts.breaker = shared.breaker;
        parts.dirty = &shared.marks;
        parts.on_missing = [&shared](const std::string& key) { shared.marks.mark(key); };
        gate_.emplace(std::move(parts));
        judge_.emplace(context_.get_executor(), pool_, *gate_);
    }

    void start() {
        thread_ = std::thread([this] { context_.run(); });
    }
    void start_episode() {
        clients_ = clients_per_core;
        for (unsigned i = 0; i < clients_per_core; ++i) {
            auto task = client();
            spawn(context_.get_executor(), "client", std::move(task));
        }
    }
    [[nodiscard]] bool is_done() const { return clients_ == 0; }

    // On any thread while the core runs: until what was told to the gate has arrived there.
    Task<bool> flush() {
        while (judge_->waiting() != 0) {
            boost::asio::steady_timer timer(context_, std::chrono::milliseconds{5});
            co_await timer.async_wait(boost::asio::use_awaitable);
        }
        if (!redis_) co_return true;
        co_return co_await redis_->ping();  // same connection, in order
    }
    Task<std::vector<bool>> live(std::string key, std::vector<RequestId> ids) {
        std::vector<bool> held;
        for (const auto& id : ids) held.push_back(gate_->is_live(key, id));
        co_return held;
    }
    [[nodiscard]] boost::asio::io_context& context() { return context_; }
    [[nodiscard]] std::size_t live_count() const { return gate_->live_count(); }

    void stop() {
        boost::asio::post(context_, [this] {
            if (redis_) redis_->stop();
            guard_.reset();
        });
        thread_.join();
    }

private:
    Task<> client() {
        try {
            for (int i = 0; i < transactions_per_episode; ++i) co_await transaction();
        } catch (const std::exception& error) {
            ADD_FAILURE() << error.what();
        }
        --clients_;
    }

    Task<> transaction() {
        const auto id = ids_.next();
        const unsigned bucket = static_cast<unsigned>(random_() % buckets);
        const auto units = static_cast<std::int64_t>(1 + random_() % 3);
        const std::string key = gate_key(test_schema, sku_, bucket);
        const ReserveReply reserved = co_await gate_->reserve(key, id, units, false);
        Reservation reservation;
        reservation.id = id;
        reservation.schema = test_schema;
        reservation.sku_id = sku_;
        reservation.bucket = bucket;
        reservation.units = units;
        Reservation::Held held;
        held.gate_key = key;
        held.units = units;
        held.ticket = reserved.ticket;
        reservation.held.push_back(held);
        if (reserved.answer != GateAnswer::granted) co_return;
        SqlError error;
        auto link = co_await pool_.lease(error);
        if (error) {
            give_back(*gate_, reservation);
            co_return;
        }
        co_await book(*link, reservation);
    }

    Task<> book(SqlLink& link, Reservation reservation) {
        ledger_sql::Target target;
        target.schema = test_schema;
        target.sku_id = sku_;
        target.epoch = 1;
        const unsigned end = static_cast<unsigned>(random_() % 8);
        const std::string begin = "BEGIN";
        const std::string insert = ledger_sql::insert_detail(
            target,
            reservation.id,
            reservation.units,
            reservation.bucket,
            ledger_sql::DetailStatus::confirmed
        );
        const std::string sell =
            ledger_sql::sell(target, reservation.id, reservation.bucket, reservation.units);
        co_await link.query(begin);
        const auto inserted = co_await link.query(insert);
        const auto sold = co_await link.query(sell);
        const bool booked = !inserted.error && !sold.error && sold.affected_rows == 1;
        if (!booked) ++shared_->refused_by_ledger;
        if (booked && end == 0) {
            // Lost out of sight: committed or not, only the judge can say.
            const std::string commit = "COMMIT";
            if (random_() % 2 == 0) co_await link.query(commit);
            link.close();
            ++shared_->judged;
            std::vector<Reservation> undecided;
            undecided.push_back(std::move(reservation));
            // To the judge the gate's view of it is what a session's end would be.
            judge_->submit(std::move(undecided));
            co_return;
        }
        const bool commits = booked && end < 5;
        const std::string last = commits ? "COMMIT" : "ROLLBACK";
        const auto ended = co_await link.query(last);
        EXPECT_EQ(ended.error.code, 0U) << ended.error.message;
        // A slow session: the ledger knows the end before the gate does.
        if (random_() % 2 == 0) {
            boost::asio::steady_timer timer(context_, std::chrono::milliseconds{5});
            co_await timer.async_wait(boost::asio::use_awaitable);
        }
        if (commits) {
            ++shared_->sold;
            settle(*gate_, reservation);
        } else {
            ++shared_->rolled_back;
            give_back(*gate_, reservation);
        }
    }

    Shared* shared_;
    const std::string sku_ = "t_stock:1";
    boost::asio::io_context context_;
    boost::asio::executor_work_guard<boost::asio::io_context::executor_type> guard_{
        context_.get_executor()};
    RequestIdGenerator ids_;
    std::minstd_rand random_;
    SqlPool pool_;
    std::optional<RedisGate> redis_;
    std::optional<GateSwitch> gate_;
    std::optional<Judge> judge_;
    std::atomic<unsigned> clients_{0};
    std::thread thread_;
};

class RebuildUnderLoad : public ServicesTest, public testing::WithParamInterface<bool> {
protected:
    RebuildUnderLoad() {
        // Little enough that buckets run dry: a drift upwards would then be refused by the ledger.
        adopt(1, 1800, buckets);
        registry_ = registry();
        config::Breaker options;
        options.mode = config::BreakerMode::closed;
        options.slow_call = std::chrono::minutes{1};
        breaker_.emplace(options, [] {});
        shared_.breaker = &*breaker_;
        shared_.with_redis = GetParam();
        if (shared_.with_redis) server_.start();
        redis_.emplace(context_.get_executor(), RedisServer::options(), shared_.marks);
        RebuildHooks hooks;
        hooks.gates = [this] { return std::vector<GateMaintenance*>{&gate()}; };
        hooks.live = [this](std::string key, std::vector<RequestId> ids) {
            return live(std::move(key), std::move(ids));
        };
        hooks.registry = [this] { return registry_; };
        rebuilder_ = std::make_unique<Rebuilder>(
            context_.get_executor(), pool_, our_incarnation, hooks, RebuildLimits{}
        );
        shared_.marks.rebuilder = rebuilder_.get();
        if (shared_.with_redis) {
            redis_->start();
            run_until([this] { return run(redis_->ping()); }, "Redis");
        }
        for (unsigned i = 0; i < cores; ++i) cores_.push_back(std::make_unique<Core>(i, shared_));
    }

    GateMaintenance& gate() {
        if (shared_.with_redis) return *redis_;
        return local_;
    }

    // As the application does: asks each core on its own thread.
    Task<std::vector<bool>> live(std::string key, std::vector<RequestId> ids) {
        std::vector<bool> held(ids.size(), false);
        for (const auto& core : cores_) {
            auto task = core->live(key, ids);
            const auto some = co_await boost::asio::co_spawn(
                core->context(), std::move(task), boost::asio::use_awaitable
            );
            for (std::size_t i = 0; i < held.size(); ++i) held[i] = held[i] || some[i];
        }
        co_return held;
    }

    Task<bool> flush() {
        bool all = true;
        for (const auto& core : cores_) {
            auto task = core->flush();
            const bool done = co_await boost::asio::co_spawn(
                core->context(), std::move(task), boost::asio::use_awaitable
            );
            all = all && done;
        }
        co_return all;
    }

    void check(int episode) {
        for (unsigned bucket = 0; bucket < buckets; ++bucket) {
            BucketState state;
            ASSERT_TRUE(run(gate().read(key_of(1, bucket), state)));
            EXPECT_TRUE(state.reservations.empty())
                << "episode " << episode << " bucket " << bucket;
            EXPECT_EQ(state.left, remainder(1, bucket))
                << "episode " << episode << " bucket " << bucket;
        }
        const std::string details = std::string{"SELECT COALESCE(SUM(qty),0) FROM "} + test_schema +
                                    ".stock_deduct_detail WHERE status=1";
        const std::string sold =
            std::string{"SELECT SUM(sold_stock) FROM "} + test_schema + ".inventory_bucket";
        EXPECT_EQ(sql_.number(details), sql_.number(sold));
    }

    [[nodiscard]] bool are_done() const {
        return std::all_of(cores_.begin(), cores_.end(), [](const auto& core) {
            return core->is_done();
        });
    }

    RedisServer server_;
    Shared shared_;
    std::optional<Breaker> breaker_;
    std::optional<RedisGate> redis_;
    LocalMaintenance local_{shared_.local};
    RegistryView registry_;
    std::unique_ptr<Rebuilder> rebuilder_;
    std::vector<std::unique_ptr<Core>> cores_;
};

TEST_P(RebuildUnderLoad, GateAndLedgerAgreeAtTheEndOfEachEpisode) {
    ASSERT_TRUE(run(rebuilder_->rebuild_all(gate(), {})));
    for (const auto& core : cores_) core->start();
    int rounds = 0;
    for (int episode = 0; episode < episodes && !HasFailure(); ++episode) {
        for (const auto& core : cores_) core->start_episode();
        for (int round = 0; round < 1 + episode % 3 && !are_done(); ++round) {
            EXPECT_TRUE(run(rebuilder_->rebuild_all(gate(), {})));
            if (!are_done()) ++rounds;
        }
        run_until([this] { return are_done(); }, "the clients");
        ASSERT_TRUE(run(flush()));
        check(episode);
    }
    for (const auto& core : cores_) EXPECT_EQ(core->live_count(), 0U);
    std::printf(
        "rounds=%d sold=%d rolled_back=%d judged=%d refused_by_ledger=%d dropped=%llu\n",
        rounds,
        shared_.sold.load(),
        shared_.rolled_back.load(),
        shared_.judged.load(),
        shared_.refused_by_ledger.load(),
        static_cast<unsigned long long>(rebuilder_->status().reservations_dropped)
    );
    EXPECT_GT(rounds, episodes / 4) << "the rebuilds must meet clients";
    EXPECT_GT(shared_.sold, 0);
    EXPECT_GT(shared_.rolled_back, 0);
    EXPECT_GT(shared_.judged, 0);
    EXPECT_EQ(shared_.refused_by_ledger, 0) << "the gate was never too high";

    for (const auto& core : cores_) core->stop();
    redis_->stop();
    run_until([this] { return context_.poll() == 0; }, "the link's end");
}

INSTANTIATE_TEST_SUITE_P(Gates, RebuildUnderLoad, testing::Bool(), [](const auto& gate) {
    return gate.param ? "redis" : "local";
});

}  // namespace
}  // namespace proxy
