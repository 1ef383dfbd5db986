#pragma once
// Puts the parameters of an execution into a recognised update: which SKU, how many units, which
// guard. Pure. What cannot be bound exactly is said, never rounded.

#include "protocol/statement.hpp"
#include "proxy/ledger/registry.hpp"
#include "rewrite/statement.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

namespace proxy {

struct BoundUpdate {
    std::int64_t delta = 0;               // negative: deduction
    std::optional<std::int64_t> minimum;  // guard: stock >= minimum; absent: unguarded
};

enum class BindProblem : std::uint8_t {
    null_amount,     // the amount is NULL, so the new stock would be NULL
    null_guard,      // the guard compares with NULL: no row can match
    not_integer,     // a value is no whole number
    out_of_range,    // beyond 64 bits
    guarded_return,  // adds units only while there are enough of them already
    null_key,        // key = NULL: no row can match
    unclear_key,     // a key value that only the server's own comparison could match
};

[[nodiscard]] std::variant<BoundUpdate, BindProblem> bind_amounts(
    const rewrite::HotUpdate& update, const std::vector<protocol::ParamValue>& params
);

// The canonical sku_id for the key values of one row.
[[nodiscard]] std::variant<std::string, BindProblem> bind_key(
    const std::vector<rewrite::KeyValue>& key,
    const std::vector<protocol::ParamValue>& params,
    const TableInfo& table
);

}  // namespace proxy
