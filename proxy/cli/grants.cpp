#include "proxy/cli/grants.hpp"

#include "proxy/cli/exit_code.hpp"
#include "proxy/ledger/schema.hpp"

#include <algorithm>

namespace proxy {

int run_grants(const config::Config& config, const GrantsOptions& options, std::ostream& out) {
    std::vector<ledger_schema::Account> applications;
    for (const auto& text : options.applications) {
        ledger_schema::Account account;
        if (!ledger_schema::parse_account(text, account)) {
            out << "grants: " << text << " is no account name; write 'user'@'host'\n";
            return exit_code::usage;
        }
        applications.push_back(std::move(account));
    }
    if (applications.empty()) {
        out << "-- Replace APPLICATION by each account that uses a managed table.\n";
        ledger_schema::Account placeholder{"APPLICATION", "%"};
        applications.push_back(std::move(placeholder));
    }
    const ledger_schema::Account ledger{config.ledger.user, "%"};
    for (const auto& [schema, tables] : managed_schemas(config)) {
        out << "-- Applications: their deductions write the ledger in their own transactions.\n";
        for (const auto& account : applications) {
            for (const auto& sql : ledger_schema::application_grants(schema, account)) {
                out << sql << ";\n";
            }
        }
        out << "-- The proxy's own account (narrow the host where you can).\n";
        for (const auto& sql : ledger_schema::ledger_grants(schema, tables, ledger)) {
            out << sql << ";\n";
        }
    }
    return exit_code::ok;
}

std::vector<ManagedSchema> managed_schemas(const config::Config& config) {
    std::vector<ManagedSchema> schemas;
    for (const auto& table : config.tables) {
        const auto known = std::find_if(schemas.begin(), schemas.end(), [&table](const auto& each) {
            return each.schema == table.schema;
        });
        if (known != schemas.end()) {
            known->tables.push_back(table.name);
        } else {
            ManagedSchema added{table.schema, std::vector<std::string>(1, table.name)};
            schemas.push_back(std::move(added));
        }
    }
    return schemas;
}

}  // namespace proxy
