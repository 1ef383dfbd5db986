#include "proxy/services/recovery.hpp"

#include <spdlog/spdlog.h>

namespace proxy {

using std::chrono::steady_clock;

Recovery::Recovery(
    const boost::asio::any_io_executor& executor,
    Breaker& breaker,
    GateMaintenance& redis,
    Rebuilder& rebuilder,
    std::chrono::milliseconds interval
)
    : executor_(executor),
      breaker_(&breaker),
      redis_(&redis),
      rebuilder_(&rebuilder),
      interval_(interval),
      pace_(executor) {}

Task<bool> Recovery::begin() {
    std::chrono::microseconds duration{0};
    const bool answered = co_await probe(duration);
    if (answered) {
        const bool rebuilt = co_await rebuild();
        if (rebuilt) co_return true;
    }
    // As many as it takes, whatever the configuration says; a mode that holds it closed wins.
    const auto mode = breaker_->status().mode;
    while (mode == config::BreakerMode::automatic && breaker_->allow()) {
        breaker_->record_failure(answered ? "rebuild at start failed" : "no answer at start");
    }
    co_return false;
}

void Recovery::start() {
    running_ = true;
    redis_served_ = true;  // so that an open breaker has the local gate seeded
    auto task = run();
    spawn(executor_, "recovery", std::move(task));
}

Task<> Recovery::run() {
    bool goes_on = true;
    while (goes_on) {
        seed_local();
        switch (breaker_->next_recovery_step(steady_clock::now())) {
            case RecoveryStep::wait:
                break;
            case RecoveryStep::probe: {
                std::chrono::microseconds duration{0};
                const bool answered = co_await probe(duration);
                breaker_->record_probe(answered, duration);
                break;
            }
            case RecoveryStep::rebuild: {
                const bool done = co_await rebuild();
                breaker_->record_rebuild(done);
                break;
            }
        }
        goes_on = co_await pace_.rest(interval_);
    }
    running_ = false;
}

// The local gate starts empty. It would fill by itself, a bucket at its first use; this is earlier.
void Recovery::seed_local() {
    const bool serves = breaker_->allow();
    if (redis_served_ && !serves) {
        ++counts_.switched_to_local;
        rebuilder_->mark_schema({});
    }
    redis_served_ = serves;
}

// The deadline is the link's own.
Task<bool> Recovery::probe(std::chrono::microseconds& duration) {
    ++counts_.probes;
    const auto from = steady_clock::now();
    const bool answered = co_await redis_->ping();
    duration = std::chrono::duration_cast<std::chrono::microseconds>(steady_clock::now() - from);
    if (!answered) ++counts_.probes_failed;
    co_return answered;
}

Task<bool> Recovery::rebuild() {
    ++counts_.rebuilds;
    counts_.rebuilding = true;
    const std::string every_schema;
    const bool done = co_await rebuilder_->rebuild_all(*redis_, every_schema);
    counts_.rebuilding = false;
    if (!done) ++counts_.rebuilds_failed;
    spdlog::info("event=gate_rebuilt done={}", done);
    co_return done;
}

}  // namespace proxy
