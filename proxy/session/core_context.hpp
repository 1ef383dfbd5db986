#pragma once
// All that a session may use of the core that it lives on. One per worker event loop, owned by App,
// touched only on that loop. The registry pointer is replaced by a task posted to the loop.

#include "config/config.hpp"
#include "protocol/capabilities.hpp"
#include "proxy/gate/gate.hpp"
#include "proxy/ledger/judge.hpp"
#include "proxy/ledger/registry.hpp"
#include "proxy/ledger/request_id.hpp"
#include "proxy/net/tls_context.hpp"
#include "proxy/runtime/metrics.hpp"
#include "proxy/sql/sql_pool.hpp"

#include <boost/asio/any_io_executor.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <unordered_map>

namespace proxy {

// Buckets that open transactions of this core hold: another one is chosen first, so that a
// deduction does not wait for a row lock that we ourselves caused.
class HeldBuckets {
public:
    void take(const std::string& gate_key) { ++counts_[gate_key]; }
    void drop(const std::string& gate_key) {
        const auto found = counts_.find(gate_key);
        if (found != counts_.end() && --found->second == 0) counts_.erase(found);
    }
    [[nodiscard]] bool contains(const std::string& gate_key) const {
        return counts_.contains(gate_key);
    }

private:
    std::unordered_map<std::string, unsigned> counts_;
};

// Which user may run which original statement, as the backend said. An entry lives for a short time
// only, so that a REVOKE takes effect.
class PrivilegeCache {
public:
    static constexpr std::chrono::seconds lifetime{10};
    static constexpr std::size_t size_max = 10'000;
    [[nodiscard]] bool allowed(const std::string& key) const;
    void remember(const std::string& key);

private:
    std::unordered_map<std::string, std::chrono::steady_clock::time_point> until_;
};

struct CoreContext {
    unsigned index = 0;
    boost::asio::any_io_executor executor;
    std::shared_ptr<const config::Config> config;
    protocol::Capabilities passable;  // what clients are offered of the backend's capabilities
    // Replaced when certificates are reloaded. The first is null when clients are not offered TLS.
    std::shared_ptr<const TlsContext> client_tls;
    std::shared_ptr<const TlsContext> backend_tls;
    Gate* gate = nullptr;
    SqlPool* sql = nullptr;
    Judge* judge = nullptr;
    SessionMetrics* metrics = nullptr;
    RegistryView registry;
    RequestIdGenerator ids{0, 0};
    HeldBuckets held;
    PrivilegeCache privileges;
    std::minstd_rand random;  // spreads load over buckets; nothing rests on its quality
    // Asks the control context to read the registry now (a statement met an epoch that is gone).
    std::function<void()> refresh_registry;
    std::function<void(const std::string& gate_key)> mark_dirty;
};

// Tells the gate how reservations ended, hands the unknown ones to the judge, and frees their
// buckets.
struct TransactionEnds;
void conclude(CoreContext& core, TransactionEnds ends);
void hold(CoreContext& core, const Reservation& reservation);

}  // namespace proxy
