#include "proxy/gate/breaker.hpp"

#include <spdlog/spdlog.h>

#include <utility>

namespace proxy {
namespace {

constexpr std::size_t history_length_max = 64;

std::uint64_t pack(BreakerPhase phase, std::uint32_t generation) noexcept {
    return std::uint64_t{generation} << 8 | static_cast<std::uint64_t>(phase);
}

}  // namespace

Breaker::Breaker(const config::Breaker& options, std::function<void()> on_open)
    : state_(options, Clock::now()), on_open_(std::move(on_open)) {
    const std::scoped_lock lock(mutex_);
    publish();
}

BreakerView Breaker::view() const noexcept {
    const auto word = word_.load(std::memory_order_acquire);
    BreakerView view;
    view.phase = static_cast<BreakerPhase>(word & 0xff);
    view.generation = static_cast<std::uint32_t>(word >> 8);
    return view;
}

void Breaker::record_success(std::chrono::microseconds duration) {
    const bool slow = duration.count() >= slow_call_us_.load(std::memory_order_relaxed);
    if (!slow && !bad_calls_.load(std::memory_order_relaxed)) return;
    const std::scoped_lock lock(mutex_);
    state_.on_success(duration, Clock::now());
    publish();
}

void Breaker::record_failure(const char* reason) {
    // While it is not closed, the results of late client calls say nothing new.
    if (!allow()) return;
    const std::scoped_lock lock(mutex_);
    state_.on_failure(reason, Clock::now());
    publish();
}

RecoveryStep Breaker::next_recovery_step(BreakerState::Time now) {
    const std::scoped_lock lock(mutex_);
    const auto step = state_.next_step(now);
    publish();
    return step;
}

void Breaker::record_probe(bool answered, std::chrono::microseconds duration) {
    const std::scoped_lock lock(mutex_);
    state_.on_probe(answered, duration, Clock::now());
    publish();
}

void Breaker::record_rebuild(bool done) {
    const std::scoped_lock lock(mutex_);
    state_.on_rebuild(done, Clock::now());
    publish();
}

void Breaker::set_mode(config::BreakerMode mode) {
    const std::scoped_lock lock(mutex_);
    state_.set_mode(mode, Clock::now());
    publish();
}

void Breaker::configure(const config::Breaker& options) {
    const std::scoped_lock lock(mutex_);
    state_.configure(options, Clock::now());
    publish();
}

BreakerStatus Breaker::status() const {
    const std::scoped_lock lock(mutex_);
    BreakerStatus status;
    status.phase = state_.phase();
    status.mode = state_.mode();
    status.in_phase =
        std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - state_.since());
    status.window = state_.window();
    status.failures_in_row = state_.failures_in_row();
    status.generation = state_.generation();
    status.opened_total = state_.opened_total();
    status.last_reason = state_.last_reason();
    status.transitions.assign(history_.begin(), history_.end());
    return status;
}

void Breaker::publish() {
    for (auto& change : state_.take_transitions()) {
        spdlog::warn(
            "event=breaker from={} to={} window_ms={} opened_total={} reason=\"{}\"",
            breaker_phase_name(change.from),
            breaker_phase_name(change.to),
            state_.window().count(),
            state_.opened_total(),
            change.reason
        );
        history_.push_back(std::move(change));
        if (history_.size() > history_length_max) history_.pop_front();
    }
    bad_calls_.store(state_.failures_in_row() != 0, std::memory_order_relaxed);
    slow_call_us_.store(
        std::chrono::microseconds(state_.options().slow_call).count(), std::memory_order_relaxed
    );
    const bool opened =
        state_.generation() != published_generation_ && state_.phase() == BreakerPhase::open;
    if (opened && on_open_) on_open_();
    published_generation_ = state_.generation();
    word_.store(pack(state_.phase(), state_.generation()), std::memory_order_release);
}

}  // namespace proxy
