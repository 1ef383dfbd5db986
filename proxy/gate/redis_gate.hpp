#pragma once
// The gate's calls over one RedisLink, for one core: the client calls (RemoteGate) and what
// rebuild, reconcile and verify need (GateMaintenance). The control context has one of its own. A
// call that came to an unclear end marks its bucket dirty once more when that end is over, because
// only then a rebuild is sure to come last. Must be destroyed, or stopped, on its core's thread;
// its calls then end at once.

#include "proxy/gate/redis_link.hpp"
#include "proxy/gate/remote_gate.hpp"

namespace proxy {

class RedisGate final : public RemoteGate, public GateMaintenance {
public:
    // `dirty` must outlive it.
    RedisGate(
        const boost::asio::any_io_executor& executor, RedisOptions options, DirtyBuckets& dirty
    );

    void start() { link_.start(); }
    void stop() { link_.stop(); }

    Task<RemoteReply> reserve(
        const std::string& key, const RequestId& id, std::int64_t units, bool forced
    ) override;
    void settle(const std::string& key, const RequestId& id, Done done) override;
    void release(const std::string& key, const RequestId& id, Done done) override;
    void credit(const std::string& key, std::int64_t units, Done done) override;

    Task<bool> read(const std::string& key, BucketState& state) override;
    // False also for a remainder outside 0 .. units_max.
    Task<bool> rebuild(
        const std::string& key, std::int64_t remainder, const std::vector<RequestId>& settled
    ) override;
    Task<bool> remove(const std::string& key) override;
    Task<bool> ping() override;

    [[nodiscard]] const RedisLink& link() const noexcept { return link_; }

private:
    void post(const std::string& key, std::string bytes, Done done);
    RedisLink link_;
};

}  // namespace proxy
