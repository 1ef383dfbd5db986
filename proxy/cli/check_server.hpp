#pragma once
// The parts of `stockgate check` that look at one server each. They add lines to the report and
// change nothing: rights are probed by statements that cannot match a row, inside a transaction
// that is rolled back.

#include "config/config.hpp"
#include "proxy/cli/check_report.hpp"
#include "proxy/cli/database.hpp"

#include <string>

namespace proxy {

void check_database(Database& database, CheckReport& report);
// The ledger tables of a schema: there, of the right shape, usable by this account.
void check_ledger(Database& database, const std::string& schema, CheckReport& report);
// Rights on a managed table.
void check_rights(Database& database, const config::Table& table, CheckReport& report);
void check_redis(const config::Redis& redis, CheckReport& report);

// Major and minor number of a version text such as "5.5.5-10.11.6-MariaDB" or "9.7.4".
struct ServerVersion {
    int major = 0;
    int minor = 0;
};
[[nodiscard]] ServerVersion parse_server_version(const std::string& text);

}  // namespace proxy
