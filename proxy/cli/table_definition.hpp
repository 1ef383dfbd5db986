#pragma once
// What the registry says of every SKU of one table: names as the server spells them, and the same
// as columns of inventory_sku. Pure, apart from a link's quoting.

#include "config/config.hpp"
#include "proxy/cli/database.hpp"
#include "proxy/cli/table_facts.hpp"
#include "proxy/cli/table_hazards.hpp"

#include <string>
#include <utility>
#include <vector>

namespace proxy {

struct TableDefinition {
    std::string schema;
    std::string table;
    std::vector<std::string> key_columns;
    TableShape shape;
    std::string stock_column;
    std::string version_column;  // empty: none
    std::vector<std::string> time_columns;
    std::string unguarded;  // "error" or "zero_rows"
};

[[nodiscard]] TableDefinition define_table(
    const config::Table& table, const TableFacts& facts, const TableShape& shape
);

// Column of inventory_sku and literal.
using DefinitionFields = std::vector<std::pair<std::string, std::string>>;
[[nodiscard]] DefinitionFields definition_fields(
    const Database& database, const TableDefinition& definition
);
// True (1) in SQL for a registry row with this definition. The policy for unguarded statements is
// left out: it may change while SKUs are adopted.
[[nodiscard]] std::string same_definition(
    const Database& database, const TableDefinition& definition
);

// "a,b": how the registry lists names, and how a key is written for people.
[[nodiscard]] std::string comma_list(const std::vector<std::string>& names);

}  // namespace proxy
