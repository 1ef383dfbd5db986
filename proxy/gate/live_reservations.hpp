#pragma once
// The reservations that sessions of one core hold now, so that a rebuild can tell them from what
// nobody will ever end. One id may hold units in several buckets (gathered), each with its own end.
// One core only.

#include "proxy/ledger/request_id.hpp"

#include <cstdint>
#include <string>
#include <unordered_map>

namespace proxy {

class LiveReservations {
public:
    // False: it was live already.
    bool add(const std::string& key, const RequestId& id);
    // False: it was not live.
    bool remove(const std::string& key, const RequestId& id);
    [[nodiscard]] bool contains(const RequestId& id) const { return ids_.contains(id); }
    [[nodiscard]] bool contains(const std::string& key, const RequestId& id) const;
    [[nodiscard]] std::size_t size() const noexcept { return ids_.size(); }

private:
    // The value is a hash of the key: a collision keeps a field one rebuild longer, no more.
    std::unordered_multimap<RequestId, std::size_t, RequestIdHash> ids_;
};

}  // namespace proxy
