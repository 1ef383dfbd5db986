#pragma once
// The gate inside this process: one for all cores, thread-safe by sharded mutexes with short
// critical sections, no I/O. Same semantics, call by call, as the Lua scripts; one test suite runs
// against both. Serves while the breaker is not closed, or always when configured as `local`. Empty
// at start: a missing bucket is rebuilt from the ledger by whoever is told. Nothing here fails.

#include "proxy/gate/gate_codec.hpp"

#include <array>
#include <cstdint>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

namespace proxy {

class LocalGate {
public:
    [[nodiscard]] BucketReply reserve(
        const std::string& key, const RequestId& id, std::int64_t units, bool forced
    );
    BucketReply settle(const std::string& key, const RequestId& id);
    BucketReply release(const std::string& key, const RequestId& id);
    BucketReply credit(const std::string& key, std::int64_t units);

    [[nodiscard]] BucketState read(const std::string& key) const;
    // False: a remainder outside 0 .. units_max; nothing changed.
    bool rebuild(
        const std::string& key, std::int64_t remainder, const std::vector<RequestId>& settled
    );
    void remove(const std::string& key);

    // Forgets all buckets. Calls of other threads see each bucket either before or after.
    void clear();
    [[nodiscard]] std::size_t bucket_count() const;

private:
    struct Bucket {
        std::int64_t left = 0;
        std::unordered_map<RequestId, std::int64_t, RequestIdHash> reservations;
    };
    struct alignas(64) Shard {
        mutable std::mutex mutex;
        std::unordered_map<std::string, Bucket> buckets;
    };
    static constexpr std::size_t shard_count = 64;

    [[nodiscard]] Shard& shard_of(const std::string& key) {
        return shards_[std::hash<std::string>{}(key) % shard_count];
    }
    [[nodiscard]] const Shard& shard_of(const std::string& key) const {
        return shards_[std::hash<std::string>{}(key) % shard_count];
    }

    std::array<Shard, shard_count> shards_;
};

// LocalGate for those who also maintain Redis. Stateless; any thread. Its tasks never suspend.
class LocalMaintenance final : public GateMaintenance {
public:
    explicit LocalMaintenance(LocalGate& gate) noexcept : gate_(&gate) {}
    Task<bool> read(const std::string& key, BucketState& state) override;
    Task<bool> rebuild(
        const std::string& key, std::int64_t remainder, const std::vector<RequestId>& settled
    ) override;
    Task<bool> remove(const std::string& key) override;
    Task<bool> ping() override;

private:
    LocalGate* gate_;
};

}  // namespace proxy
