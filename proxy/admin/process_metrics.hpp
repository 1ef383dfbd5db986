#pragma once
// What every process on Linux can say of itself, under the names that dashboards expect. Reads
// /proc/self; what cannot be read is left out. Called at a scrape, any thread.

#include "proxy/admin/metrics.hpp"

#include <vector>

namespace proxy {

void add_process_metrics(std::vector<MetricSample>& samples);

}  // namespace proxy
