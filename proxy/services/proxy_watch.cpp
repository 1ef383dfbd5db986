#include "proxy/services/proxy_watch.hpp"

#include <utility>

namespace proxy {

std::vector<ProxyRow> ProxyWatch::observe(const std::vector<ProxyRow>& rows, TimePoint now) {
    const bool gap = now - last_ > gap_max_;
    last_ = now;
    std::vector<ProxyRow> dead;
    std::unordered_map<std::uint32_t, Seen> still;
    for (const auto& row : rows) {
        Seen seen{row.seen_at, now};
        const auto known = seen_.find(row.incarnation);
        const bool untouched = !gap && known != seen_.end() && known->second.seen_at == row.seen_at;
        if (untouched) seen.since = known->second.since;
        if (now - seen.since >= dead_after_) dead.push_back(row);
        still.emplace(row.incarnation, std::move(seen));
    }
    seen_ = std::move(still);
    return dead;
}

}  // namespace proxy
