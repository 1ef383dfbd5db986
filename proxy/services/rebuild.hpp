#pragma once
// Keeps the gate equal to the ledger: takes the buckets that somebody marked (a call whose fate is
// unknown, a missing key, a moved epoch, a dead proxy) and rebuilds each from its ledger row, few
// at a time. One per process. `mark` may be called from any thread; everything else, and all the
// work, is on the control context. A marked bucket is never dropped: it is tried until it worked or
// is gone.

#include "proxy/ledger/registry.hpp"
#include "proxy/services/bucket_rebuild.hpp"
#include "proxy/services/pace.hpp"
#include "proxy/services/rebuild_queue.hpp"
#include "proxy/services/subject_log_limit.hpp"

#include <memory>
#include <mutex>
#include <unordered_set>

namespace proxy {

struct RebuildHooks {
    TargetGates gates;  // for marked buckets
    LiveQuery live;
    std::function<RegistryView()> registry;
};

struct RebuildLimits {
    // Rebuilds at a time, for marked buckets and again for each rebuild_all: the pool, which should
    // be this service's own because links wait for row locks, has at least twice as many.
    std::size_t parallel = 4;
    std::chrono::milliseconds interval{50};  // between two rebuilds of one bucket
    std::chrono::milliseconds retry_min{100};
    std::chrono::milliseconds retry_max{5000};
    unsigned tries_max = 3;  // per bucket, in rebuild_all
    // A bucket that the gate had lost is rebuilt again after these: a deduction that was reserved
    // before the loss and booked after the rebuild is known to the ledger alone.
    std::vector<std::chrono::milliseconds> again_after{
        std::chrono::seconds{1}, std::chrono::seconds{5}, std::chrono::seconds{30}};
};

struct RebuildStatus {
    std::size_t waiting = 0;
    std::size_t running = 0;
    std::uint64_t oldest_ms = 0;  // how long the oldest marked bucket has waited
    std::uint64_t rebuilt = 0;
    std::uint64_t gone = 0;
    std::uint64_t locked = 0;
    std::uint64_t database_failures = 0;
    std::uint64_t gate_failures = 0;
    std::uint64_t reservations_dropped = 0;
    std::uint64_t lost = 0;          // buckets that the gate did not have
    std::uint64_t unknown_keys = 0;  // marked, but not in the registry
    std::string last_error;
};

class Rebuilder final : public DirtyBuckets {
public:
    Rebuilder(
        const boost::asio::any_io_executor& executor,
        SqlPool& pool,
        std::uint32_t incarnation,
        RebuildHooks hooks,
        RebuildLimits limits
    );

    void start();
    // Marks stay; rebuilds that run come to their end. `running()` false: nothing is left.
    void stop() { pace_.stop(); }
    [[nodiscard]] bool running() const noexcept { return loop_running_ || workers_ != 0; }

    void mark(const std::string& gate_key) override;  // any thread
    // Every bucket of a SKU (SCHEMA.SKU_ID), of a schema, or of all if `schema` is empty.
    void mark_sku(const std::string& registry_key);
    void mark_schema(const std::string& schema);

    // Rebuilds every bucket of the schema (all if empty) on `gate` and waits. True: all are right
    // now; false: one failed for good, or the service was stopped. Marked buckets go on meanwhile.
    Task<bool> rebuild_all(GateMaintenance& gate, std::string schema);

    [[nodiscard]] RebuildStatus status() const;

private:
    using Clock = std::chrono::steady_clock;
    struct Batch;

    Task<> run();
    Task<> work(std::string key);
    Task<> work_batch(std::shared_ptr<Batch> batch);
    Task<bool> rebuild_patiently(const TargetGates& gates, BucketAddress bucket);
    Task<RebuildReport> rebuild_counted(const TargetGates& gates, BucketAddress bucket);
    void take_marks();
    void take_lost();
    void rebuild_again(const std::string& key);
    [[nodiscard]] std::chrono::milliseconds next_rest() const;
    [[nodiscard]] std::optional<BucketAddress> resolve(const std::string& gate_key) const;

    boost::asio::any_io_executor executor_;
    RebuildHooks hooks_;
    RebuildLimits limits_;
    BucketRebuild bucket_rebuild_;
    Pace pace_;
    SubjectLogLimit log_limit_{std::chrono::seconds{10}};
    RebuildQueue queue_;
    std::multimap<Clock::time_point, std::string> lost_;  // to be rebuilt again, when
    std::size_t queue_workers_ = 0;
    std::size_t workers_ = 0;  // those of rebuild_all too
    bool loop_running_ = false;
    RebuildStatus counts_;

    std::mutex inbox_mutex_;  // guards the two below
    std::unordered_set<std::string> inbox_;
    bool inbox_posted_ = false;
};

}  // namespace proxy
