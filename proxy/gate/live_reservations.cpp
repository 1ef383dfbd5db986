#include "proxy/gate/live_reservations.hpp"

#include <functional>

namespace proxy {

bool LiveReservations::add(const std::string& key, const RequestId& id) {
    if (contains(key, id)) return false;
    ids_.emplace(id, std::hash<std::string>{}(key));
    return true;
}

bool LiveReservations::remove(const std::string& key, const RequestId& id) {
    const auto hash = std::hash<std::string>{}(key);
    const auto [begin, end] = ids_.equal_range(id);
    for (auto at = begin; at != end; ++at) {
        if (at->second != hash) continue;
        ids_.erase(at);
        return true;
    }
    return false;
}

bool LiveReservations::contains(const std::string& key, const RequestId& id) const {
    const auto hash = std::hash<std::string>{}(key);
    const auto [begin, end] = ids_.equal_range(id);
    for (auto at = begin; at != end; ++at) {
        if (at->second == hash) return true;
    }
    return false;
}

}  // namespace proxy
