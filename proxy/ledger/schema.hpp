#pragma once
// The ledger's tables as SQL text, and the privileges that accounts need on them. Pure; used by
// `init`, `check` and `grants`. The text is accepted by MariaDB 10.3 and MySQL 5.7 and later;
// MySQL before 8.0.16 reads the CHECK clause and ignores it.

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace proxy::ledger_schema {

inline constexpr std::array<std::string_view, 4> table_names{
    "inventory_sku", "inventory_bucket", "stock_deduct_detail", "inventory_proxy"};

inline constexpr unsigned buckets_max = 1024;

// CREATE TABLE IF NOT EXISTS, one statement per table, in the order of `table_names`.
[[nodiscard]] std::vector<std::string> create_statements(std::string_view schema);

// The columns that the ledger's statements use, to compare with what a server has.
struct ExpectedColumn {
    std::string_view table;
    std::string_view column;
    std::string_view data_type;  // as information_schema.COLUMNS.DATA_TYPE
};
[[nodiscard]] const std::vector<ExpectedColumn>& expected_columns();

// An account as the server names it: 'user'@'host'.
struct Account {
    std::string user;
    std::string host;
};
// Reads 'app'@'10.%', app@localhost or app (any host). False: not an account name.
[[nodiscard]] bool parse_account(std::string_view text, Account& account);
[[nodiscard]] std::string quoted(const Account& account);

// What every application account needs beside its own rights, so that the ledger rows can ride in
// its transactions.
[[nodiscard]] std::vector<std::string> application_grants(
    std::string_view schema, const Account& account
);
// What the proxy's own account needs. `tables` are the managed tables of the schema.
[[nodiscard]] std::vector<std::string> ledger_grants(
    std::string_view schema, const std::vector<std::string>& tables, const Account& account
);

}  // namespace proxy::ledger_schema
