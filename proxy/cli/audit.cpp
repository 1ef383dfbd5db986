#include "proxy/cli/audit.hpp"

#include "proxy/cli/base_row.hpp"
#include "proxy/ledger/ledger_sql.hpp"

#include <algorithm>
#include <set>

namespace proxy {
namespace {

using ledger_sql::quote_name;

constexpr int status_confirmed = 1;
constexpr int status_cancelled = 2;
constexpr int status_returned = 3;

std::string text_of(const SqlRow& row, std::size_t column) {
    return column < row.size() ? row[column].value_or("") : std::string{};
}

// Sums come as DECIMAL; a sum that does not fit is a finding of its own.
std::int64_t units_of(const SqlRow& row, std::size_t column) {
    return to_units(text_of(row, column)).value_or(0);
}

class AuditReader {
public:
    AuditReader(Database& database, const std::string& schema, Audit& audit)
        : database_(database), schema_(schema), audit_(audit) {}

    SqlError run() {
        const auto error = read();
        static_cast<void>(database_.query("ROLLBACK"));
        return error;
    }

private:
    SqlError read() {
        for (const char* sql :
             {"SET TRANSACTION ISOLATION LEVEL REPEATABLE READ",
              "START TRANSACTION WITH CONSISTENT SNAPSHOT"}) {
            if (const auto reply = database_.query(sql); reply.error) return reply.error;
        }
        if (const auto error = read_skus(); error) return error;
        if (const auto error = read_buckets(); error) return error;
        if (const auto error = read_details(); error) return error;
        return read_base();
    }

    SqlError read_skus() {
        const auto reply = database_.query(
            "SELECT sku_id,table_name,state,mode,buckets,epoch,adopted_total,drained_total,"
            "projected_stock,key_columns,key_types,stock_column FROM " +
            table("inventory_sku")
        );
        for (const auto& row : reply.rows) {
            AuditedSku sku;
            sku.schema = schema_;
            sku.sku_id = text_of(row, 0);
            sku.table = text_of(row, 1);
            sku.state = text_of(row, 2);
            sku.mode = text_of(row, 3);
            sku.buckets = static_cast<unsigned>(units_of(row, 4));
            sku.epoch = static_cast<std::uint64_t>(units_of(row, 5));
            sku.adopted = units_of(row, 6);
            sku.drained = units_of(row, 7);
            sku.projected = text_of(row, 8);
            if (sku.state != "drained") add_base_query(row);
            audit_.skus.emplace(sku.sku_id, std::move(sku));
        }
        return reply.error;
    }

    void add_base_query(const SqlRow& row) {
        BaseRowPlace place;
        place.schema = schema_;
        place.table = text_of(row, 1);
        std::string columns = text_of(row, 9);
        for (std::size_t from = 0; from < columns.size();) {
            const auto comma = std::min(columns.find(',', from), columns.size());
            place.key_columns.push_back(columns.substr(from, comma - from));
            from = comma + 1;
        }
        for (const char letter : text_of(row, 10)) {
            place.key_types.push_back(static_cast<KeyType>(letter));
        }
        place.key = key_parts_of(text_of(row, 0)).value_or(std::vector<std::string>{});
        place.stock_column = text_of(row, 11);
        if (place.key.size() != place.key_columns.size() ||
            place.key.size() != place.key_types.size()) {
            audit_.findings.push_back(text_of(row, 0) + ": its registry row is damaged");
            return;
        }
        bases_.emplace(text_of(row, 0), std::move(place));
    }

    SqlError read_buckets() {
        const auto reply = database_.query(
            "SELECT sku_id,bucket_id,epoch,bucket_total,sold_stock FROM " +
            table("inventory_bucket") + " ORDER BY sku_id,bucket_id"
        );
        std::map<std::string, unsigned> orphans;
        for (const auto& row : reply.rows) {
            const auto sku = audit_.skus.find(text_of(row, 0));
            if (sku == audit_.skus.end()) {
                ++orphans[text_of(row, 0)];
                continue;
            }
            AuditedBucket bucket;
            bucket.bucket_id = static_cast<unsigned>(units_of(row, 1));
            bucket.epoch = static_cast<std::uint64_t>(units_of(row, 2));
            bucket.total = units_of(row, 3);
            bucket.sold = units_of(row, 4);
            sku->second.rows.push_back(bucket);
        }
        for (const auto& [sku_id, count] : orphans) {
            audit_.findings.push_back(
                sku_id + ": " + std::to_string(count) + " bucket rows, but not in the registry"
            );
        }
        return reply.error;
    }

