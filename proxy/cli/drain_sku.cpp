#include "proxy/cli/drain_sku.hpp"

#include "proxy/cli/base_row.hpp"
#include "proxy/ledger/ledger_sql.hpp"

namespace proxy {
namespace {

using ledger_sql::quote_name;

// Each attempt waits up to the session's lock wait timeout (2 s) for a row. The first ones leave
// the traffic alone; then the SKU is marked, and proxies let no new statement in.
constexpr int attempts_unmarked = 3;
constexpr int attempts_max = 30;

std::vector<std::string> split(const std::string& list) {
    std::vector<std::string> parts;
    std::size_t from = 0;
    while (from < list.size()) {
        const auto comma = list.find(',', from);
        parts.push_back(list.substr(from, comma - from));
        if (comma == std::string::npos) break;
        from = comma + 1;
    }
    return parts;
}

struct Buckets {
    std::int64_t remainder = 0;
    std::int64_t version = 0;  // sum over the rows
    unsigned count = 0;
};

class Drain {
public:
    Drain(Database& database, const DrainPlan& plan)
        : database_(database), plan_(plan), name_(plan.schema + '.' + plan.sku_id) {
        of_sku_ = " WHERE sku_id=" + database.quote(plan.sku_id);
    }

    DrainResult run() {
        for (int attempt = 1;; ++attempt) {
            result_ = DrainResult{};
            conflict_ = SqlError{};
            const bool committed = run_sql("START TRANSACTION") && in_transaction();
            if (committed) return std::move(result_);
            const auto rolled_back = database_.query("ROLLBACK");
            if (!conflict_) break;
            if (rolled_back.error) {
                fail(rolled_back.error);
                break;
            }
            if (attempt == attempts_unmarked) mark("draining", "active");
            if (attempt == attempts_max) {
                refuse(
                    name_ + ": its rows stayed locked for " + std::to_string(attempts_max) +
                        " attempts (" + to_string(conflict_) + "); nothing was moved",
                    "look for long transactions (SHOW ENGINE INNODB STATUS), end them, drain again"
                );
                break;
            }
        }
        // Also when an earlier drain left the mark behind.
        if (marked_) mark("active", "draining");
        return std::move(result_);
    }

private:
    // True: committed.
    bool in_transaction() {
        if (!read_registry()) return false;
        Buckets buckets;
        if (!lock_buckets(buckets)) return false;
        BaseRow base;
        if (!lock_base(base)) return false;
        std::int64_t stock = buckets.remainder;
        if (!compare_base(base, stock)) return false;
        if (!fits(stock)) return false;
        result_.remainder = buckets.remainder;
        result_.buckets = buckets.count;
        const std::int64_t steps = buckets.version - projected_version_;
        if (!write_base(base, stock, steps) || !write_ledger(buckets, stock)) return false;
        if (!run_sql("COMMIT")) return false;
        result_.end = DrainEnd::drained;
        result_.text = name_ + ": " + std::to_string(buckets.remainder) + " units of " +
                       std::to_string(buckets.count) + " buckets moved back; stock is now " +
                       std::to_string(stock) + note_;
        return true;
    }

    bool read_registry() {
        auto reply = database_.query(
            "SELECT state,table_name,key_columns,key_types,stock_column,stock_max,version_column,"
            "time_columns,projected_stock,projected_version FROM " +
            table("inventory_sku") + of_sku_ + " FOR UPDATE"
        );
        if (reply.error) return fail(reply.error);
        if (reply.rows.empty()) {
            return refuse(
                name_ + ": not in the registry", "`stockgate verify` lists the adopted SKUs"
            );
        }
        auto& row = reply.rows.front();
        const auto state = row[0].value_or("");
        if (state == "drained") {
            result_.end = DrainEnd::already;
            result_.text = name_ + ": already drained";
            return false;
        }
        if (state == "draining") marked_ = true;
        place_.schema = plan_.schema;
        place_.table = row[1].value_or("");
        place_.key_columns = split(row[2].value_or(""));
        place_.key_types.clear();
        for (const char letter : row[3].value_or("")) {
            place_.key_types.push_back(static_cast<KeyType>(letter));
        }
        place_.key = key_parts_of(plan_.sku_id).value_or(std::vector<std::string>{});
        place_.stock_column = row[4].value_or("");
        stock_max_ = row[5].value_or("");
        place_.version_column = row[6].value_or("");
        time_columns_ = split(row[7].value_or(""));
        projected_stock_ = row[8];
        projected_version_ = to_units(row[9].value_or("0")).value_or(0);
        if (place_.key.size() != place_.key_columns.size() ||
            place_.key_types.size() != place_.key_columns.size()) {
            return refuse(name_ + ": its registry row is damaged", "compare it with a healthy one");
        }
        return true;
    }

    bool lock_buckets(Buckets& buckets) {
        const auto reply = database_.query(
            "SELECT bucket_total-sold_stock,version FROM " + table("inventory_bucket") + of_sku_ +
            " ORDER BY bucket_id FOR UPDATE"
        );
        if (reply.error) return fail(reply.error);
        for (const auto& row : reply.rows) {
            const auto left = to_units(row[0].value_or(""));
            const auto version = to_units(row[1].value_or(""));
            if (!left || *left < 0 || !version) {
                return refuse(
                    name_ + ": a bucket row has sold more than its total",
                    "run `stockgate verify`; the ledger must be repaired first"
                );
            }
            buckets.remainder += *left;
            buckets.version += *version;
            ++buckets.count;
        }
        if (buckets.count > 0) return true;
        return refuse(name_ + ": has no bucket rows", "run `stockgate verify`");
    }

