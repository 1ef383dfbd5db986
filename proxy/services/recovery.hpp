#pragma once
// Brings Redis back after the breaker opened: probes it without any client's traffic, and when it
// was clean for long enough rebuilds every bucket from the ledger, after which the breaker closes.
// What is next and when is the breaker's decision; this executes it. One per process, control
// context only, the only one that probes.

#include "proxy/gate/breaker.hpp"
#include "proxy/gate/gate.hpp"
#include "proxy/services/pace.hpp"
#include "proxy/services/rebuild.hpp"

namespace proxy {

struct RecoveryStatus {
    std::uint64_t probes = 0;
    std::uint64_t probes_failed = 0;
    std::uint64_t rebuilds = 0;
    std::uint64_t rebuilds_failed = 0;
    std::uint64_t switched_to_local = 0;
    bool rebuilding = false;
};

class Recovery {
public:
    Recovery(
        const boost::asio::any_io_executor& executor,
        Breaker& breaker,
        GateMaintenance& redis,
        Rebuilder& rebuilder,
        std::chrono::milliseconds interval
    );

    // Before the first session. True: Redis answered and holds what the ledger says. False: it does
    // not, and the breaker was opened (unless its mode holds it closed), so the local gate serves.
    Task<bool> begin();

    void start();
    void stop() { pace_.stop(); }
    [[nodiscard]] bool running() const noexcept { return running_; }
    [[nodiscard]] RecoveryStatus status() const noexcept { return counts_; }

private:
    Task<> run();
    Task<bool> probe(std::chrono::microseconds& duration);
    Task<bool> rebuild();
    void seed_local();

    boost::asio::any_io_executor executor_;
    Breaker* breaker_;
    GateMaintenance* redis_;
    Rebuilder* rebuilder_;
    std::chrono::milliseconds interval_;
    Pace pace_;
    bool running_ = false;
    bool redis_served_ = true;
    RecoveryStatus counts_;
};

}  // namespace proxy
