#pragma once
// Lets one log line per kind and interval through and counts what it held back, so that a dead
// Redis does not fill a disk. Kinds are small numbers. Not thread-safe: one per link.

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace proxy {

class LogLimit {
public:
    using Time = std::chrono::steady_clock::time_point;
    static constexpr std::size_t kinds = 16;

    explicit LogLimit(std::chrono::milliseconds interval) noexcept : interval_(interval) {}

    // A value: write the line, and say that so many like it were held back since the last one.
    [[nodiscard]] std::optional<std::uint64_t> admit(std::size_t kind, Time now) noexcept {
        auto& line = lines_[kind % kinds];
        if (line.written && now - line.last < interval_) {
            ++line.held_back;
            return std::nullopt;
        }
        const auto held_back = line.held_back;
        line = Line{now, 0, true};
        return held_back;
    }

private:
    struct Line {
        Time last{};
        std::uint64_t held_back = 0;
        bool written = false;
    };
    std::chrono::milliseconds interval_;
    std::array<Line, kinds> lines_{};
};

}  // namespace proxy
