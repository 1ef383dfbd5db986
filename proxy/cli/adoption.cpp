#include "proxy/cli/adoption.hpp"

#include "proxy/cli/base_row.hpp"
#include "proxy/gate/gate_codec.hpp"
#include "proxy/ledger/ledger_sql.hpp"
#include "proxy/ledger/schema.hpp"

#include <algorithm>

namespace proxy {
namespace {

using ledger_sql::quote_name;

// Each attempt waits up to the session's lock wait timeout (2 s).
constexpr int attempts_max = 10;
constexpr unsigned table_missing = 1146;

// What the registry has of the SKU already.
struct Registered {
    bool found = false;
    std::string state;
    unsigned buckets = 0;
    std::uint64_t epoch = 0;
    bool same_definition = false;
};

class Adoption {
public:
    Adoption(Database& database, const TableDefinition& definition, const AdoptionPlan& plan)
        : database_(database), definition_(definition), plan_(plan) {
        name_ = definition.schema + '.' + definition.table + " key " + key_text(plan.key);
    }

    AdoptionResult run() {
        if (!check_request()) return std::move(result_);
        for (int attempt = 1;; ++attempt) {
            result_.text.clear();
            result_.hint.clear();
            conflict_ = SqlError{};
            transaction();
            if (!conflict_) return std::move(result_);
            if (attempt == attempts_max) break;
        }
        refuse(
            name_ + ": its rows stayed locked for " + std::to_string(attempts_max) + " attempts (" +
                to_string(conflict_) + ')',
            "look for long transactions (SHOW ENGINE INNODB STATUS), end them, run init again"
        );
        return std::move(result_);
    }

private:
    bool check_request() {
        if (plan_.buckets < 1 || plan_.buckets > ledger_schema::buckets_max) {
            refuse(
                name_ + ": " + std::to_string(plan_.buckets) + " buckets is out of range",
                "choose 1 to " + std::to_string(ledger_schema::buckets_max)
            );
            return false;
        }
        if (plan_.key.size() != definition_.key_columns.size()) {
            refuse(
                name_ + ": has " + std::to_string(plan_.key.size()) + " parts, the key has " +
                    std::to_string(definition_.key_columns.size()) + " columns",
                "give one value for each of " + comma_list(definition_.key_columns)
            );
            return false;
        }
        const auto id = make_sku_id(definition_.table, plan_.key, definition_.shape.key_types);
        if (!id || !is_plain_text()) {
            refuse(
                name_ + ": the ledger cannot name this key",
                "integer keys must be whole numbers, text keys printable ASCII, and the whole name "
                "at most " +
                    std::to_string(sku_id_size_max) + " bytes"
            );
            return false;
        }
        result_.sku_id = *id;
        place_.schema = definition_.schema;
        place_.table = definition_.table;
        place_.key_columns = definition_.key_columns;
        place_.key_types = definition_.shape.key_types;
        place_.key = key_parts_of(*id).value_or(std::vector<std::string>{});
        place_.stock_column = definition_.stock_column;
        place_.version_column = definition_.version_column;
        return true;
    }

    // A client may write other characters in its own character set, which only the server can map.
    [[nodiscard]] bool is_plain_text() const {
        for (const auto& part : plan_.key) {
            for (const char c : part) {
                if (c < ' ' || c > '~') return false;
            }
        }
        return true;
    }

    void transaction() {
        if (!run_sql("START TRANSACTION")) return;
        if (in_transaction()) return;
        // Also after an error: nothing of this attempt may stay.
        const auto reply = database_.query("ROLLBACK");
        if (reply.error && result_.text.empty()) fail(reply.error);
    }

    // True: committed.
    bool in_transaction() {
        Registered registered;
        if (!read_registered(registered)) return false;
        if (registered.found && registered.state != "drained") {
            judge_registered(registered);
            return false;
        }
        if (!no_ledger_ && !same_as_siblings()) return false;
        std::int64_t stock = 0;
        if (!read_stock(stock)) return false;
        result_.units = stock;
        const std::uint64_t epoch = registered.epoch + 1;
        const bool written =
            no_ledger_ || (registered.found ? write_again(stock, epoch) : write_new(stock, epoch));
        if (!written) return false;
        if (plan_.before_commit && !plan_.dry_run) {
            plan_.before_commit(result_.sku_id, plan_.buckets);
        }
        result_.end = registered.found ? AdoptionEnd::adopted_again : AdoptionEnd::adopted;
        result_.text = name_ + ": " + std::to_string(stock) + " units in " +
                       std::to_string(plan_.buckets) + " buckets, epoch " + std::to_string(epoch);
        if (plan_.dry_run) return false;
        if (run_sql("COMMIT")) return true;
        return false;
    }

