#pragma once
// What follows from a table's facts: hazards that forbid adoption, findings worth knowing, and the
// shape that the registry records. Pure; every refusal names the place and the way out.

#include "proxy/cli/table_facts.hpp"
#include "proxy/ledger/sku_id.hpp"

#include <string>
#include <vector>

namespace proxy {

enum class Severity { fine, warning, failure };

struct Hazard {
    Severity severity = Severity::failure;
    std::string text;
    std::string hint;
};

// How the registry describes the table; complete only when no hazard is a failure.
struct TableShape {
    std::vector<KeyType> key_types;
    std::string stock_max;
    bool stock_unsigned = false;
};

[[nodiscard]] std::vector<Hazard> judge_table(
    const config::Table& table, const TableFacts& facts, TableShape& shape
);

// To be added when `facts.triggers_visible` is false: fatal for `init`, a warning for `check`.
[[nodiscard]] Hazard hidden_triggers(const config::Table& table, Severity severity);

[[nodiscard]] bool forbids_adoption(const std::vector<Hazard>& hazards);

}  // namespace proxy
