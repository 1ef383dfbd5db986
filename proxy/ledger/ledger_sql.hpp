#pragma once
// The text of the ledger's own statements. Pure. Every value is a number, a hex literal or a
// canonical sku_id (printable ASCII without quotes), so the text reads the same under any sql_mode
// and character set.

#include "proxy/ledger/request_id.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace proxy::ledger_sql {

enum class DetailStatus : int { confirmed = 1, cancelled = 2, returned = 3 };

struct Target {
    std::string_view schema;
    std::string_view sku_id;
    std::uint64_t epoch = 0;
};

[[nodiscard]] std::string quote_name(std::string_view name);  // `name`, backticks doubled

[[nodiscard]] std::string insert_detail(
    const Target& target,
    const RequestId& id,
    std::int64_t units,
    unsigned bucket,
    DetailStatus status
);
[[nodiscard]] std::string delete_detail(const Target& target, const RequestId& id);
// sold_stock + units, if it fits, the epoch is unchanged and the detail row `id` is there; one row
// or none. The last condition makes it safe to send this behind insert_detail in one write: if the
// server rolled the transaction back at the INSERT (deadlock, Galera), this statement, which it
// would then run by itself, changes nothing.
[[nodiscard]] std::string sell(
    const Target& target, const RequestId& id, unsigned bucket, std::int64_t units
);
// bucket_total + units, under the same conditions.
[[nodiscard]] std::string add_capacity(
    const Target& target, const RequestId& id, unsigned bucket, std::int64_t units
);
// bucket_id, bucket_total - sold_stock of every bucket under the epoch, ordered by bucket_id.
[[nodiscard]] std::string remainders(const Target& target);
[[nodiscard]] std::string remainders_for_update(const Target& target);

// Moves capacity from `parts` into `into`, under the same condition. The rows must be locked;
// changes as many rows as there are parts, of which `into` must be one and at least two.
struct Part {
    unsigned bucket = 0;
    std::int64_t units = 0;
};
[[nodiscard]] std::string gather_units(
    const Target& target, const RequestId& id, const std::vector<Part>& parts, unsigned into
);

}  // namespace proxy::ledger_sql
