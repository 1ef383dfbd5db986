#pragma once
// What the gate switch of one core counts. Written by that core only, readable anywhere. The link's
// own figures (latency, queue length, timeouts) are in LinkCounters.

#include "proxy/gate/gate.hpp"
#include "proxy/runtime/metrics.hpp"

#include <array>

namespace proxy {

struct alignas(64) GateCounters {
    std::array<Counter, 4> reserve_redis;  // by GateAnswer, use reserve()
    std::array<Counter, 4> reserve_local;
    Counter settle;
    Counter release;
    Counter credit;
    Counter ends_failed;    // could not be told to the gate: bucket marked dirty
    Counter ends_replaced;  // their gate was replaced meanwhile: bucket marked dirty
    Gauge live;             // reservations that sessions hold now

    [[nodiscard]] Counter& reserve(bool local, GateAnswer answer) noexcept {
        auto& counters = local ? reserve_local : reserve_redis;
        return counters[static_cast<std::size_t>(answer)];
    }
};

}  // namespace proxy
