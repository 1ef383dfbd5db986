#include "proxy/cli/check.hpp"

#include "proxy/cli/base_row.hpp"
#include "proxy/cli/check_report.hpp"
#include "proxy/cli/check_server.hpp"
#include "proxy/cli/exit_code.hpp"
#include "proxy/cli/grants.hpp"
#include "proxy/cli/json_text_writer.hpp"
#include "proxy/cli/table_facts.hpp"
#include "proxy/ledger/ledger_sql.hpp"

#include <map>

namespace proxy {
namespace {

constexpr std::chrono::seconds statement_timeout{30};

std::string place_name(const config::Table& table) {
    return table.schema + '.' + table.name;
}

// The configured SKUs against the registry.
void check_wishes(
    Database& database, const config::Table& table, const TableShape& shape, CheckReport& report
) {
    const auto reply = database.query(
        "SELECT sku_id,state,buckets FROM " + ledger_sql::quote_name(table.schema) +
        ".inventory_sku WHERE table_name=" + database.quote(table.name)
    );
    std::map<std::string, std::pair<std::string, std::string>> registered;
    for (const auto& row : reply.rows) {
        registered[row[0].value_or("")] = {row[1].value_or(""), row[2].value_or("")};
    }
    unsigned adopted = 0;
    for (const auto& sku : table.skus) {
        std::vector<std::string> parts;
        for (const auto& part : sku.key) parts.push_back(part.text);
        const auto id = make_sku_id(table.name, parts, shape.key_types);
        const auto found = id ? registered.find(*id) : registered.end();
        const std::string key =
            parts.empty() ? "" : parts.front() + (parts.size() > 1 ? ",..." : "");
        if (!id) {
            report.add(
                Severity::failure,
                place_name(table),
                "SKU " + key + " cannot be named by the ledger",
                "whole numbers for integer columns, printable ASCII for texts"
            );
        } else if (found == registered.end() || found->second.first == "drained") {
            report.add(
                Severity::warning,
                place_name(table),
                "SKU " + *id + " is not adopted",
                "`stockgate init` adopts it"
            );
        } else if (found->second.second != std::to_string(config::buckets_of(table, sku))) {
            report.add(
                Severity::warning,
                place_name(table),
                "SKU " + *id + " has " + found->second.second +
                    " buckets, the configuration says " +
                    std::to_string(config::buckets_of(table, sku)),
                "the registry counts; to change it, drain and init"
            );
        } else {
            ++adopted;
        }
    }
    report.add(
        Severity::fine,
        place_name(table),
        std::to_string(adopted) + " of " + std::to_string(table.skus.size()) +
            " configured SKUs are adopted"
    );
}

void check_mentions(Database& database, const config::Table& table, CheckReport& report) {
    std::vector<std::string> mentions;
    if (const auto error = read_mentions(database, table, mentions); error) {
        report.add(
            Severity::warning,
            place_name(table),
            "views, routines and events could not be searched: " + to_string(error),
            "run check with --account and an account that may see them"
        );
    }
    for (const auto& mention : mentions) {
        report.add(
            Severity::warning,
            place_name(table),
            mention + " uses the table inside the server, where no proxy sees it",
            "reads see the projected figure, up to a second old; writes of the stock must move out"
        );
    }
}

void check_table(
    Database& schema, Database& ledger, const config::Table& table, CheckReport& report
) {
    TableFacts facts;
    if (const auto error = read_table_facts(schema, table, facts); error) {
        report.add(Severity::failure, place_name(table), to_string(error), "grant SELECT on it");
        return;
    }
    TableShape shape;
    auto hazards = judge_table(table, facts, shape);
    if (facts.exists && !facts.triggers_visible) {
        hazards.push_back(hidden_triggers(table, Severity::warning));
    }
    for (auto& hazard : hazards) {
        report.add(hazard.severity, place_name(table), hazard.text, hazard.hint);
    }
    if (!facts.exists) return;
    check_rights(ledger, table, report);
    check_mentions(schema, table, report);
    if (forbids_adoption(hazards)) return;
    report.add(Severity::fine, place_name(table), "its definition can be managed");
    check_wishes(ledger, table, shape, report);
}

bool connect(
    Database& database, const config::Config& config, const Login& login, CheckReport& report
) {
    const auto error = database.connect();
    if (!error) {
        report.add(Severity::fine, "backend", place_of(config.backend, login) + " can log in");
        return true;
    }
    report.add(
        Severity::failure,
        "backend",
        "cannot log in as " + place_of(config.backend, login) + ": " + to_string(error),
        "check backend.address, and the account's password and host"
    );
    return false;
}

int finish(
    const CheckReport& report, const CheckOptions& options, bool connected, std::ostream& out
) {
    report.print(out);
    if (!options.json_file.empty() && !write_file(options.json_file, report.json())) {
        out << "check: cannot write " << options.json_file << '\n';
        return exit_code::usage;
    }
    if (!connected) return exit_code::cannot_connect;
    return report.failures() == 0 ? exit_code::ok : exit_code::finding;
}

}  // namespace

int run_check(const config::Config& config, const CheckOptions& options, std::ostream& out) {
    CheckReport report;
    report.add(
        Severity::fine,
        "config",
        std::to_string(config.tables.size()) + " managed tables configured"
    );
    const auto login = ledger_login(config);
    Database ledger(config.backend, login, statement_timeout);
    Database other(config.backend, options.account.value_or(login), statement_timeout);
    bool connected = connect(ledger, config, login, report);
    if (connected && options.account) connected = connect(other, config, *options.account, report);
    if (connected) {
        check_database(ledger, report);
        for (const auto& managed : managed_schemas(config)) {
            check_ledger(ledger, managed.schema, report);
        }
        for (const auto& table : config.tables) {
            check_table(options.account ? other : ledger, ledger, table, report);
        }
    }
    if (config.gate.kind == config::GateKind::redis) {
        check_redis(config.gate.redis, report);
    } else {
        report.add(Severity::fine, "gate", "local: no Redis is used");
    }
    return finish(report, options, connected, out);
}

}  // namespace proxy
