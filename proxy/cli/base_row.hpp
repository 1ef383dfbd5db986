#pragma once
// The row of a managed table that a SKU belongs to: how it is addressed and read. Shared by
// adoption and drain, which both work on it under a lock.

#include "proxy/cli/database.hpp"
#include "proxy/ledger/sku_id.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace proxy {

struct BaseRowPlace {
    std::string schema;
    std::string table;
    std::vector<std::string> key_columns;
    std::vector<KeyType> key_types;
    std::vector<std::string> key;  // canonical parts of the sku_id
    std::string stock_column;
    std::string version_column;  // empty: none
};

struct BaseRow {
    std::vector<std::string> key;      // as stored
    std::optional<std::string> stock;  // NULL: nullopt
    std::optional<std::string> version;
};

[[nodiscard]] std::string table_name(const BaseRowPlace& place);
// "`sku_id`=1001 AND `size`='xl'"
[[nodiscard]] std::string key_condition(const Database& database, const BaseRowPlace& place);

// All rows that the key names; `locked`: FOR UPDATE.
[[nodiscard]] SqlError read_base_rows(
    Database& database, const BaseRowPlace& place, bool locked, std::vector<BaseRow>& rows
);
// How many rows differ from the key in trailing blanks only, itself included. More than one is
// possible where the collation does not pad; the ledger could not tell them apart.
[[nodiscard]] SqlError count_lookalikes(
    Database& database, const BaseRowPlace& place, std::string& count
);

// nullopt: not a number that fits.
[[nodiscard]] std::optional<std::int64_t> to_units(const std::string& text);

}  // namespace proxy
