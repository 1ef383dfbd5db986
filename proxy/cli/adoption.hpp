#pragma once
// Takes one SKU into the ledger: one transaction that locks the base row, splits its stock over
// bucket rows and writes the registry row. The base row is not changed: its figure stays the
// projection of the ledger's. Whatever is refused leaves the database as it was.

#include "config/config.hpp"
#include "proxy/cli/database.hpp"
#include "proxy/cli/table_definition.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace proxy {

// total / buckets each, the remainder one each from the first bucket.
[[nodiscard]] std::vector<std::int64_t> split_capacity(std::int64_t total, unsigned buckets);

enum class AdoptionEnd { adopted, adopted_again, already, refused, failed };

struct AdoptionResult {
    AdoptionEnd end = AdoptionEnd::failed;
    std::string sku_id;  // empty when the key has no canonical form
    std::string text;    // what happened, or why not
    std::string hint;    // what to do about a refusal
    std::int64_t units = 0;
};

struct AdoptionPlan {
    std::vector<std::string> key;  // texts, in the order of the key columns
    unsigned buckets = 0;
    bool dry_run = false;  // everything but the commit
    // Called in the transaction, when all rows are written: the gate must forget the SKU's buckets
    // before anybody can serve them.
    std::function<void(const std::string& sku_id, unsigned buckets)> before_commit;
};

[[nodiscard]] AdoptionResult adopt_sku(
    Database& database, const TableDefinition& definition, const AdoptionPlan& plan
);

// "table:key" as a person writes it, for messages about keys without a canonical form.
[[nodiscard]] std::string key_text(const std::vector<std::string>& key);

}  // namespace proxy
