#include "proxy/ledger/schema.hpp"

#include "proxy/ledger/ledger_sql.hpp"

namespace proxy::ledger_schema {
namespace {

using ledger_sql::quote_name;

// One spelling of the SKU's name everywhere, compared byte by byte.
constexpr const char* sku_id_column =
    "sku_id VARCHAR(190) CHARACTER SET ascii COLLATE ascii_bin NOT NULL";
constexpr const char* table_end = " ENGINE=InnoDB DEFAULT CHARACTER SET utf8mb4";

std::string create(std::string_view schema, std::string_view table, const std::string& body) {
    return "CREATE TABLE IF NOT EXISTS " + quote_name(schema) + '.' + std::string{table} + " (" +
           body + ')' + table_end;
}

std::string sku_body() {
    return std::string{sku_id_column} +
           ",table_name VARCHAR(64) NOT NULL"
           ",key_columns VARCHAR(1000) NOT NULL"
           ",key_types VARCHAR(16) NOT NULL"
           ",stock_column VARCHAR(64) NOT NULL"
           ",stock_max VARCHAR(24) NOT NULL"
           ",stock_unsigned TINYINT NOT NULL"
           ",version_column VARCHAR(64) NULL"
           ",time_columns VARCHAR(1000) NOT NULL DEFAULT ''"
           ",unguarded ENUM('error','zero_rows') NOT NULL DEFAULT 'error'"
           ",mode ENUM('gated','buckets') NOT NULL DEFAULT 'gated'"
           ",buckets SMALLINT UNSIGNED NOT NULL"
           ",epoch BIGINT UNSIGNED NOT NULL"
           ",state ENUM('active','paused','draining','drained') NOT NULL DEFAULT 'active'"
           ",adopted_total BIGINT NOT NULL DEFAULT 0"
           ",drained_total BIGINT NOT NULL DEFAULT 0"
           ",projected_stock BIGINT NULL"
           ",projected_version BIGINT UNSIGNED NOT NULL DEFAULT 0"
           ",created_at TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP"
           ",updated_at TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP ON UPDATE CURRENT_TIMESTAMP"
           ",PRIMARY KEY (sku_id)";
}

std::string bucket_body() {
    return std::string{sku_id_column} +
           ",bucket_id SMALLINT UNSIGNED NOT NULL"
           ",epoch BIGINT UNSIGNED NOT NULL"
           ",bucket_total BIGINT NOT NULL"
           ",sold_stock BIGINT NOT NULL DEFAULT 0"
           ",version BIGINT UNSIGNED NOT NULL DEFAULT 0"
           ",PRIMARY KEY (sku_id,bucket_id)"
           ",CONSTRAINT inventory_bucket_no_oversell CHECK (sold_stock BETWEEN 0 AND bucket_total)";
}

// No AUTO_INCREMENT (it would change the application's LAST_INSERT_ID) and no second index (one
// insert per deduction is the hot path).
std::string detail_body() {
    return std::string{"request_id BINARY(16) NOT NULL,"} + sku_id_column +
           ",user_id VARCHAR(64) NULL"
           ",qty BIGINT NOT NULL"
           ",bucket_id SMALLINT UNSIGNED NOT NULL"
           ",status TINYINT UNSIGNED NOT NULL DEFAULT 1"
           ",create_time TIMESTAMP(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3)"
           ",PRIMARY KEY (request_id)";
}

std::string proxy_body() {
    return "incarnation INT UNSIGNED NOT NULL"
           ",instance VARCHAR(64) NOT NULL"
           ",seen_at TIMESTAMP(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3)"
           ",started_at TIMESTAMP(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3)"
           ",PRIMARY KEY (incarnation)";
}

std::string grant(
    const char* privileges, std::string_view schema, std::string_view table, const Account& account
) {
    return std::string{"GRANT "} + privileges + " ON " + quote_name(schema) + '.' +
           quote_name(table) + " TO " + quoted(account);
}

std::string quote_text(std::string_view text) {
    std::string literal = "'";
    for (const char c : text) {
        if (c == '\'') literal += '\'';
        literal += c;
    }
    return literal + '\'';
}

// 'a''b', "a" or a bare word; takes it off the front of `rest`.
bool take_word(std::string_view& rest, std::string& word) {
    if (rest.empty()) return false;
    const char quote = rest.front();
    if (quote != '\'' && quote != '"' && quote != '`') {
        const auto end = rest.find('@');
        word = rest.substr(0, end);
        rest.remove_prefix(word.size());
        return !word.empty() && word.find_first_of("'\"` ;") == std::string::npos;
    }
    for (std::size_t i = 1; i < rest.size(); ++i) {
        if (rest[i] != quote) {
            word += rest[i];
        } else if (i + 1 < rest.size() && rest[i + 1] == quote) {
            word += rest[i++];
        } else {
            rest.remove_prefix(i + 1);
            return true;
        }
    }
    return false;
}

}  // namespace

std::vector<std::string> create_statements(std::string_view schema) {
    return {
        create(schema, table_names[0], sku_body()),
        create(schema, table_names[1], bucket_body()),
        create(schema, table_names[2], detail_body()),
        create(schema, table_names[3], proxy_body()),
    };
}

const std::vector<ExpectedColumn>& expected_columns() {
    static const std::vector<ExpectedColumn> columns{
        {"inventory_sku", "sku_id", "varchar"},
        {"inventory_sku", "table_name", "varchar"},
        {"inventory_sku", "key_columns", "varchar"},
        {"inventory_sku", "key_types", "varchar"},
        {"inventory_sku", "stock_column", "varchar"},
        {"inventory_sku", "stock_max", "varchar"},
        {"inventory_sku", "stock_unsigned", "tinyint"},
        {"inventory_sku", "version_column", "varchar"},
        {"inventory_sku", "time_columns", "varchar"},
        {"inventory_sku", "unguarded", "enum"},
        {"inventory_sku", "mode", "enum"},
        {"inventory_sku", "buckets", "smallint"},
        {"inventory_sku", "epoch", "bigint"},
        {"inventory_sku", "state", "enum"},
        {"inventory_sku", "adopted_total", "bigint"},
        {"inventory_sku", "drained_total", "bigint"},
        {"inventory_sku", "projected_stock", "bigint"},
        {"inventory_sku", "projected_version", "bigint"},
        {"inventory_bucket", "sku_id", "varchar"},
        {"inventory_bucket", "bucket_id", "smallint"},
        {"inventory_bucket", "epoch", "bigint"},
        {"inventory_bucket", "bucket_total", "bigint"},
        {"inventory_bucket", "sold_stock", "bigint"},
        {"inventory_bucket", "version", "bigint"},
        {"stock_deduct_detail", "request_id", "binary"},
        {"stock_deduct_detail", "sku_id", "varchar"},
        {"stock_deduct_detail", "user_id", "varchar"},
        {"stock_deduct_detail", "qty", "bigint"},
        {"stock_deduct_detail", "bucket_id", "smallint"},
        {"stock_deduct_detail", "status", "tinyint"},
        {"stock_deduct_detail", "create_time", "timestamp"},
        {"inventory_proxy", "incarnation", "int"},
        {"inventory_proxy", "instance", "varchar"},
        {"inventory_proxy", "seen_at", "timestamp"},
        {"inventory_proxy", "started_at", "timestamp"},
    };
    return columns;
}

bool parse_account(std::string_view text, Account& account) {
    Account read;
    if (!take_word(text, read.user)) return false;
    read.host = "%";
    if (!text.empty()) {
        if (text.front() != '@') return false;
        text.remove_prefix(1);
        read.host.clear();
        if (!take_word(text, read.host) || !text.empty()) return false;
    }
    // A backslash would be read differently under different sql_modes.
    if ((read.user + read.host).find('\\') != std::string::npos) return false;
    account = std::move(read);
    return true;
}

std::string quoted(const Account& account) {
    return quote_text(account.user) + '@' + quote_text(account.host);
}

std::vector<std::string> application_grants(std::string_view schema, const Account& account) {
    return {
        grant("SELECT, INSERT, DELETE", schema, "stock_deduct_detail", account),
        grant("SELECT, UPDATE", schema, "inventory_bucket", account),
    };
}

std::vector<std::string> ledger_grants(
    std::string_view schema, const std::vector<std::string>& tables, const Account& account
) {
    std::vector<std::string> grants;
    for (const auto name : table_names) {
        grants.push_back(grant("SELECT, INSERT, UPDATE, DELETE", schema, name, account));
    }
    for (const auto& table : tables) {
        grants.push_back(grant("SELECT, UPDATE", schema, table, account));
    }
    return grants;
}

}  // namespace proxy::ledger_schema
