#include "proxy/services/rebuild.hpp"

#include "proxy/ledger/sku_id.hpp"

#include <boost/asio/post.hpp>
#include <spdlog/spdlog.h>

#include <charconv>

namespace proxy {
namespace {

constexpr std::chrono::minutes rest_without_work{1};
constexpr std::string_view key_prefix = "stock:";

// Counts a task while it exists, however it ends.
class Counted {
public:
    explicit Counted(std::size_t& count) : count_(&count) { ++count; }
    ~Counted() { --*count_; }
    Counted(const Counted&) = delete;
    Counted& operator=(const Counted&) = delete;

private:
    std::size_t* count_;
};

}  // namespace

// What rebuild_all waits for. Shared with its workers.
struct Rebuilder::Batch {
    Batch(const boost::asio::any_io_executor& executor, GateMaintenance& gate)
        : gates([&gate] { return std::vector<GateMaintenance*>{&gate}; }), ended(executor) {}
    TargetGates gates;
    std::vector<BucketAddress> buckets;
    std::size_t next = 0;
    std::size_t workers = 0;
    std::size_t succeeded = 0;
    Event ended;  // one waiter: rebuild_all
};

Rebuilder::Rebuilder(
    const boost::asio::any_io_executor& executor,
    SqlPool& pool,
    std::uint32_t incarnation,
    RebuildHooks hooks,
    RebuildLimits limits
)
    : executor_(executor),
      hooks_(std::move(hooks)),
      limits_(limits),
      bucket_rebuild_(pool, incarnation, hooks_.live),
      pace_(executor),
      queue_(limits.interval, limits.retry_min, limits.retry_max) {}

void Rebuilder::start() {
    loop_running_ = true;
    auto task = run();
    spawn(executor_, "rebuild", std::move(task));
}

void Rebuilder::mark(const std::string& gate_key) {
    const std::lock_guard lock(inbox_mutex_);
    inbox_.insert(gate_key);
    if (std::exchange(inbox_posted_, true)) return;
    boost::asio::post(executor_, [this] { pace_.hurry(); });
}

void Rebuilder::take_marks() {
    std::unordered_set<std::string> marked;
    {
        const std::lock_guard lock(inbox_mutex_);
        marked.swap(inbox_);
        inbox_posted_ = false;
    }
    const auto now = Clock::now();
    for (const auto& key : marked) queue_.mark(key, now);
}

void Rebuilder::take_lost() {
    const auto now = Clock::now();
    while (!lost_.empty() && lost_.begin()->first <= now) {
        queue_.mark(lost_.begin()->second, now);
        lost_.erase(lost_.begin());
    }
}

void Rebuilder::rebuild_again(const std::string& key) {
    ++counts_.lost;
    const auto now = Clock::now();
    for (const auto pause : limits_.again_after) lost_.emplace(now + pause, key);
}

// A worker that ends wakes the loop before that; so does a mark.
std::chrono::milliseconds Rebuilder::next_rest() const {
    const auto now = Clock::now();
    auto next = now + rest_without_work;
    if (const auto due = queue_.next_due(); due && queue_workers_ < limits_.parallel) {
        next = std::min(next, *due);
    }
    if (!lost_.empty()) next = std::min(next, lost_.begin()->first);
    return std::chrono::ceil<std::chrono::milliseconds>(next - now);
}

void Rebuilder::mark_sku(const std::string& registry_key) {
    const auto registry = hooks_.registry();
    const auto found = registry->skus.find(registry_key);
    if (found == registry->skus.end()) return;
    const auto& sku = found->second;
    const auto& schema = registry->tables[sku.table].schema;
    for (unsigned bucket = 0; bucket < sku.buckets; ++bucket) {
        mark(gate_key(schema, sku.sku_id, bucket));
    }
}

void Rebuilder::mark_schema(const std::string& schema) {
    const auto registry = hooks_.registry();
    for (const auto& [key, sku] : registry->skus) {
        if (schema.empty() || registry->tables[sku.table].schema == schema) mark_sku(key);
    }
}

// "stock:SCHEMA.SKU_ID:BUCKET": what is between the first and the last colon is the registry's key.
std::optional<BucketAddress> Rebuilder::resolve(const std::string& gate_key) const {
    const auto colon = gate_key.rfind(':');
    if (!gate_key.starts_with(key_prefix) || colon <= key_prefix.size()) return std::nullopt;
    BucketAddress address;
    const char* end = gate_key.data() + gate_key.size();
    const auto [stopped, error] = std::from_chars(gate_key.data() + colon + 1, end, address.bucket);
    if (error != std::errc{} || stopped != end) return std::nullopt;
    const auto registry = hooks_.registry();
    const auto found =
        registry->skus.find(gate_key.substr(key_prefix.size(), colon - key_prefix.size()));
    if (found == registry->skus.end()) return std::nullopt;
    address.schema = registry->tables[found->second.table].schema;
    address.sku_id = found->second.sku_id;
    return address;
}

Task<> Rebuilder::run() {
    bool goes_on = true;
    while (goes_on) {
        take_marks();
        take_lost();
        const auto now = Clock::now();
        while (queue_workers_ < limits_.parallel) {
            auto key = queue_.take(now);
            if (!key) break;
            auto task = work(std::move(*key));
            spawn(executor_, "rebuild_bucket", std::move(task));
        }
        goes_on = co_await pace_.rest(next_rest());
    }
    loop_running_ = false;
}

Task<> Rebuilder::work(std::string key) {
    const Counted counted(workers_);
    const Counted counted_of_queue(queue_workers_);
    auto bucket = resolve(key);
    if (!bucket) {
        ++counts_.unknown_keys;
        queue_.forget(key);
        pace_.hurry();
        co_return;
    }
    bool ok = false;
    try {
        const auto report = co_await rebuild_counted(hooks_.gates, std::move(*bucket));
        ok = report.result == RebuildResult::rebuilt || report.result == RebuildResult::gone;
        if (ok && report.created) rebuild_again(key);
    } catch (...) {
        queue_.done(key, false, Clock::now());
        pace_.hurry();
        throw;
    }
    queue_.done(key, ok, Clock::now());
    pace_.hurry();
}

Task<RebuildReport> Rebuilder::rebuild_counted(const TargetGates& gates, BucketAddress bucket) {
    const std::string subject = bucket.schema + '.' + bucket.sku_id;
    auto report = co_await bucket_rebuild_.rebuild(gates, std::move(bucket));
    switch (report.result) {
        case RebuildResult::rebuilt:
            ++counts_.rebuilt;
            counts_.reservations_dropped += report.dropped;
            break;
        case RebuildResult::gone:
            ++counts_.gone;
            break;
        case RebuildResult::locked:
            ++counts_.locked;
            break;
        case RebuildResult::database_away:
            ++counts_.database_failures;
            break;
        case RebuildResult::gate_away:
            ++counts_.gate_failures;
            break;
    }
    if (report.error) {
        counts_.last_error = std::to_string(report.error.code) + ' ' + report.error.message;
        if (log_limit_.allows(subject)) {
            spdlog::warn(
                "event=rebuild_failed sku={} code={} error=\"{}\"",
                subject,
                report.error.code,
                report.error.message
            );
        }
    }
    co_return report;
}

Task<bool> Rebuilder::rebuild_patiently(const TargetGates& gates, BucketAddress bucket) {
    for (unsigned tried = 0; tried < limits_.tries_max && !pace_.stopped(); ++tried) {
        BucketAddress copy = bucket;
        const auto report = co_await rebuild_counted(gates, std::move(copy));
        if (report.result == RebuildResult::rebuilt || report.result == RebuildResult::gone) {
            co_return true;
        }
        // Only a lock is likely to be gone a moment later.
        if (report.result != RebuildResult::locked) co_return false;
    }
    co_return false;
}

Task<> Rebuilder::work_batch(std::shared_ptr<Batch> batch) {
    const Counted counted(workers_);
    try {
        while (batch->next < batch->buckets.size()) {
            BucketAddress bucket = batch->buckets[batch->next++];
            const bool ok = co_await rebuild_patiently(batch->gates, std::move(bucket));
            if (ok) ++batch->succeeded;
        }
    } catch (...) {
        if (--batch->workers == 0) batch->ended.notify();
        throw;
    }
    if (--batch->workers == 0) batch->ended.notify();
}

Task<bool> Rebuilder::rebuild_all(GateMaintenance& gate, std::string schema) {
    auto batch = std::make_shared<Batch>(executor_, gate);
    const auto registry = hooks_.registry();
    for (const auto& [key, sku] : registry->skus) {
        const auto& of = registry->tables[sku.table].schema;
        if (!schema.empty() && of != schema) continue;
        for (unsigned bucket = 0; bucket < sku.buckets; ++bucket) {
            BucketAddress address{of, sku.sku_id, bucket};
            batch->buckets.push_back(std::move(address));
        }
    }
    if (batch->buckets.empty()) co_return true;
    batch->workers = std::min(limits_.parallel, batch->buckets.size());
    const std::size_t workers = batch->workers;
    for (std::size_t i = 0; i < workers; ++i) {
        auto task = work_batch(batch);
        spawn(executor_, "rebuild_all", std::move(task));
    }
    co_await batch->ended.wait();
    co_return batch->succeeded == batch->buckets.size();
}

RebuildStatus Rebuilder::status() const {
    RebuildStatus now = counts_;
    now.waiting = queue_.waiting();
    now.running = workers_;
    now.oldest_ms = queue_.oldest_ms(Clock::now());
    return now;
}

}  // namespace proxy
