#pragma once
// The breaker of this process: one BreakerState for all cores, and what every core may ask without
// a lock.
//
// Concurrency. `word_` packs phase and generation into one atomic; `view` and `allow` are one
// acquire load of it, so the pair is always consistent. It is stored (release) only under `mutex_`,
// after the local gate was cleared by `on_open`; who sees "open" therefore sees an empty local
// gate. `bad_calls_` mirrors "there were bad calls in a row" so that a good call, the hot case,
// takes no lock: it is one relaxed load. Harmless races: a good call may read it just before
// another core's bad call sets it, and then does not break the row (the breaker opens one call
// early or late); a call may start with "closed" and end when it is open, and then its result is
// ignored and its ticket carries the old generation, which marks its bucket dirty. Everything else
// takes the mutex, which no coroutine holds across a suspension.

#include "proxy/gate/breaker_state.hpp"

#include <atomic>
#include <deque>
#include <functional>
#include <mutex>

namespace proxy {

struct BreakerView {
    BreakerPhase phase = BreakerPhase::closed;
    std::uint32_t generation = 0;
};

struct BreakerStatus {
    BreakerPhase phase = BreakerPhase::closed;
    config::BreakerMode mode = config::BreakerMode::automatic;
    std::chrono::milliseconds in_phase{0};
    std::chrono::milliseconds window{0};
    std::uint32_t failures_in_row = 0;
    std::uint32_t generation = 0;
    std::uint64_t opened_total = 0;
    std::string last_reason;
    std::vector<BreakerTransition> transitions;  // the latest, oldest first
};

class Breaker {
public:
    // `on_open` runs under the breaker's lock, before anybody can see that it is open: it must be
    // short and must not call the breaker. Meant for LocalGate::clear.
    Breaker(const config::Breaker& options, std::function<void()> on_open);

    [[nodiscard]] BreakerView view() const noexcept;
    // True: client calls go to Redis.
    [[nodiscard]] bool allow() const noexcept { return view().phase == BreakerPhase::closed; }

    void record_success(std::chrono::microseconds duration);
    // `reason` must be a literal or live through the call; it ends up in the log and the status.
    void record_failure(const char* reason);

    // For the control context only.
    [[nodiscard]] RecoveryStep next_recovery_step(BreakerState::Time now);
    void record_probe(bool answered, std::chrono::microseconds duration);
    void record_rebuild(bool done);

    void set_mode(config::BreakerMode mode);
    void configure(const config::Breaker& options);
    [[nodiscard]] BreakerStatus status() const;

private:
    using Clock = std::chrono::steady_clock;
    void publish();  // with mutex_ held, after every change of state_

    mutable std::mutex mutex_;
    BreakerState state_;
    std::function<void()> on_open_;
    std::deque<BreakerTransition> history_;
    std::uint32_t published_generation_ = 0;
    std::atomic<std::uint64_t> word_{0};
    std::atomic<bool> bad_calls_{false};
    // Read without the lock to tell a slow call.
    std::atomic<std::int64_t> slow_call_us_{0};
};

}  // namespace proxy
