#pragma once
// What the admin server may ask and do, and nothing else: it owns no state of the product. The
// application binds every member before the server starts. All are called on the control context,
// must return at once (no waiting, no database call) and must not throw: expected failures are in
// the values. None may be empty.

#include "config/config.hpp"
#include "proxy/ledger/registry.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace proxy {

struct HealthReport {
    enum class Status : std::uint8_t {
        ok,                   // new connections are served
        starting,             // not listening yet
        draining,             // shutting down; open transactions may finish
        backend_unreachable,  // nothing can be served
        ledger_unreachable,   // the proxy's own account cannot read the registry
        failed,               // a part of the process ended; only a restart helps
    };
    Status status = Status::starting;  // anything but ok: not ready
    // Sentences for the operator. Also what is degraded while status is ok ("Redis is away, the
    // local gate serves").
    std::vector<std::string> reasons;
};

struct BreakerReport {
    enum class State : std::uint8_t { closed, open, half_open, rebuilding };
    config::BreakerMode mode = config::BreakerMode::automatic;  // as configured or set here
    State state = State::closed;
    std::chrono::milliseconds since{0};  // how long it has been in this state
    std::uint64_t opened_total = 0;
    std::string reason;  // of the last change of state, may be empty
};

struct SkuReport {
    std::string schema;
    std::string table;
    std::string sku_id;  // canonical, see proxy/ledger/sku_id.hpp
    SkuState state = SkuState::active;
    std::uint64_t epoch = 0;
    std::uint32_t buckets = 0;
    std::optional<std::int64_t> remainder;  // units the ledger can sell, when last read; else none
    config::GateKind gate = config::GateKind::redis;  // the one that serves now
};

struct AdminPorts {
    std::string version;  // of the program, as `stockgate --version` prints it
    std::function<HealthReport()> health;
    std::function<std::string()> metrics_text;  // Prometheus text format 0.0.4
    std::function<BreakerReport()> breaker_status;
    // Takes effect before it returns; lasts until it is set again or the process ends.
    std::function<void(config::BreakerMode)> set_breaker;
    std::function<std::vector<SkuReport>()> skus;
};

}  // namespace proxy