    bool read_registered(Registered& registered) {
        const auto reply = database_.query(
            "SELECT state,buckets,epoch," + same_definition(database_, definition_) + " FROM " +
            table("inventory_sku") + " WHERE sku_id=" + quoted(result_.sku_id) + " FOR UPDATE"
        );
        if (plan_.dry_run && reply.error.code == table_missing) {
            no_ledger_ = true;
            return true;
        }
        if (reply.error) return fail(reply.error);
        if (reply.rows.empty()) return true;
        const auto& row = reply.rows.front();
        registered.found = true;
        registered.state = row[0].value_or("");
        registered.buckets = static_cast<unsigned>(to_units(row[1].value_or("0")).value_or(0));
        registered.epoch = static_cast<std::uint64_t>(to_units(row[2].value_or("0")).value_or(0));
        registered.same_definition = row[3].value_or("0") == "1";
        return true;
    }

    void judge_registered(const Registered& registered) {
        const std::string drain = "run `stockgate drain` for it first, then init again";
        if (registered.state == "draining") {
            refuse(
                name_ + ": a drain of it has begun and not ended",
                "finish it with `stockgate drain`"
            );
        } else if (!registered.same_definition) {
            refuse(
                name_ +
                    ": already adopted with other key, stock, version or time columns than the "
                    "configuration now says",
                drain
            );
        } else if (registered.buckets != plan_.buckets) {
            refuse(
                name_ + ": already adopted with " + std::to_string(registered.buckets) +
                    " buckets, the configuration says " + std::to_string(plan_.buckets),
                drain
            );
        } else {
            result_.end = AdoptionEnd::already;
            result_.text = name_ + ": already adopted" +
                           (registered.state == "active" ? "" : ", state " + registered.state);
        }
    }

    // The rules of a table are the same for all its SKUs.
    bool same_as_siblings() {
        const auto reply = database_.query(
            "SELECT sku_id FROM " + table("inventory_sku") +
            " WHERE state<>'drained' AND table_name=" + quoted(definition_.table) + " AND NOT (" +
            same_definition(database_, definition_) + ") LIMIT 1"
        );
        if (reply.error) return fail(reply.error);
        if (reply.rows.empty()) return true;
        return refuse(
            name_ + ": " + reply.rows.front()[0].value_or("") +
                " of the same table is adopted with other columns than the configuration says",
            "undo the change of key, stock, version or time, or drain all SKUs of the table first"
        );
    }

    bool read_stock(std::int64_t& stock) {
        std::vector<BaseRow> rows;
        if (const auto error = read_base_rows(database_, place_, true, rows)) return fail(error);
        if (rows.empty()) {
            return refuse(name_ + ": no such row", "correct the key, or insert the row first");
        }
        if (rows.size() > 1) {
            return refuse(
                name_ + ": the key names " + std::to_string(rows.size()) + " rows",
                "name the columns of a unique index in `key:`"
            );
        }
        std::string lookalikes;
        if (const auto error = count_lookalikes(database_, place_, lookalikes)) return fail(error);
        const auto& row = rows.front();
        const auto stored = make_sku_id(definition_.table, row.key, definition_.shape.key_types);
        if (stored != result_.sku_id || lookalikes != "1") {
            return refuse(
                name_ +
                    ": other texts than this one name the row, or other rows differ from it in "
                    "trailing blanks only (stored key " +
                    key_text(row.key) + ')',
                "the ledger could confuse them; leave this row to the database"
            );
        }
        if (!row.stock) {
            return refuse(name_ + ": stock is NULL", "set it to a number first");
        }
        const auto units = to_units(*row.stock);
        if (!units || *units > units_max) {
            return refuse(
                name_ + ": stock " + *row.stock + " is larger than the ledger can hold",
                "the largest is " + std::to_string(units_max)
            );
        }
        if (*units < 0) {
            return refuse(
                name_ + ": stock is " + *row.stock,
                "a negative stock cannot be split; correct it first"
            );
        }
        stock = *units;
        return true;
    }

