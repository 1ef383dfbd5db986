#pragma once
// What sessions count while they run: one SessionMetrics per core (and one for the control
// context), owned by admin's MetricsRegistry and written only by the thread it was given to. Other
// threads may read at any time. So the hot path pays a plain add per event: no lock, no locked
// instruction, no shared cache line. Durations are recorded in microseconds.

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>

namespace proxy {

// Only rises. One writer; a read from another thread is a value it had a moment ago.
class Counter {
public:
    void add(std::uint64_t amount = 1) noexcept {
        // Load and store instead of fetch_add: with one writer nothing can come between them.
        value_.store(value_.load(std::memory_order_relaxed) + amount, std::memory_order_relaxed);
    }
    [[nodiscard]] std::uint64_t value() const noexcept {
        return value_.load(std::memory_order_relaxed);
    }

private:
    std::atomic<std::uint64_t> value_{0};
};

// Rises and falls. Same rules as Counter.
class Gauge {
public:
    void add(std::int64_t amount = 1) noexcept {
        value_.store(value_.load(std::memory_order_relaxed) + amount, std::memory_order_relaxed);
    }
    void subtract(std::int64_t amount = 1) noexcept { add(-amount); }
    [[nodiscard]] std::int64_t value() const noexcept {
        return value_.load(std::memory_order_relaxed);
    }

private:
    std::atomic<std::int64_t> value_{0};
};

// Counts durations in fixed classes. Same rules as Counter.
class LatencyHistogram {
public:
    // Inclusive upper bounds of the classes; what is longer falls into one more.
    static constexpr std::array<std::uint64_t, 15> bounds_us{
        50,
        100,
        250,
        500,
        1'000,
        2'500,
        5'000,
        10'000,
        25'000,
        50'000,
        100'000,
        250'000,
        500'000,
        1'000'000,
        2'500'000,
    };
    static constexpr std::size_t classes = bounds_us.size() + 1;

    void record(std::uint64_t us) noexcept {
        const auto bound = std::lower_bound(bounds_us.begin(), bounds_us.end(), us);
        counts_[static_cast<std::size_t>(bound - bounds_us.begin())].add();
        sum_us_.add(us);
    }
    // A negative duration (a clock that is not steady) counts as zero.
    void record(std::chrono::steady_clock::duration duration) noexcept {
        const auto us = std::chrono::duration_cast<std::chrono::microseconds>(duration).count();
        record(us < 0 ? std::uint64_t{0} : static_cast<std::uint64_t>(us));
    }
    // How many fell into one class alone, not cumulated.
    [[nodiscard]] std::uint64_t count(std::size_t index) const noexcept {
        return counts_[index].value();
    }
    [[nodiscard]] std::uint64_t sum_us() const noexcept { return sum_us_.value(); }

private:
    std::array<Counter, classes> counts_;
    Counter sum_us_;
};

enum class CommandClass : std::uint8_t { query, prepare, execute, other };
inline constexpr std::size_t command_classes = 4;

// Why a statement that could touch a hot SKU's stock was answered with an error.
enum class RefusalReason : std::uint8_t {
    touches,         // writes the stock of a hot SKU in a shape that cannot be split
    multi,           // several statements in one packet that cannot be taken apart
    unknown_packet,  // may carry SQL and is not understood
    oversize,        // too long to be inspected and names a managed table
    privilege,       // the backend denied the user the original statement
};
inline constexpr std::size_t refusal_reasons = 5;

// A whole number of cache lines of its own, so two cores never write to one line.
struct alignas(64) SessionMetrics {
    Gauge sessions_open;
    Counter sessions_total;    // accepted
    Counter sessions_refused;  // over the limit, draining, or no backend
    Counter login_failed;
    Counter probes_total;  // gone again before the backend was asked
    Counter tls_failed_client;
    Counter tls_failed_backend;
    std::array<Counter, command_classes> commands_total;  // use command()
    Counter bytes_client_in;                              // from clients
    Counter bytes_client_out;                             // to clients

    Counter statements_passed;
    std::array<Counter, refusal_reasons> statements_refused;  // use refused()

    Counter deductions_booked;       // the ledger rows were written; a rollback may follow
    Counter deductions_refused;      // sold out
    Counter deductions_rolled_back;  // booked before, then given back
    Counter deductions_judged;       // the outcome was unknown and the ledger decided it
    Counter deductions_failed;       // the client got an error
    Counter returns_booked;
    Counter ledger_fallback_total;  // the gate had nothing and the ledger was asked
    Counter gather_total;           // units of several buckets were moved into one

    Counter raw_relay_total;
    Counter protocol_errors_client;
    Counter protocol_errors_backend;

    LatencyHistogram gate_wait;        // from asking the gate to its answer
    LatencyHistogram ledger_exchange;  // from sending the ledger statements to their last reply

    [[nodiscard]] Counter& command(CommandClass kind) noexcept {
        return commands_total[static_cast<std::size_t>(kind)];
    }
    [[nodiscard]] Counter& refused(RefusalReason reason) noexcept {
        return statements_refused[static_cast<std::size_t>(reason)];
    }
};

}  // namespace proxy
