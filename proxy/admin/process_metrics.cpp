#include "proxy/admin/process_metrics.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

namespace proxy {
namespace {

double seconds(const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

}  // namespace

void add_process_metrics(std::vector<MetricSample>& samples) {
    rusage usage{};
    if (getrusage(RUSAGE_SELF, &usage) == 0) {
        samples.push_back(
            {"process_cpu_seconds_total",
             "CPU time used, user and system.",
             MetricSample::Kind::counter,
             {},
             seconds(usage.ru_utime) + seconds(usage.ru_stime)}
        );
    }
    std::uint64_t total_pages = 0;
    std::uint64_t resident_pages = 0;
    if (std::ifstream("/proc/self/statm") >> total_pages >> resident_pages) {
        const auto bytes = resident_pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
        samples.push_back(
            {"process_resident_memory_bytes",
             "Memory held in RAM.",
             MetricSample::Kind::gauge,
             {},
             static_cast<double>(bytes)}
        );
    }
    std::error_code error;
    const std::filesystem::directory_iterator open_files("/proc/self/fd", error);
    if (!error) {
        // The iterator's own descriptor is among them.
        const auto count = std::distance(begin(open_files), end(open_files)) - 1;
        samples.push_back(
            {"process_open_fds",
             "Open file descriptors.",
             MetricSample::Kind::gauge,
             {},
             static_cast<double>(count)}
        );
    }
}

}  // namespace proxy
