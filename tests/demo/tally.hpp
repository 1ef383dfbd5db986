#pragma once

// What the buyers of the flash sale were told: counters that the progress line reads while the sale
// runs, and per-buyer results that are merged when it is over. Counters may be used from any
// thread; Results belong to one buyer until its thread has ended. Times are microseconds.

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace demo {

enum class Outcome {
    sold,         // the commit was acknowledged
    refused,      // zero rows: no stock
    rolled_back,  // the buyer changed his mind
    dropped,      // the buyer cut the connection before the end
    error,        // the server said no, or was gone before the commit was sent
    unknown       // the connection was lost with the commit on its way
};
inline constexpr std::size_t outcome_count = 6;
[[nodiscard]] const char* outcome_name(Outcome outcome);

class Counters {
public:
    void add(Outcome outcome) { ++counts_[static_cast<std::size_t>(outcome)]; }
    void add_connect_failure() { ++connect_failures_; }
    [[nodiscard]] std::uint64_t count(Outcome outcome) const {
        return counts_[static_cast<std::size_t>(outcome)];
    }
    [[nodiscard]] std::uint64_t connect_failures() const { return connect_failures_; }
    [[nodiscard]] std::string line() const;

private:
    std::array<std::atomic<std::uint64_t>, outcome_count> counts_{};
    std::atomic<std::uint64_t> connect_failures_{0};
};

struct Results {
    std::uint64_t units_sold = 0;
    std::vector<std::uint32_t> sale_times;  // one per sold attempt
    std::map<unsigned, std::uint64_t> error_codes;
    std::map<unsigned, std::string> error_texts;  // the first of each code
    std::chrono::steady_clock::time_point last_sale{};
    std::string log;

    void merge(Results&& other);
};

struct Figures {
    double seconds = 0;             // the whole run
    double seconds_until_sold = 0;  // start to the last successful attempt
    double successes_per_second = 0;
    double p50_ms = 0;
    double p99_ms = 0;
};

[[nodiscard]] Figures compute_figures(
    Results& results,
    std::chrono::steady_clock::time_point start,
    std::chrono::steady_clock::time_point end
);

[[nodiscard]] std::string to_json(
    const Counters& counters, const Results& results, const Figures& figures, std::uint64_t seed
);

}  // namespace demo
