#pragma once
// Lets one line per subject and interval through, so that a state which lasts fills no disk. A
// plain value of the service that logs; one thread. Subjects are forgotten when there are too many.

#include <chrono>
#include <string>
#include <unordered_map>

namespace proxy {

class SubjectLogLimit {
public:
    explicit SubjectLogLimit(std::chrono::milliseconds interval) : interval_(interval) {}

    [[nodiscard]] bool allows(
        const std::string& subject,
        std::chrono::steady_clock::time_point now = std::chrono::steady_clock::now()
    ) {
        if (last_.size() > subjects_max) last_.clear();
        const auto [place, fresh] = last_.try_emplace(subject, now);
        if (!fresh && now - place->second < interval_) return false;
        place->second = now;
        return true;
    }

private:
    static constexpr std::size_t subjects_max = 1000;
    std::chrono::milliseconds interval_;
    std::unordered_map<std::string, std::chrono::steady_clock::time_point> last_;
};

}  // namespace proxy
