#include "proxy/gate/breaker_state.hpp"

#include <algorithm>
#include <utility>

namespace proxy {
namespace {

using config::BreakerMode;

}  // namespace

std::string_view breaker_phase_name(BreakerPhase phase) noexcept {
    switch (phase) {
        case BreakerPhase::closed:
            return "closed";
        case BreakerPhase::open:
            return "open";
        case BreakerPhase::half_open:
            return "half_open";
        case BreakerPhase::rebuilding:
            break;
    }
    return "rebuilding";
}

BreakerState::BreakerState(const config::Breaker& options, Time now)
    : options_(options), since_(now), window_(options.open) {
    if (options_.mode == BreakerMode::open) {
        open("held open by configuration", now);
    }
}

void BreakerState::on_success(std::chrono::microseconds duration, Time now) {
    if (phase_ != BreakerPhase::closed) return;
    if (duration >= options_.slow_call) {
        count_bad_call("slow call", now);
    } else {
        failures_ = 0;
    }
}

void BreakerState::on_failure(const std::string& reason, Time now) {
    if (phase_ == BreakerPhase::closed) count_bad_call(reason, now);
}

void BreakerState::count_bad_call(const std::string& reason, Time now) {
    ++failures_;
    if (options_.mode == BreakerMode::closed || failures_ < options_.failures) return;
    // Opened again before it proved itself for one window: Redis is not as healthy as its probes
    // say.
    const bool proven = opened_total_ == 0 || now - since_ >= window_;
    window_ = proven ? options_.open : std::min(window_ * 2, options_.open_max);
    open(std::to_string(failures_) + " bad calls in a row, the last: " + reason, now);
}

RecoveryStep BreakerState::next_step(Time now) {
    switch (phase_) {
        case BreakerPhase::closed:
            return rebuild_due_ ? RecoveryStep::rebuild : RecoveryStep::wait;
        case BreakerPhase::open:
            if (options_.mode == BreakerMode::open || now - since_ < window_) {
                return RecoveryStep::wait;
            }
            clean_probes_ = 0;
            enter(BreakerPhase::half_open, "the window is over", now);
            return RecoveryStep::probe;
        case BreakerPhase::half_open:
            return RecoveryStep::probe;
        case BreakerPhase::rebuilding:
            return RecoveryStep::rebuild;
    }
    return RecoveryStep::wait;
}

void BreakerState::on_probe(bool answered, std::chrono::microseconds duration, Time now) {
    if (phase_ != BreakerPhase::half_open) return;
    if (!answered || duration >= options_.slow_call) {
        reopen(answered ? "slow probe" : "failed probe", now);
        return;
    }
    if (++clean_probes_ >= options_.half_open_probes) {
        enter(BreakerPhase::rebuilding, "probes are clean", now);
    }
}

void BreakerState::on_rebuild(bool done, Time now) {
    if (phase_ == BreakerPhase::closed) {
        if (done) rebuild_due_ = false;
        return;
    }
    if (phase_ != BreakerPhase::rebuilding) return;
    if (done) {
        close("rebuilt from the ledger", now);
    } else {
        reopen("rebuild failed", now);
    }
}

void BreakerState::set_mode(BreakerMode mode, Time now) {
    if (mode == options_.mode) return;
    const auto before = std::exchange(options_.mode, mode);
    if (mode == BreakerMode::open && phase_ != BreakerPhase::open) {
        // From half_open and rebuilding too: somebody does not want Redis to be touched.
        open("held open by hand", now);
    } else if (mode == BreakerMode::closed && phase_ != BreakerPhase::closed) {
        close("held closed by hand", now);
        rebuild_due_ = true;
    } else if (mode == BreakerMode::automatic && before == BreakerMode::open) {
        window_ = options_.open;
        since_ = now - window_;  // the operator has waited long enough: probe at once
    }
    failures_ = 0;
}

void BreakerState::configure(const config::Breaker& options, Time now) {
    const auto mode = options.mode;
    const auto before = options_.mode;
    options_ = options;
    options_.mode = before;
    window_ = std::clamp(window_, options_.open, std::max(options_.open, options_.open_max));
    set_mode(mode, now);
}

std::vector<BreakerTransition> BreakerState::take_transitions() {
    return std::exchange(transitions_, {});
}

void BreakerState::enter(BreakerPhase phase, std::string reason, Time now) {
    transitions_.push_back(BreakerTransition{phase_, phase, now, reason});
    phase_ = phase;
    since_ = now;
    failures_ = 0;
    last_reason_ = std::move(reason);
}

void BreakerState::open(std::string reason, Time now) {
    // Coming from half_open or rebuilding the local gate has served all along and stays as it is.
    if (phase_ == BreakerPhase::closed) {
        ++generation_;
        ++opened_total_;
    }
    rebuild_due_ = false;  // a full rebuild comes before it closes again
    enter(BreakerPhase::open, std::move(reason), now);
}

void BreakerState::reopen(std::string reason, Time now) {
    window_ = std::min(window_ * 2, options_.open_max);
    open(std::move(reason), now);
}

void BreakerState::close(std::string reason, Time now) {
    ++generation_;
    enter(BreakerPhase::closed, std::move(reason), now);
}

}  // namespace proxy
