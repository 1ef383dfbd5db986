#pragma once
// Promise 6: at rest, gate left + reserved = what the ledger can still sell, per
// bucket. Under traffic the two are never read at one moment, so a difference is believed only when
// it is the same in three readings and the ledger did not move in between.

#include "proxy/cli/audit.hpp"
#include "proxy/cli/database.hpp"
#include "proxy/cli/gate_access.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace proxy {

struct GateFigures {
    bool asked = false;  // false: the gate could not be read
    std::int64_t left = 0;
    std::int64_t reserved = 0;
    std::int64_t difference =
        0;                 // gate - ledger over the buckets that have a key, at the last reading
    unsigned missing = 0;  // buckets without a key: rebuilt when first used
    unsigned moving = 0;   // buckets that differed, but not steadily: traffic
    std::vector<std::string> findings;
};

struct GateAudit {
    const AuditedSku* sku = nullptr;
    GateFigures figures;
};

// All SKUs are read once; those that differ are read again. Stops at the first SKU that the gate
// does not answer for.
[[nodiscard]] SqlError audit_gate(
    Database& database, GateAccess& gate, std::vector<GateAudit>& audits
);

// One bucket's readings, oldest first.
struct GateReading {
    bool exists = false;
    std::int64_t gate = 0;    // left + reserved
    std::int64_t ledger = 0;  // bucket_total - sold_stock
};
enum class GateVerdict { equal, missing, differs, moving };
[[nodiscard]] GateVerdict judge_readings(const std::vector<GateReading>& readings);

}  // namespace proxy
