#pragma once
// Which bucket to rebuild next. A plain value without clock or lock: one entry per bucket however
// often it is marked, at most one rebuild of a bucket per interval, failed ones again later with a
// growing pause. A bucket marked while it is being rebuilt is rebuilt once more, because the
// running rebuild may have looked before whatever the mark is about.

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>

namespace proxy {

class RebuildQueue {
public:
    using TimePoint = std::chrono::steady_clock::time_point;
    using Milliseconds = std::chrono::milliseconds;

    RebuildQueue(Milliseconds interval, Milliseconds retry_min, Milliseconds retry_max)
        : interval_(interval), retry_min_(retry_min), retry_max_(retry_max) {}

    void mark(const std::string& key, TimePoint now);
    // The next bucket that is due; it counts as running until `done`.
    [[nodiscard]] std::optional<std::string> take(TimePoint now);
    void done(const std::string& key, bool ok, TimePoint now);
    // The bucket is gone: nothing is remembered of it. Ends `take` like `done`.
    void forget(const std::string& key);

    [[nodiscard]] std::optional<TimePoint> next_due() const;
    [[nodiscard]] std::size_t waiting() const noexcept { return schedule_.size(); }
    // Since the bucket that waits longest was marked; 0 if none waits.
    [[nodiscard]] std::uint64_t oldest_ms(TimePoint now) const;

private:
    enum class State : std::uint8_t { idle, waiting, running, running_marked };
    struct Entry {
        State state = State::idle;
        TimePoint marked{};
        TimePoint not_before{};
        unsigned failures = 0;
    };
    void schedule(const std::string& key, Entry& entry, TimePoint due);

    Milliseconds interval_;
    Milliseconds retry_min_;
    Milliseconds retry_max_;
    std::unordered_map<std::string, Entry> entries_;
    std::multimap<TimePoint, std::string> schedule_;
};

}  // namespace proxy
