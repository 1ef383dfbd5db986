#pragma once
// Which gates a rebuild of a bucket must set right at this moment. Ask anew for every bucket, after
// it was taken from the dirty ones and with its ledger row locked, and treat each target by its own
// reservations.
//   closed             Redis
//   open, half_open    the local gate; Redis will be rebuilt as a whole before it serves again
//   rebuilding         both: what the local gate does meanwhile reaches Redis through the dirty
//   marks

#include "proxy/gate/breaker.hpp"
#include "proxy/gate/gate.hpp"

#include <vector>

namespace proxy {

class RebuildTargets {
public:
    // `redis` may be none: configured as `local`. All must outlive it. Thread-safe as far as they
    // are.
    RebuildTargets(GateMaintenance* redis, GateMaintenance& local, const Breaker& breaker) noexcept
        : redis_(redis), local_(&local), breaker_(&breaker) {}

    [[nodiscard]] std::vector<GateMaintenance*> now() const;
    // The one that answers clients.
    [[nodiscard]] GateMaintenance& serving() const noexcept;

private:
    GateMaintenance* redis_;
    GateMaintenance* local_;
    const Breaker* breaker_;
};

}  // namespace proxy
