#pragma once
// The audit of one schema's ledger: what the tables say in one consistent snapshot, and whether the
// promises hold. Reading aggregates in the server; judging is pure. Figures are units.

#include "proxy/cli/database.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace proxy {

struct AuditedBucket {
    unsigned bucket_id = 0;
    std::uint64_t epoch = 0;
    std::int64_t total = 0;
    std::int64_t sold = 0;
    // From the detail rows of the bucket.
    std::int64_t confirmed = 0;  // units
    std::int64_t returned = 0;   // units
    [[nodiscard]] std::int64_t remainder() const { return total - sold; }
};

struct AuditedSku {
    std::string schema;
    std::string sku_id;
    std::string table;
    std::string state;
    std::string mode;
    unsigned buckets = 0;
    std::uint64_t epoch = 0;
    std::int64_t adopted = 0;
    std::int64_t drained = 0;
    std::string projected;  // empty: NULL
    std::string base;       // the base row's stock; empty: not read
    std::vector<AuditedBucket> rows;
    std::int64_t details = 0;     // rows with status confirmed
    std::int64_t returns = 0;     // rows with status returned
    std::int64_t tombstones = 0;  // rows with status cancelled
    std::vector<std::string> findings;

    [[nodiscard]] std::int64_t total() const;
    [[nodiscard]] std::int64_t sold() const;
    [[nodiscard]] std::int64_t confirmed() const;
    [[nodiscard]] std::int64_t returned() const;
    [[nodiscard]] std::int64_t remainder() const { return total() - sold(); }
};

struct Audit {
    std::map<std::string, AuditedSku> skus;  // by sku_id
    std::vector<std::string> findings;       // that belong to no SKU
};

// One snapshot on this link: START TRANSACTION WITH CONSISTENT SNAPSHOT to ROLLBACK.
[[nodiscard]] SqlError read_audit(Database& database, const std::string& schema, Audit& audit);

// Adds what is wrong to `findings` of the SKU it concerns.
void judge_audit(Audit& audit);
void judge_sku(AuditedSku& sku);

}  // namespace proxy
