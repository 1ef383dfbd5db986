#pragma once
// The metrics of the process: owns one SessionMetrics per writing thread, sums them when somebody
// scrapes, and renders Prometheus text (format 0.0.4). Owned by the application and outlives every
// session. shard() and add_source() belong to start-up; render() may be called on any one thread
// while the shards are written. Names begin with stockgate_ and carry base units (seconds, bytes).

#include "proxy/runtime/metrics.hpp"

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace proxy {

// One figure of somebody who is not a session: breaker, reconcile, projection, ...
struct MetricSample {
    enum class Kind : std::uint8_t { counter, gauge };
    std::string name;  // complete: "stockgate_breaker_open"
    std::string help;  // one sentence; that of the first sample of a name counts
    Kind kind = Kind::gauge;
    std::vector<std::pair<std::string, std::string>> labels;
    double value = 0;
};

// Appends its samples; called at each scrape by the scraping thread, must not wait or throw.
using MetricSource = std::function<void(std::vector<MetricSample>&)>;

class MetricsRegistry {
public:
    // `shards`: one per worker event loop and one for each other thread that counts.
    MetricsRegistry(std::size_t shards, std::string version);
    MetricsRegistry(const MetricsRegistry&) = delete;
    MetricsRegistry& operator=(const MetricsRegistry&) = delete;

    // Valid as long as the registry; `index` < shards.
    [[nodiscard]] SessionMetrics& shard(std::size_t index) noexcept { return shards_[index]; }
    void add_source(MetricSource source) { sources_.push_back(std::move(source)); }

    [[nodiscard]] std::string render() const;

private:
    std::size_t shard_count_;
    std::unique_ptr<SessionMetrics[]> shards_;
    std::string version_;
    std::vector<MetricSource> sources_;
};

}  // namespace proxy
