#pragma once
// From rows of inventory_sku to a Registry. Pure. A row that cannot be understood never makes its
// SKU unmanaged: the SKU is kept as paused, so that its statements are refused, and the problem is
// named. A table whose every row is bad is kept too, with what could be read; the result is then
// not `complete`, and a process that starts must not serve on it.

#include "proxy/ledger/registry.hpp"
#include "proxy/sql/sql_link.hpp"

#include <string>
#include <vector>

namespace proxy {

struct SchemaRows {
    std::string schema;
    std::vector<SqlRow> rows;  // as `registry_query` selects them
    bool operator==(const SchemaRows&) const = default;
};

struct RegistryProblem {
    std::string schema;
    std::string sku_id;  // as the row has it
    std::string what;
};

struct ParsedRegistry {
    Registry registry;  // version 0
    std::vector<RegistryProblem> problems;
    bool complete = true;
};

// Every SKU of the schema that is not drained.
[[nodiscard]] std::string registry_query(const std::string& schema);

[[nodiscard]] ParsedRegistry parse_registry(const std::vector<SchemaRows>& schemas);

// SCHEMA.SKU_ID of the SKUs of `now` that `before` did not have, or had under another epoch or
// number of buckets: what the gate holds for them is from another world and must be rebuilt.
[[nodiscard]] std::vector<std::string> moved_skus(const Registry& before, const Registry& now);

}  // namespace proxy
