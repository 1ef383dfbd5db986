#include "proxy/cli/check_server.hpp"

#include "proxy/cli/gate_access.hpp"
#include "proxy/ledger/ledger_sql.hpp"
#include "proxy/ledger/schema.hpp"

#include <algorithm>
#include <charconv>
#include <map>

namespace proxy {
namespace {

using ledger_sql::quote_name;

constexpr unsigned table_access_denied = 1142;
constexpr unsigned column_access_denied = 1143;
constexpr unsigned table_missing = 1146;
constexpr int redis_major_min = 5;

std::map<std::string, std::string> read_variables(Database& database, SqlError& error) {
    const auto reply = database.query(
        "SHOW GLOBAL VARIABLES WHERE Variable_name IN ('read_only','super_read_only','log_bin',"
        "'binlog_format','sql_mode','innodb_rollback_on_timeout','innodb_flush_log_at_trx_commit',"
        "'wsrep_on')"
    );
    error = reply.error;
    std::map<std::string, std::string> variables;
    for (const auto& row : reply.rows) {
        if (row.size() > 1) variables[row[0].value_or("")] = row[1].value_or("");
    }
    return variables;
}

void check_version(Database& database, CheckReport& report) {
    const auto version = parse_server_version(database.version());
    const bool mariadb = database.is_mariadb();
    const std::string text = (mariadb ? "MariaDB " : "MySQL ") + database.version();
    const bool supported = mariadb
                               ? version.major > 10 || (version.major == 10 && version.minor >= 3)
                               : version.major > 5 || (version.major == 5 && version.minor >= 7);
    if (supported) {
        report.add(Severity::fine, "backend", text);
    } else {
        report.add(
            Severity::failure,
            "backend",
            text + " is not supported",
            "MariaDB 10.3, MySQL 5.7 or later"
        );
    }
}

// Whether a statement that matches no row is allowed.
bool is_allowed(Database& database, const std::string& sql, SqlError& error) {
    error = database.query(sql).error;
    return error.code != table_access_denied && error.code != column_access_denied;
}

struct Probe {
    const char* privilege;
    std::string sql;
};

std::string missing_privileges(
    Database& database, const std::vector<Probe>& probes, SqlError& other
) {
    std::string missing;
    static_cast<void>(database.query("START TRANSACTION"));
    for (const auto& probe : probes) {
        SqlError error;
        if (!is_allowed(database, probe.sql, error)) {
            missing += (missing.empty() ? "" : ", ") + std::string{probe.privilege};
        } else if (error) {
            other = error;
        }
    }
    static_cast<void>(database.query("ROLLBACK"));
    return missing;
}

std::vector<Probe> ledger_probes(const std::string& schema, std::string_view table) {
    const std::string name = quote_name(schema) + '.' + std::string{table};
    std::string column;
    std::string columns;
    for (const auto& expected : ledger_schema::expected_columns()) {
        if (expected.table != table) continue;
        if (column.empty()) column = expected.column;
        columns += (columns.empty() ? "" : ",") + std::string{expected.column};
    }
    return {
        {"SELECT", "SELECT " + columns + " FROM " + name + " WHERE 1=0"},
        {"INSERT",
         "INSERT INTO " + name + " (" + columns + ") SELECT " + columns + " FROM " + name +
             " WHERE 1=0"},
        {"UPDATE", "UPDATE " + name + " SET " + column + '=' + column + " WHERE 1=0"},
        {"DELETE", "DELETE FROM " + name + " WHERE 1=0"},
    };
}

// What information_schema says about the four tables, against what the statements use.
std::vector<std::string> shape_problems(
    Database& database, const std::string& schema, unsigned& present
) {
    std::vector<std::string> problems;
    const auto reply = database.query(
        "SELECT t.TABLE_NAME,c.COLUMN_NAME,c.DATA_TYPE,t.ENGINE FROM information_schema.TABLES t "
        "JOIN information_schema.COLUMNS c ON c.TABLE_SCHEMA=t.TABLE_SCHEMA AND "
        "c.TABLE_NAME=t.TABLE_NAME WHERE t.TABLE_SCHEMA=" +
        database.quote(schema) +
        " AND t.TABLE_NAME IN ('inventory_sku','inventory_bucket','stock_deduct_detail',"
        "'inventory_proxy')"
    );
    if (reply.error) problems.push_back(to_string(reply.error));
    std::map<std::string, std::string> types;
    std::map<std::string, std::string> engines;
    for (const auto& row : reply.rows) {
        types[row[0].value_or("") + '.' + row[1].value_or("")] = row[2].value_or("");
        engines[row[0].value_or("")] = row[3].value_or("");
    }
    present = static_cast<unsigned>(engines.size());
    for (const auto& [table, engine] : engines) {
        if (engine != "InnoDB") problems.push_back(table + " uses the engine " + engine);
    }
    for (const auto& expected : ledger_schema::expected_columns()) {
        const auto table = std::string{expected.table};
        if (engines.count(table) == 0) continue;
        const auto name = table + '.' + std::string{expected.column};
        const auto found = types.find(name);
        if (found == types.end()) {
            problems.push_back(name + " is missing");
        } else if (found->second != expected.data_type) {
            problems.push_back(
                name + " is " + found->second + " instead of " + std::string{expected.data_type}
            );
        }
    }
    return problems;
}

// Older servers read the constraint and ignore it. The row is never committed.
void check_constraint(Database& database, const std::string& schema, CheckReport& report) {
    static_cast<void>(database.query("START TRANSACTION"));
    const auto reply = database.query(
        "INSERT INTO " + quote_name(schema) +
        ".inventory_bucket (sku_id,bucket_id,epoch,bucket_total,sold_stock) VALUES "
        "('stockgate:check',0,0,0,1)"
    );
    static_cast<void>(database.query("ROLLBACK"));
    constexpr unsigned violated_mariadb = 4025;
    constexpr unsigned violated_mysql = 3819;
    if (reply.error.code == violated_mariadb || reply.error.code == violated_mysql) {
        report.add(Severity::fine, schema, "the server enforces CHECK (no oversell) on buckets");
    } else if (!reply.error) {
        report.add(
            Severity::warning,
            schema,
            "this server does not enforce the CHECK constraint on buckets; each UPDATE still "
            "carries the condition",
            "none needed; MySQL 8.0.16 and MariaDB enforce it as a second guard"
        );
    } else {
        report.add(
            Severity::failure,
            schema,
            "the CHECK constraint could not be tried: " + to_string(reply.error),
            "see the rights above"
        );
    }
}

std::string info_field(const std::string& info, std::string_view name) {
    const auto label = std::string{name} + ':';
    const auto at = info.find(label);
    if (at == std::string::npos) return {};
    const auto from = at + label.size();
    return info.substr(from, info.find_first_of("\r\n", from) - from);
}

void check_eviction(GateAccess& gate, CheckReport& report) {
    std::string info;
    std::string refusal;
    const std::vector<std::string_view> words{"INFO", "memory"};
    if (!gate.text(words, info, refusal) || !refusal.empty()) {
        report.add(
            Severity::warning,
            "redis",
            "the eviction policy cannot be read: " + refusal,
            "allow INFO for this user, or make sure that maxmemory-policy is noeviction"
        );
        return;
    }
    const auto policy = info_field(info, "maxmemory_policy");
    if (policy == "noeviction") {
        report.add(Severity::fine, "redis", "maxmemory-policy is noeviction");
    } else {
        report.add(
            Severity::warning,
            "redis",
            "maxmemory-policy is " + policy + ": buckets may vanish without an error",
            "CONFIG SET maxmemory-policy noeviction, and in redis.conf"
        );
    }
}

}  // namespace

ServerVersion parse_server_version(const std::string& text) {
    // Replication tricked old clients with a leading "5.5.5-".
    const std::string trick = "5.5.5-";
    std::string_view rest = text;
    if (rest.substr(0, trick.size()) == trick) rest.remove_prefix(trick.size());
    ServerVersion version;
    const auto* end = rest.data() + rest.size();
    const auto [dot, wrong] = std::from_chars(rest.data(), end, version.major);
    if (wrong == std::errc{} && dot != end && *dot == '.') {
        std::from_chars(dot + 1, end, version.minor);
    }
    return version;
}

void check_database(Database& database, CheckReport& report) {
    check_version(database, report);
    SqlError error;
    const auto variables = read_variables(database, error);
    const auto is_on = [&variables](const char* name) {
        const auto found = variables.find(name);
        return found != variables.end() && (found->second == "ON" || found->second == "1");
    };
    if (error) {
        report.add(Severity::failure, "backend", "cannot read variables: " + to_string(error));
        return;
    }
    if (is_on("read_only") || is_on("super_read_only")) {
        report.add(
            Severity::failure,
            "backend",
            "the server is read-only",
            "point backend.address at the primary"
        );
    }
    const auto format = variables.find("binlog_format");
    if (is_on("log_bin") && format != variables.end() && format->second == "STATEMENT") {
        report.add(
            Severity::failure,
            "backend",
            "binlog_format is STATEMENT: the ledger's READ COMMITTED transactions cannot be logged",
            "SET GLOBAL binlog_format=ROW (or MIXED), and in the server's configuration"
        );
    }
    if (is_on("innodb_rollback_on_timeout")) {
        report.add(
            Severity::warning,
            "backend",
            "innodb_rollback_on_timeout is ON: a lock wait timeout ends the whole transaction",
            "nothing for the proxy; know that the application sees it, with or without one"
        );
    }
    const auto flush = variables.find("innodb_flush_log_at_trx_commit");
    if (flush != variables.end() && flush->second != "1") {
        report.add(
            Severity::warning,
            "backend",
            "innodb_flush_log_at_trx_commit is " + flush->second +
                ": a crash of the server may lose deductions that clients were told of",
            "set it to 1"
        );
    }
}

void check_ledger(Database& database, const std::string& schema, CheckReport& report) {
    unsigned present = 0;
    const auto problems = shape_problems(database, schema, present);
    if (present < ledger_schema::table_names.size()) {
        report.add(
            Severity::failure,
            schema,
            std::to_string(present) + " of " + std::to_string(ledger_schema::table_names.size()) +
                " ledger tables are visible to the ledger account",
            "`stockgate init` creates them; `stockgate grants` prints the rights"
        );
        return;
    }
    for (const auto& problem : problems) {
        report.add(
            Severity::failure, schema, problem, "the tables are of another version, or were altered"
        );
    }
    bool usable = problems.empty();
    for (const auto table : ledger_schema::table_names) {
        SqlError other;
        const auto missing = missing_privileges(database, ledger_probes(schema, table), other);
        if (missing.empty() && !other) continue;
        usable = false;
        report.add(
            Severity::failure,
            schema,
            std::string{table} + ": " +
                (missing.empty() ? to_string(other) : "the ledger account lacks " + missing),
            "`stockgate grants` prints the rights"
        );
    }
    if (!usable) return;
    report.add(
        Severity::fine, schema, "ledger tables are there and the ledger account may use them"
    );
    check_constraint(database, schema, report);
}

void check_rights(Database& database, const config::Table& table, CheckReport& report) {
    const std::string name = quote_name(table.schema) + '.' + quote_name(table.name);
    const std::string stock = quote_name(table.stock);
    const std::vector<Probe> probes{
        {"SELECT", "SELECT " + stock + " FROM " + name + " WHERE 1=0"},
        {"UPDATE", "UPDATE " + name + " SET " + stock + '=' + stock + " WHERE 1=0"},
    };
    SqlError other;
    const auto missing = missing_privileges(database, probes, other);
    const std::string area = table.schema + '.' + table.name;
    if (!missing.empty()) {
        report.add(
            Severity::failure,
            area,
            "the ledger account lacks " + missing,
            "`stockgate grants` prints the rights"
        );
    } else if (other && other.code != table_missing) {
        report.add(Severity::failure, area, to_string(other));
    }
}

void check_redis(const config::Redis& redis, CheckReport& report) {
    GateAccess gate(redis);
    const auto place = config::to_string(redis.address);
    std::string info;
    std::string refusal;
    const std::vector<std::string_view> words{"INFO", "server"};
    if (!gate.ping()) {
        report.add(
            Severity::failure,
            "redis",
            place + " does not answer, or refuses this user or password",
            "check gate.redis; without Redis the proxies work, on the slower path"
        );
        return;
    }
    if (!gate.text(words, info, refusal) || !refusal.empty()) {
        report.add(Severity::warning, "redis", place + " answers, its version cannot be read");
        return;
    }
    const auto version = info_field(info, "redis_version");
    const bool old = parse_server_version(version).major < redis_major_min;
    report.add(
        old ? Severity::warning : Severity::fine,
        "redis",
        place + " answers, version " + version,
        old ? "tested with Redis 5 and later" : ""
    );
    check_eviction(gate, report);
}

}  // namespace proxy