    bool lock_base(BaseRow& base) {
        std::vector<BaseRow> rows;
        if (const auto error = read_base_rows(database_, place_, true, rows)) return fail(error);
        if (rows.size() != 1) {
            return refuse(
                name_ + ": the key names " + std::to_string(rows.size()) + " rows of " +
                    table_name(place_) + " instead of one",
                "somebody deleted or changed the base row; restore it, then drain again"
            );
        }
        base = std::move(rows.front());
        return true;
    }

    // The base row must still hold what was last written into it; anything else was written past
    // the proxies. `stock` is what it will become.
    bool compare_base(const BaseRow& base, std::int64_t& stock) {
        note_.clear();
        if (base.stock == projected_stock_) return true;
        const std::string figures = "the base row says " + base.stock.value_or("NULL") +
                                    ", the proxies last wrote " + projected_stock_.value_or("NULL");
        const auto now = to_units(base.stock.value_or(""));
        const auto written = to_units(projected_stock_.value_or(""));
        if (!plan_.accept_base_difference || !now || !written) {
            return refuse(
                name_ + ": " + figures + "; the ledger has " + std::to_string(stock) +
                    " units left. Somebody wrote the stock past the proxies; nothing was moved",
                "find out who; then set the base row to " + projected_stock_.value_or("NULL") +
                    ", or drain with --accept-base-difference to add their change"
            );
        }
        stock += *now - *written;
        note_ = " (" + figures + ": their difference of " + std::to_string(*now - *written) +
                " was added)";
        if (stock >= 0) return true;
        return refuse(
            name_ + ": " + figures + "; with that difference the stock would be " +
                std::to_string(stock),
            "set the base row to " + projected_stock_.value_or("NULL") + " and drain again"
        );
    }

    bool fits(std::int64_t stock) {
        const auto text = std::to_string(stock);
        if (text.size() < stock_max_.size() ||
            (text.size() == stock_max_.size() && text <= stock_max_)) {
            return true;
        }
        return refuse(
            name_ + ": " + text + " units do not fit into " + place_.stock_column + " (at most " +
                stock_max_ + ')',
            "widen the column, or sell some first"
        );
    }

    bool write_base(const BaseRow& base, std::int64_t stock, std::int64_t steps) {
        const bool is_changed = steps != 0 || base.stock != std::to_string(stock);
        if (!is_changed) return true;
        std::string sql = "UPDATE " + table_name(place_) + " SET " +
                          quote_name(place_.stock_column) + '=' + std::to_string(stock);
        if (!place_.version_column.empty() && steps != 0) {
            const auto column = quote_name(place_.version_column);
            sql += ',' + column + '=' + column + '+' + std::to_string(steps);
        }
        for (const auto& column : time_columns_) sql += ',' + quote_name(column) + "=NOW()";
        return run_sql(sql + " WHERE " + key_condition(database_, place_));
    }

    bool write_ledger(const Buckets& buckets, std::int64_t stock) {
        return run_sql(
                   "UPDATE " + table("inventory_bucket") +
                   " SET bucket_total=sold_stock,epoch=epoch+1" + of_sku_
               ) &&
               run_sql(
                   "UPDATE " + table("inventory_sku") +
                   " SET state='drained',epoch=epoch+1,drained_total=drained_total+" +
                   std::to_string(buckets.remainder) + ",projected_stock=" + std::to_string(stock) +
                   ",projected_version=" + std::to_string(buckets.version) + of_sku_
               );
    }

    // In a transaction of its own; a failure only means that the traffic goes on.
    void mark(const char* state, const char* from) {
        const auto reply = database_.query(
            "UPDATE " + table("inventory_sku") + " SET state='" + state + '\'' + of_sku_ +
            " AND state='" + from + '\''
        );
        if (reply.error) return;
        marked_ = std::string{state} == "draining" && reply.affected_rows == 1;
    }

    [[nodiscard]] std::string table(const char* name) const {
        return quote_name(plan_.schema) + '.' + name;
    }

    bool run_sql(const std::string& sql) {
        const auto reply = database_.query(sql);
        return !reply.error || fail(reply.error);
    }

    // Both return false, to end the caller.
    bool fail(const SqlError& error) {
        if (is_lock_conflict(error)) {
            conflict_ = error;
            return false;
        }
        conflict_ = SqlError{};
        result_.end = DrainEnd::failed;
        result_.text = name_ + ": " + to_string(error);
        if (error.outcome_unknown) {
            result_.hint = "the connection was lost; run drain again to see what happened";
        }
        return false;
    }
    bool refuse(std::string text, std::string hint) {
        conflict_ = SqlError{};
        result_.end = DrainEnd::refused;
        result_.text = std::move(text);
        result_.hint = std::move(hint);
        return false;
    }

    Database& database_;
    const DrainPlan& plan_;
    std::string name_;
    std::string of_sku_;
    BaseRowPlace place_;
    std::string stock_max_;
    std::vector<std::string> time_columns_;
    std::optional<std::string> projected_stock_;
    std::int64_t projected_version_ = 0;
    std::string note_;
    bool marked_ = false;
    SqlError conflict_;
    DrainResult result_;
};

}  // namespace

DrainResult drain_sku(Database& database, const DrainPlan& plan) {
    return Drain{database, plan}.run();
}

}  // namespace proxy