    bool write_new(std::int64_t stock, std::uint64_t epoch) {
        const std::string units = std::to_string(stock);
        return run_sql(
                   "INSERT INTO " + table("inventory_sku") +
                   " (sku_id,table_name,key_columns,key_types,stock_column,stock_max,"
                   "stock_unsigned,version_column,time_columns,unguarded,buckets,epoch,state,"
                   "adopted_total,projected_stock) VALUES (" +
                   quoted(result_.sku_id) + ',' + definition_values() + ',' +
                   std::to_string(plan_.buckets) + ',' + std::to_string(epoch) + ",'active'," +
                   units + ',' + units + ')'
               ) &&
               write_buckets(stock, epoch);
    }

    // Of a SKU that was drained: sold units and details go on from where they were.
    bool write_again(std::int64_t stock, std::uint64_t epoch) {
        const std::string units = std::to_string(stock);
        const std::string of_sku = " WHERE sku_id=" + quoted(result_.sku_id);
        return run_sql(
                   "UPDATE " + table("inventory_bucket") + " SET epoch=" + std::to_string(epoch) +
                   of_sku
               ) &&
               write_buckets(stock, epoch) &&
               run_sql(
                   "UPDATE " + table("inventory_sku") + " SET " + definition_assignments() +
                   ",buckets=" + std::to_string(plan_.buckets) + ",epoch=" + std::to_string(epoch) +
                   ",state='active',adopted_total=adopted_total+" + units + ",projected_stock=" +
                   units + ",projected_version=(SELECT COALESCE(SUM(version),0) FROM " +
                   table("inventory_bucket") + of_sku + ')' + of_sku
               );
    }

    bool write_buckets(std::int64_t stock, std::uint64_t epoch) {
        std::string values;
        unsigned bucket = 0;
        for (const auto units : split_capacity(stock, plan_.buckets)) {
            if (bucket > 0) values += ',';
            values += '(' + quoted(result_.sku_id) + ',' + std::to_string(bucket++) + ',' +
                      std::to_string(epoch) + ',' + std::to_string(units) + ')';
        }
        return run_sql(
            "INSERT INTO " + table("inventory_bucket") +
            " (sku_id,bucket_id,epoch,bucket_total) VALUES " + values +
            " ON DUPLICATE KEY UPDATE bucket_total=bucket_total+VALUES(bucket_total)"
        );
    }

    [[nodiscard]] std::string definition_values() const {
        std::string list;
        for (const auto& [name, value] : definition_fields(database_, definition_)) {
            if (!list.empty()) list += ',';
            list += value;
        }
        return list;
    }
    [[nodiscard]] std::string definition_assignments() const {
        std::string list;
        for (const auto& [name, value] : definition_fields(database_, definition_)) {
            if (!list.empty()) list += ',';
            list += name + '=' + value;
        }
        return list;
    }

    [[nodiscard]] std::string table(const char* name) const {
        return quote_name(definition_.schema) + '.' + name;
    }
    [[nodiscard]] std::string quoted(const std::string& text) const {
        return database_.quote(text);
    }

    bool run_sql(const std::string& sql) {
        const auto reply = database_.query(sql);
        return !reply.error || fail(reply.error);
    }

    // All of these return false, to end the caller.
    bool fail(const SqlError& error) {
        if (is_lock_conflict(error)) {
            conflict_ = error;
            return false;
        }
        result_.end = AdoptionEnd::failed;
        result_.text = name_ + ": " + to_string(error);
        if (error.outcome_unknown) result_.hint = "the connection was lost; run init again to see";
        return false;
    }
    bool refuse(std::string text, std::string hint) {
        result_.end = AdoptionEnd::refused;
        result_.text = std::move(text);
        result_.hint = std::move(hint);
        return false;
    }

    Database& database_;
    const TableDefinition& definition_;
    const AdoptionPlan& plan_;
    std::string name_;
    BaseRowPlace place_;
    bool no_ledger_ = false;  // a dry run before the ledger tables exist
    SqlError conflict_;
    AdoptionResult result_;
};

}  // namespace

std::vector<std::int64_t> split_capacity(std::int64_t total, unsigned buckets) {
    const std::int64_t count = buckets;
    std::vector<std::int64_t> shares(buckets, total / count);
    for (std::int64_t i = 0; i < total % count; ++i) ++shares[static_cast<std::size_t>(i)];
    return shares;
}

AdoptionResult adopt_sku(
    Database& database, const TableDefinition& definition, const AdoptionPlan& plan
) {
    return Adoption{database, definition, plan}.run();
}

std::string key_text(const std::vector<std::string>& key) {
    return comma_list(key);
}

}  // namespace proxy
