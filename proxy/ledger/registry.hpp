#pragma once
// What `inventory_sku` says, as one immutable snapshot: which SKUs are managed, under which epoch,
// and the tables they belong to. Built by services/registry_refresh on the control context and
// posted to every core, which reads it without locks. The registry alone decides whether a SKU is
// hot; YAML is only the wish.

#include "proxy/ledger/sku_id.hpp"
#include "rewrite/rules.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace proxy {

enum class SkuState : std::uint8_t {
    active,
    paused,    // an alarm or an operator stopped it: deductions are refused with a clear error
    draining,  // the remainder is on its way back to the base row: statements wait for the end
};
// A drained SKU keeps its row but is not in the snapshot: its statements pass to the base row.

enum class Unguarded : std::uint8_t {
    error,      // sold out without a guard: what an UNSIGNED column gives, error 1690
    zero_rows,  // affected rows 0
};

struct TableInfo {
    std::string schema;
    std::string table;
    std::vector<KeyType> key_types;
    std::string stock_type_max;  // largest value of the stock column, decimal ("4294967295")
    bool stock_unsigned = false;
    Unguarded unguarded = Unguarded::error;
};

struct Sku {
    std::string sku_id;     // canonical, see sku_id.hpp
    std::size_t table = 0;  // index into Registry::tables and Rules::tables()
    std::uint64_t epoch = 0;
    SkuState state = SkuState::active;
    std::uint16_t buckets = 1;  // bucket ids are 0 .. buckets - 1
};

struct Registry {
    std::uint64_t version = 0;  // rises whenever anything below changed
    rewrite::Rules rules;       // one entry per table, same order as `tables`
    std::vector<TableInfo> tables;
    std::unordered_map<std::string, Sku> skus;  // by SCHEMA + '.' + sku_id

    [[nodiscard]] const Sku* find(std::size_t table, const std::string& sku_id) const {
        const auto found = skus.find(tables[table].schema + '.' + sku_id);
        return found == skus.end() ? nullptr : &found->second;
    }
};

using RegistryView = std::shared_ptr<const Registry>;

}  // namespace proxy
