#include "proxy/services/rebuild_queue.hpp"

#include <algorithm>

namespace proxy {

void RebuildQueue::schedule(const std::string& key, Entry& entry, TimePoint due) {
    entry.state = State::waiting;
    schedule_.emplace(due, key);
}

void RebuildQueue::mark(const std::string& key, TimePoint now) {
    Entry& entry = entries_[key];
    switch (entry.state) {
        case State::idle:
            entry.marked = now;
            schedule(key, entry, std::max(now, entry.not_before));
            break;
        case State::running:
            entry.marked = now;
            entry.state = State::running_marked;
            break;
        case State::waiting:
        case State::running_marked:
            break;
    }
}

std::optional<std::string> RebuildQueue::take(TimePoint now) {
    const auto first = schedule_.begin();
    if (first == schedule_.end() || first->first > now) return std::nullopt;
    std::string key = std::move(first->second);
    schedule_.erase(first);
    entries_[key].state = State::running;
    return key;
}

void RebuildQueue::done(const std::string& key, bool ok, TimePoint now) {
    Entry& entry = entries_[key];
    const bool marked_again = entry.state == State::running_marked;
    entry.state = State::idle;
    if (ok) {
        entry.failures = 0;
        entry.not_before = now + interval_;
        if (marked_again) schedule(key, entry, entry.not_before);
        return;
    }
    const unsigned doublings = std::min(entry.failures, 16U);
    ++entry.failures;
    schedule(key, entry, now + std::min(retry_max_, retry_min_ * (1 << doublings)));
}

void RebuildQueue::forget(const std::string& key) {
    const auto found = entries_.find(key);
    if (found == entries_.end()) return;
    if (found->second.state == State::waiting) {
        std::erase_if(schedule_, [&key](const auto& due) { return due.second == key; });
    }
    entries_.erase(found);
}

std::optional<RebuildQueue::TimePoint> RebuildQueue::next_due() const {
    if (schedule_.empty()) return std::nullopt;
    return schedule_.begin()->first;
}

std::uint64_t RebuildQueue::oldest_ms(TimePoint now) const {
    TimePoint oldest = now;
    for (const auto& [due, key] : schedule_) oldest = std::min(oldest, entries_.at(key).marked);
    const auto age = std::chrono::duration_cast<std::chrono::milliseconds>(now - oldest);
    return static_cast<std::uint64_t>(age.count());
}

}  // namespace proxy