    SqlError read_details() {
        const auto reply = database_.query(
            "SELECT sku_id,bucket_id,status,COUNT(*),SUM(qty),SUM(qty<=0) FROM " +
            table("stock_deduct_detail") + " GROUP BY sku_id,bucket_id,status"
        );
        for (const auto& row : reply.rows) {
            const auto found = audit_.skus.find(text_of(row, 0));
            const std::string count = text_of(row, 3);
            const std::string place = text_of(row, 0) + " bucket " + text_of(row, 1);
            const auto status = units_of(row, 2);
            if (found == audit_.skus.end()) {
                audit_.findings.push_back(place + ": " + count + " details of an unknown SKU");
                continue;
            }
            auto& sku = found->second;
            if (status == status_cancelled) {
                sku.tombstones += units_of(row, 3);
                continue;
            }
            const auto id = static_cast<unsigned>(units_of(row, 1));
            const auto bucket =
                std::find_if(sku.rows.begin(), sku.rows.end(), [id](const auto& each) {
                    return each.bucket_id == id;
                });
            if (bucket == sku.rows.end()) {
                sku.findings.push_back(
                    count + " details of bucket " + text_of(row, 1) + ", which does not exist"
                );
                continue;
            }
            if (units_of(row, 5) > 0) {
                sku.findings.push_back(
                    "bucket " + text_of(row, 1) + ": " + text_of(row, 5) +
                    " details of 0 units or less"
                );
            }
            add_detail(sku, *bucket, status, row);
        }
        return reply.error;
    }

    static void add_detail(
        AuditedSku& sku, AuditedBucket& bucket, std::int64_t status, const SqlRow& row
    ) {
        if (status == status_confirmed) {
            bucket.confirmed += units_of(row, 4);
            sku.details += units_of(row, 3);
        } else if (status == status_returned) {
            bucket.returned += units_of(row, 4);
            sku.returns += units_of(row, 3);
        } else {
            sku.findings.push_back(
                "bucket " + text_of(row, 1) + ": " + text_of(row, 3) +
                " details with the unknown "
                "status " +
                std::to_string(status)
            );
        }
    }

    // For information: the projection is allowed to lag.
    SqlError read_base() {
        for (const auto& [sku_id, place] : bases_) {
            std::vector<BaseRow> rows;
            const auto error = read_base_rows(database_, place, false, rows);
            if (error) return error;
            auto& sku = audit_.skus.at(sku_id);
            if (rows.size() == 1) {
                sku.base = rows.front().stock.value_or("NULL");
            } else {
                sku.findings.push_back("its base row is gone from " + table_name(place));
            }
        }
        return SqlError{};
    }

    [[nodiscard]] std::string table(const char* name) const {
        return quote_name(schema_) + '.' + name;
    }

    Database& database_;
    const std::string& schema_;
    Audit& audit_;
    std::map<std::string, BaseRowPlace> bases_;
};

std::string number(std::int64_t value) {
    return std::to_string(value);
}

void judge_bucket(
    const AuditedSku& sku, const AuditedBucket& bucket, std::vector<std::string>& out
) {
    const std::string name = "bucket " + number(bucket.bucket_id) + ": ";
    if (bucket.sold < 0 || bucket.sold > bucket.total) {
        out.push_back(
            name + "sold_stock " + number(bucket.sold) + " is not within 0 and bucket_total " +
            number(bucket.total)
        );
    }
    if (bucket.sold != bucket.confirmed) {
        out.push_back(
            name + "sold_stock is " + number(bucket.sold) + ", its confirmed details add up to " +
            number(bucket.confirmed)
        );
    }
    if (bucket.epoch != sku.epoch) {
        out.push_back(
            name + "epoch " + std::to_string(bucket.epoch) + ", the registry says " +
            std::to_string(sku.epoch)
        );
    }
}

template <class Field>
std::int64_t sum(const std::vector<AuditedBucket>& rows, Field field) {
    std::int64_t total = 0;
    for (const auto& row : rows) total += row.*field;
    return total;
}

}  // namespace

std::int64_t AuditedSku::total() const {
    return sum(rows, &AuditedBucket::total);
}
std::int64_t AuditedSku::sold() const {
    return sum(rows, &AuditedBucket::sold);
}
std::int64_t AuditedSku::confirmed() const {
    return sum(rows, &AuditedBucket::confirmed);
}
std::int64_t AuditedSku::returned() const {
    return sum(rows, &AuditedBucket::returned);
}

SqlError read_audit(Database& database, const std::string& schema, Audit& audit) {
    return AuditReader{database, schema, audit}.run();
}

void judge_sku(AuditedSku& sku) {
    auto& out = sku.findings;
    for (const auto& bucket : sku.rows) judge_bucket(sku, bucket, out);
    const auto expected = sku.adopted - sku.drained + sku.returned();
    if (sku.total() != expected) {
        out.push_back(
            "bucket totals add up to " + number(sku.total()) + ", but " + number(sku.adopted) +
            " adopted - " + number(sku.drained) + " drained + " + number(sku.returned()) +
            " returned = " + number(expected)
        );
    }
    std::set<unsigned> present;
    for (const auto& bucket : sku.rows) present.insert(bucket.bucket_id);
    for (unsigned id = 0; id < sku.buckets; ++id) {
        if (present.count(id) == 0) out.push_back("bucket " + number(id) + ": its row is missing");
    }
    if (sku.state == "drained" && sku.remainder() != 0) {
        out.push_back("drained, but " + number(sku.remainder()) + " units are left in its buckets");
    }
}

void judge_audit(Audit& audit) {
    for (auto& [sku_id, sku] : audit.skus) judge_sku(sku);
}

}  // namespace proxy
