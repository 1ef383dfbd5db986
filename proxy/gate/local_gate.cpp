#include "proxy/gate/local_gate.hpp"

namespace proxy {
namespace {

BucketReply code_only(BucketCode code) {
    return BucketReply{code, 0};
}

}  // namespace

BucketReply LocalGate::reserve(
    const std::string& key, const RequestId& id, std::int64_t units, bool forced
) {
    auto& shard = shard_of(key);
    const std::scoped_lock lock(shard.mutex);
    const auto found = shard.buckets.find(key);
    if (found == shard.buckets.end()) return code_only(BucketCode::missing);
    auto& bucket = found->second;
    if (bucket.reservations.contains(id)) return BucketReply{BucketCode::done, bucket.left};
    if (!is_valid_units(units)) return BucketReply{BucketCode::insufficient, bucket.left};
    if (!forced && bucket.left < units) return BucketReply{BucketCode::insufficient, bucket.left};
    if (bucket.left < units - units_max) return code_only(BucketCode::damaged);
    bucket.left -= units;
    bucket.reservations.emplace(id, units);
    return BucketReply{BucketCode::done, bucket.left};
}

BucketReply LocalGate::settle(const std::string& key, const RequestId& id) {
    auto& shard = shard_of(key);
    const std::scoped_lock lock(shard.mutex);
    const auto found = shard.buckets.find(key);
    if (found == shard.buckets.end()) return code_only(BucketCode::missing);
    found->second.reservations.erase(id);
    return code_only(BucketCode::done);
}

BucketReply LocalGate::release(const std::string& key, const RequestId& id) {
    auto& shard = shard_of(key);
    const std::scoped_lock lock(shard.mutex);
    const auto found = shard.buckets.find(key);
    if (found == shard.buckets.end()) return code_only(BucketCode::missing);
    auto& bucket = found->second;
    const auto reservation = bucket.reservations.find(id);
    if (reservation == bucket.reservations.end()) return code_only(BucketCode::done);
    if (bucket.left > units_max - reservation->second) return code_only(BucketCode::damaged);
    bucket.left += reservation->second;
    bucket.reservations.erase(reservation);
    return code_only(BucketCode::done);
}

BucketReply LocalGate::credit(const std::string& key, std::int64_t units) {
    auto& shard = shard_of(key);
    const std::scoped_lock lock(shard.mutex);
    const auto found = shard.buckets.find(key);
    if (found == shard.buckets.end()) return code_only(BucketCode::missing);
    auto& bucket = found->second;
    if (!is_valid_units(units) || bucket.left > units_max - units) {
        return code_only(BucketCode::damaged);
    }
    bucket.left += units;
    return code_only(BucketCode::done);
}

BucketState LocalGate::read(const std::string& key) const {
    BucketState state;
    const auto& shard = shard_of(key);
    const std::scoped_lock lock(shard.mutex);
    const auto found = shard.buckets.find(key);
    if (found == shard.buckets.end()) return state;
    state.exists = true;
    state.left = found->second.left;
    state.reservations.reserve(found->second.reservations.size());
    for (const auto& [id, units] : found->second.reservations) {
        state.reservations.push_back(GateReservation{id, units});
    }
    return state;
}

bool LocalGate::rebuild(
    const std::string& key, std::int64_t remainder, const std::vector<RequestId>& settled
) {
    if (!is_valid_units(remainder)) return false;
    auto& shard = shard_of(key);
    const std::scoped_lock lock(shard.mutex);
    auto& bucket = shard.buckets[key];
    for (const auto& id : settled) bucket.reservations.erase(id);
    bucket.left = remainder;
    for (const auto& [id, units] : bucket.reservations) bucket.left -= units;
    return true;
}

void LocalGate::remove(const std::string& key) {
    auto& shard = shard_of(key);
    const std::scoped_lock lock(shard.mutex);
    shard.buckets.erase(key);
}

void LocalGate::clear() {
    for (auto& shard : shards_) {
        const std::scoped_lock lock(shard.mutex);
        shard.buckets.clear();
    }
}

std::size_t LocalGate::bucket_count() const {
    std::size_t count = 0;
    for (const auto& shard : shards_) {
        const std::scoped_lock lock(shard.mutex);
        count += shard.buckets.size();
    }
    return count;
}

Task<bool> LocalMaintenance::read(const std::string& key, BucketState& state) {
    state = gate_->read(key);
    co_return true;
}

Task<bool> LocalMaintenance::rebuild(
    const std::string& key, std::int64_t remainder, const std::vector<RequestId>& settled
) {
    co_return gate_->rebuild(key, remainder, settled);
}

Task<bool> LocalMaintenance::remove(const std::string& key) {
    gate_->remove(key);
    co_return true;
}

Task<bool> LocalMaintenance::ping() {
    co_return true;
}

}  // namespace proxy
