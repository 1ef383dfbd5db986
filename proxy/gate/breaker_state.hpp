#pragma once
// The states of the breaker between the client calls and Redis, as a pure machine: time is given,
// nothing is done, every change is recorded. Not thread-safe; Breaker guards it.
//
//   closed      client calls go to Redis; `failures` bad ones in a row open it
//   open        the local gate serves until the window is over; never shorter, so it cannot flap
//   half_open   still local; the control context sends probes, `half_open_probes` clean ones IN A
//   ROW lead on rebuilding  still local; every bucket in Redis is set right from the ledger, then
//   closed
//
// A bad probe or rebuild opens it again with twice the window, up to `open_max`; so does opening
// soon after it was closed. on_success and on_failure are for client calls, next_step, on_probe and
// on_rebuild for the control context only. The mode overrides it: `open` holds it open, `closed`
// holds it closed whatever happens (what was missed while it was open is still rebuilt).

#include "config/config.hpp"

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace proxy {

enum class BreakerPhase : std::uint8_t { closed, open, half_open, rebuilding };

[[nodiscard]] std::string_view breaker_phase_name(BreakerPhase phase) noexcept;

enum class RecoveryStep : std::uint8_t {
    wait,     // nothing to do now
    probe,    // ask Redis something harmless and report with on_probe
    rebuild,  // rebuild every bucket in Redis and report with on_rebuild
};

struct BreakerTransition {
    BreakerPhase from = BreakerPhase::closed;
    BreakerPhase to = BreakerPhase::closed;
    std::chrono::steady_clock::time_point at{};
    std::string reason;
};

class BreakerState {
public:
    using Time = std::chrono::steady_clock::time_point;

    BreakerState(const config::Breaker& options, Time now);

    void on_success(std::chrono::microseconds duration, Time now);
    void on_failure(const std::string& reason, Time now);

    [[nodiscard]] RecoveryStep next_step(Time now);
    void on_probe(bool answered, std::chrono::microseconds duration, Time now);
    void on_rebuild(bool done, Time now);

    void set_mode(config::BreakerMode mode, Time now);
    // New numbers from a reload; the mode among them.
    void configure(const config::Breaker& options, Time now);

    [[nodiscard]] BreakerPhase phase() const noexcept { return phase_; }
    [[nodiscard]] config::BreakerMode mode() const noexcept { return options_.mode; }
    [[nodiscard]] const config::Breaker& options() const noexcept { return options_; }
    [[nodiscard]] Time since() const noexcept { return since_; }
    [[nodiscard]] std::uint32_t failures_in_row() const noexcept { return failures_; }
    [[nodiscard]] std::chrono::milliseconds window() const noexcept { return window_; }
    // Rises when it opens (the local gate starts afresh) and when it closes (Redis was rebuilt).
    [[nodiscard]] std::uint32_t generation() const noexcept { return generation_; }
    [[nodiscard]] std::uint64_t opened_total() const noexcept { return opened_total_; }
    [[nodiscard]] const std::string& last_reason() const noexcept { return last_reason_; }

    // Changes since the last call, oldest first.
    [[nodiscard]] std::vector<BreakerTransition> take_transitions();

private:
    void enter(BreakerPhase phase, std::string reason, Time now);
    void open(std::string reason, Time now);
    void reopen(std::string reason, Time now);
    void close(std::string reason, Time now);
    void count_bad_call(const std::string& reason, Time now);

    config::Breaker options_;
    BreakerPhase phase_ = BreakerPhase::closed;
    Time since_;
    std::chrono::milliseconds window_;
    std::uint32_t failures_ = 0;
    std::uint32_t clean_probes_ = 0;
    std::uint32_t generation_ = 0;
    std::uint64_t opened_total_ = 0;
    bool rebuild_due_ = false;  // closed by hand with buckets that Redis missed
    std::string last_reason_;
    std::vector<BreakerTransition> transitions_;
};

}  // namespace proxy
