#pragma once
// Builds the metric families of the scrape: a thin layer over prometheus-cpp's plain structs, so
// that the list of metrics in metrics.cpp reads as a table. Used by one thread for one scrape.

#include "proxy/admin/metrics.hpp"
#include "proxy/runtime/metrics.hpp"

#include <prometheus/metric_family.h>

#include <cstdint>
#include <string>
#include <vector>

namespace proxy {

class MetricFamilies {
public:
    // A counter or gauge; a second call with the same name adds a time series to the family.
    void add(MetricSample sample);
    // One series without labels, summed over `parts`, in seconds.
    void add(
        const std::string& name,
        const std::string& help,
        const std::vector<const LatencyHistogram*>& parts
    );
    [[nodiscard]] std::string text() const;

private:
    prometheus::MetricFamily& family(
        const std::string& name, const std::string& help, prometheus::MetricType type
    );

    std::vector<prometheus::MetricFamily> families_;
};

}  // namespace proxy
