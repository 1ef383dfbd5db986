#pragma once
// What one round of projection does with one SKU, and the texts of its statements. Pure:
// projection.cpp reads and executes under the row locks. Figures are units; versions count
// bookings.

#include "proxy/ledger/registry.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace proxy {

struct ProjectionFacts {
    std::string state;                                   // of the registry row, locked
    std::vector<std::optional<std::string>> base_stock;  // of each base row that the key names
    std::optional<std::int64_t> projected_stock;  // what was last written there, if anything was
    std::uint64_t projected_version = 0;
    std::int64_t remainder = 0;  // the ledger's, now
    std::uint64_t versions = 0;  // sum over the buckets, now
};

enum class ProjectionAction : std::uint8_t {
    nothing,      // up to date, or the SKU is not ours to project (draining, drained)
    write,        // the base row still has what we wrote
    write_first,  // never written, and already sold from: there is nothing to compare with
    changed,      // alarm: somebody wrote past the gate; the base row is left as it is
    missing,      // alarm: no base row, or several
    unreadable,   // alarm: its stock is no whole number
};

struct ProjectionPlan {
    ProjectionAction action = ProjectionAction::nothing;
    std::optional<std::int64_t> base;  // what the base row says
    std::uint64_t version_delta = 0;
};

[[nodiscard]] ProjectionPlan plan_projection(const ProjectionFacts& facts);
[[nodiscard]] bool is_alarm(ProjectionAction action) noexcept;
[[nodiscard]] const char* name_of(ProjectionAction action) noexcept;

// `col`=value for each key column; `quote` makes a literal of a text. nullopt: the id is not of
// this table.
using Quote = std::function<std::string(const std::string&)>;
[[nodiscard]] std::optional<std::string> base_row_condition(
    const rewrite::ManagedTable& table,
    const std::vector<KeyType>& types,
    const std::string& sku_id,
    const Quote& quote
);

[[nodiscard]] std::string base_row_update(
    const rewrite::ManagedTable& table,
    const std::string& condition,
    std::int64_t remainder,
    std::uint64_t version_delta
);

// The SKUs of a schema whose ledger moved since it was last projected.
[[nodiscard]] std::string projection_candidates(const std::string& schema);

}  // namespace proxy
