#include "proxy/runtime/metrics.hpp"

#include <gtest/gtest.h>

#include <thread>

namespace {

using proxy::LatencyHistogram;

std::size_t class_of(std::uint64_t us) {
    LatencyHistogram histogram;
    histogram.record(us);
    for (std::size_t index = 0; index < LatencyHistogram::classes; ++index) {
        if (histogram.count(index) == 1) return index;
    }
    return LatencyHistogram::classes;
}

TEST(LatencyHistogram, bounds_are_inclusive_and_ascending) {
    for (std::size_t index = 0; index < LatencyHistogram::bounds_us.size(); ++index) {
        const std::uint64_t bound = LatencyHistogram::bounds_us[index];
        EXPECT_EQ(class_of(bound), index);
        EXPECT_EQ(class_of(bound + 1), index + 1);
    }
    EXPECT_EQ(class_of(0), 0U);
    EXPECT_EQ(class_of(UINT64_MAX), LatencyHistogram::bounds_us.size());
}

TEST(LatencyHistogram, sums_what_it_counts) {
    LatencyHistogram histogram;
    histogram.record(std::uint64_t{40});
    histogram.record(std::chrono::microseconds(60));
    histogram.record(std::chrono::milliseconds(3));
    histogram.record(std::chrono::steady_clock::duration(-5));
    EXPECT_EQ(histogram.sum_us(), 3100U);
    EXPECT_EQ(histogram.count(0), 2U);
    EXPECT_EQ(histogram.count(1), 1U);
    EXPECT_EQ(histogram.count(6), 1U);
}

TEST(SessionMetrics, shards_never_share_a_cache_line) {
    EXPECT_EQ(sizeof(proxy::SessionMetrics) % 64, 0U);
    EXPECT_EQ(alignof(proxy::SessionMetrics), 64U);
}

TEST(SessionMetrics, one_writer_loses_nothing_while_another_thread_reads) {
    proxy::SessionMetrics metrics;
    std::atomic<bool> is_done{false};
    std::thread reader([&] {
        std::uint64_t last = 0;
        while (!is_done) {
            const std::uint64_t now = metrics.sessions_total.value();
            EXPECT_GE(now, last);
            last = now;
        }
    });
    for (int round = 0; round < 100'000; ++round) {
        metrics.sessions_total.add();
        metrics.sessions_open.add(2);
        metrics.sessions_open.subtract();
    }
    is_done = true;
    reader.join();
    EXPECT_EQ(metrics.sessions_total.value(), 100'000U);
    EXPECT_EQ(metrics.sessions_open.value(), 100'000);
}

}  // namespace
