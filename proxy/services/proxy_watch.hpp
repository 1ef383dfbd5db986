#pragma once
// Decides from the heartbeat rows of one schema which proxies are dead. Pure: times come from the
// caller. A proxy is dead when its row was not touched while this process watched it, without a
// gap, for the whole limit; so neither a skewed clock nor a database that was away for all of us
// declares the living dead.

#include <chrono>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace proxy {

struct ProxyRow {
    std::uint32_t incarnation = 0;
    std::string seen_at;  // as the database writes it; only compared for equality
    bool operator==(const ProxyRow&) const = default;
};

class ProxyWatch {
public:
    using TimePoint = std::chrono::steady_clock::time_point;

    ProxyWatch(std::chrono::milliseconds dead_after, std::chrono::milliseconds gap_max)
        : dead_after_(dead_after), gap_max_(gap_max) {}

    // `rows`: all rows of the schema but our own, read at `now`. Returns those to be claimed.
    [[nodiscard]] std::vector<ProxyRow> observe(const std::vector<ProxyRow>& rows, TimePoint now);

private:
    struct Seen {
        std::string seen_at;
        TimePoint since;
    };
    std::chrono::milliseconds dead_after_;
    std::chrono::milliseconds gap_max_;
    TimePoint last_{};
    std::unordered_map<std::uint32_t, Seen> seen_;
};

}  // namespace proxy
