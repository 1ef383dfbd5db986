#include "proxy/ledger/ledger_sql.hpp"

namespace proxy::ledger_sql {
namespace {

std::string table_of(const Target& target, std::string_view table) {
    return quote_name(target.schema) + '.' + std::string{table};
}

std::string sku_and_epoch(const Target& target) {
    return " WHERE sku_id='" + std::string{target.sku_id} +
           "' AND epoch=" + std::to_string(target.epoch);
}

std::string and_detail_exists(const Target& target, const RequestId& id) {
    return " AND EXISTS(SELECT 1 FROM " + table_of(target, "stock_deduct_detail") +
           " WHERE request_id=X'" + id.hex() + "')";
}

std::string remainder_list(const Target& target) {
    return "SELECT bucket_id, bucket_total-sold_stock FROM " +
           table_of(target, "inventory_bucket") + sku_and_epoch(target) + " ORDER BY bucket_id";
}

}  // namespace

std::string quote_name(std::string_view name) {
    std::string quoted = "`";
    for (const char c : name) {
        if (c == '`') quoted += '`';
        quoted += c;
    }
    return quoted + '`';
}

std::string insert_detail(
    const Target& target,
    const RequestId& id,
    std::int64_t units,
    unsigned bucket,
    DetailStatus status
) {
    return "INSERT INTO " + table_of(target, "stock_deduct_detail") +
           " (request_id,sku_id,qty,bucket_id,status) VALUES (X'" + id.hex() + "','" +
           std::string{target.sku_id} + "'," + std::to_string(units) + ',' +
           std::to_string(bucket) + ',' + std::to_string(static_cast<int>(status)) + ')';
}

std::string delete_detail(const Target& target, const RequestId& id) {
    return "DELETE FROM " + table_of(target, "stock_deduct_detail") + " WHERE request_id=X'" +
           id.hex() + '\'';
}

std::string sell(const Target& target, const RequestId& id, unsigned bucket, std::int64_t units) {
    const std::string amount = std::to_string(units);
    return "UPDATE " + table_of(target, "inventory_bucket") + " SET sold_stock=sold_stock+" +
           amount + ",version=version+1" + sku_and_epoch(target) +
           " AND bucket_id=" + std::to_string(bucket) + " AND bucket_total-sold_stock>=" + amount +
           and_detail_exists(target, id);
}

std::string add_capacity(
    const Target& target, const RequestId& id, unsigned bucket, std::int64_t units
) {
    return "UPDATE " + table_of(target, "inventory_bucket") + " SET bucket_total=bucket_total+" +
           std::to_string(units) + ",version=version+1" + sku_and_epoch(target) +
           " AND bucket_id=" + std::to_string(bucket) + and_detail_exists(target, id);
}

std::string remainders(const Target& target) {
    return remainder_list(target);
}

std::string remainders_for_update(const Target& target) {
    return remainder_list(target) + " FOR UPDATE";
}

std::string gather_units(
    const Target& target, const RequestId& id, const std::vector<Part>& parts, unsigned into
) {
    std::string total = "CASE bucket_id";
    std::string ids;
    std::int64_t moved = 0;
    for (const auto& part : parts) {
        if (!ids.empty()) ids += ',';
        ids += std::to_string(part.bucket);
        if (part.bucket == into) continue;
        moved += part.units;
        total += " WHEN " + std::to_string(part.bucket) + " THEN bucket_total-" +
                 std::to_string(part.units);
    }
    total += " WHEN " + std::to_string(into) + " THEN bucket_total+" + std::to_string(moved) +
             " ELSE bucket_total END";
    return "UPDATE " + table_of(target, "inventory_bucket") + " SET bucket_total=" + total +
           sku_and_epoch(target) + " AND bucket_id IN (" + ids + ')' +
           and_detail_exists(target, id);
}

}  // namespace proxy::ledger_sql
