#include "proxy/admin/metric_families.hpp"

#include <prometheus/text_serializer.h>

#include <algorithm>
#include <limits>
#include <sstream>

namespace proxy {
namespace {

constexpr double us_per_second = 1e6;

}  // namespace

prometheus::MetricFamily& MetricFamilies::family(
    const std::string& name, const std::string& help, prometheus::MetricType type
) {
    // A name must appear once in the text, whoever reports its series and in whatever order.
    const auto found = std::find_if(families_.begin(), families_.end(), [&](const auto& known) {
        return known.name == name;
    });
    if (found != families_.end()) return *found;
    prometheus::MetricFamily added;
    added.name = name;
    added.help = help;
    added.type = type;
    families_.push_back(std::move(added));
    return families_.back();
}

void MetricFamilies::add(MetricSample sample) {
    const bool is_counter = sample.kind == MetricSample::Kind::counter;
    prometheus::MetricFamily& target = family(
        sample.name,
        sample.help,
        is_counter ? prometheus::MetricType::Counter : prometheus::MetricType::Gauge
    );
    prometheus::ClientMetric metric;
    for (auto& [name, value] : sample.labels) {
        metric.label.push_back({std::move(name), std::move(value)});
    }
    // The kind that the family began with decides what the serialiser reads.
    metric.counter.value = sample.value;
    metric.gauge.value = sample.value;
    target.metric.push_back(std::move(metric));
}

void MetricFamilies::add(
    const std::string& name,
    const std::string& help,
    const std::vector<const LatencyHistogram*>& parts
) {
    prometheus::ClientMetric metric;
    std::uint64_t cumulative = 0;
    for (std::size_t index = 0; index < LatencyHistogram::classes; ++index) {
        for (const LatencyHistogram* part : parts) cumulative += part->count(index);
        const bool is_last = index == LatencyHistogram::bounds_us.size();
        const double bound =
            is_last ? std::numeric_limits<double>::infinity()
                    : static_cast<double>(LatencyHistogram::bounds_us[index]) / us_per_second;
        metric.histogram.bucket.push_back({cumulative, bound});
    }
    // Taken from the classes: a count of its own could differ from them in a running system.
    metric.histogram.sample_count = cumulative;
    std::uint64_t sum_us = 0;
    for (const LatencyHistogram* part : parts) sum_us += part->sum_us();
    metric.histogram.sample_sum = static_cast<double>(sum_us) / us_per_second;
    family(name, help, prometheus::MetricType::Histogram).metric.push_back(std::move(metric));
}

std::string MetricFamilies::text() const {
    std::ostringstream out;
    prometheus::TextSerializer().Serialize(out, families_);
    return std::move(out).str();
}

}  // namespace proxy
