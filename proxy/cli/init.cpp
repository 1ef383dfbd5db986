#include "proxy/cli/init.hpp"

#include "proxy/cli/adoption.hpp"
#include "proxy/cli/exit_code.hpp"
#include "proxy/cli/gate_access.hpp"
#include "proxy/cli/grants.hpp"
#include "proxy/cli/table_facts.hpp"
#include "proxy/cli/table_hazards.hpp"
#include "proxy/ledger/ledger_sql.hpp"
#include "proxy/ledger/schema.hpp"

#include <algorithm>
#include <memory>

namespace proxy {
namespace {

using ledger_sql::quote_name;

// DDL waits for metadata locks of long transactions.
constexpr std::chrono::seconds statement_timeout{60};

std::vector<std::string> split_key(const std::string& text) {
    std::vector<std::string> parts;
    std::size_t from = 0;
    for (;;) {
        const auto comma = text.find(',', from);
        parts.push_back(text.substr(from, comma - from));
        if (comma == std::string::npos) return parts;
        from = comma + 1;
    }
}

std::vector<std::string> texts_of(const config::Sku& sku) {
    std::vector<std::string> parts;
    for (const auto& part : sku.key) parts.push_back(part.text);
    return parts;
}

class Init {
public:
    Init(const config::Config& config, const InitOptions& options, std::ostream& out)
        : config_(config),
          options_(options),
          out_(out),
          login_(options.account ? *options.account : ledger_login(config)),
          database_(config.backend, login_, statement_timeout) {}

    int run() {
        const auto tables = chosen_tables();
        if (!tables || !read_accounts()) return exit_code::usage;
        if (const auto error = database_.connect(); error) {
            out_ << "FAIL  cannot log in as " << place_of(config_.backend, login_) << ": "
                 << to_string(error) << '\n'
                 << "      fix: check backend.address and the account's password and host\n";
            return exit_code::cannot_connect;
        }
        for (const auto& [schema, names] : managed_schemas(config_)) {
            const bool wanted = std::any_of(tables->begin(), tables->end(), [&](const auto* table) {
                return table->schema == schema;
            });
            if (wanted && !prepare_schema(schema)) return finish();
        }
        for (const auto* table : *tables) adopt_table(*table);
        return finish();
    }

private:
    std::optional<std::vector<const config::Table*>> chosen_tables() {
        std::vector<const config::Table*> tables;
        for (const auto& table : config_.tables) {
            const std::string name = table.schema + '.' + table.name;
            if (options_.table.empty() || options_.table == name) tables.push_back(&table);
        }
        if (tables.empty()) {
            out_ << "init: "
                 << (options_.table.empty()
                         ? "the configuration names no tables"
                         : "no table " + options_.table + " in the configuration")
                 << "; add it under `tables:`\n";
            return std::nullopt;
        }
        if (!options_.skus.empty() && tables.size() > 1) {
            out_ << "init: --sku needs --table, since several tables are configured\n";
            return std::nullopt;
        }
        return tables;
    }

    bool read_accounts() {
        for (const auto& text : options_.grant_to) {
            ledger_schema::Account account;
            if (!ledger_schema::parse_account(text, account)) {
                out_ << "init: " << text << " is no account name; write 'user'@'host'\n";
                return false;
            }
            grant_to_.push_back(std::move(account));
        }
        return true;
    }

    bool prepare_schema(const std::string& schema) {
        if (options_.dry_run) {
            out_ << "DRY   " << schema << ": would create the ledger tables where missing\n";
            return true;
        }
        for (const auto& sql : ledger_schema::create_statements(schema)) {
            if (!execute(sql, "cannot create the ledger tables in " + schema)) return false;
        }
        out_ << "OK    " << schema << ": ledger tables are there\n";
        for (const auto& account : grant_to_) {
            for (const auto& sql : ledger_schema::application_grants(schema, account)) {
                if (!execute(sql, "cannot grant to " + ledger_schema::quoted(account)))
                    return false;
            }
            out_ << "OK    " << schema << ": granted to " << ledger_schema::quoted(account) << '\n';
        }
        return true;
    }

    bool execute(const std::string& sql, const std::string& what) {
        const auto reply = database_.query(sql);
        if (!reply.error) return true;
        fail(
            what + ": " + to_string(reply.error),
            "use --account with an account that may CREATE TABLE and GRANT there; "
            "`stockgate grants` prints what is needed"
        );
        return false;
    }

    void adopt_table(const config::Table& table) {
        TableFacts facts;
        const std::string place = table.schema + '.' + table.name;
        if (const auto error = read_table_facts(database_, table, facts); error) {
            fail(place + ": cannot read its definition: " + to_string(error), "grant SELECT on it");
            return;
        }
        TableShape shape;
        auto hazards = judge_table(table, facts, shape);
        if (facts.exists && !facts.triggers_visible) {
            hazards.push_back(hidden_triggers(table, Severity::failure));
        }
        for (const auto& hazard : hazards) {
            if (hazard.severity == Severity::failure) {
                fail(hazard.text, hazard.hint);
            } else {
                out_ << "WARN  " << hazard.text << '\n' << "      fix: " << hazard.hint << '\n';
            }
        }
        if (forbids_adoption(hazards)) return;
        const auto definition = define_table(table, facts, shape);
        align_policy(definition);
        for (const auto& wish : wishes(table)) adopt(definition, wish);
    }

    // The answer to an unguarded deduction may change while SKUs are adopted; the registry has it
    // in every row of the table.
    void align_policy(const TableDefinition& definition) {
        if (options_.dry_run) return;
        const auto reply = database_.query(
            "UPDATE " + quote_name(definition.schema) + ".inventory_sku SET unguarded='" +
            definition.unguarded + "' WHERE table_name=" + database_.quote(definition.table) +
            " AND unguarded<>'" + definition.unguarded + '\''
        );
        if (reply.affected_rows > 0) {
            out_ << "OK    " << definition.schema << '.' << definition.table
                 << ": unguarded is now " << definition.unguarded << '\n';
        }
    }

    struct Wish {
        std::vector<std::string> key;
        unsigned buckets = 0;
    };

    std::vector<Wish> wishes(const config::Table& table) {
        std::vector<Wish> list;
        if (options_.skus.empty()) {
            for (const auto& sku : table.skus) {
                Wish wish{texts_of(sku), config::buckets_of(table, sku)};
                list.push_back(std::move(wish));
            }
            return list;
        }
        for (const auto& text : options_.skus) {
            Wish wish{split_key(text), table.buckets};
            for (const auto& sku : table.skus) {
                if (texts_of(sku) == wish.key) wish.buckets = config::buckets_of(table, sku);
            }
            list.push_back(std::move(wish));
        }
        return list;
    }

    void adopt(const TableDefinition& definition, const Wish& wish) {
        AdoptionPlan plan;
        plan.key = wish.key;
        plan.buckets = wish.buckets;
        plan.dry_run = options_.dry_run;
        plan.before_commit = [this, &definition](const std::string& sku_id, unsigned buckets) {
            forget_at_gate(definition.schema, sku_id, buckets);
        };
        const auto result = adopt_sku(database_, definition, plan);
        switch (result.end) {
            case AdoptionEnd::adopted:
            case AdoptionEnd::adopted_again:
                out_ << (options_.dry_run ? "DRY   " : "OK    ") << result.text << '\n';
                ++adopted_;
                break;
            case AdoptionEnd::already:
                out_ << "OK    " << result.text << '\n';
                ++already_;
                break;
            case AdoptionEnd::refused:
            case AdoptionEnd::failed:
                fail(result.text, result.hint);
                break;
        }
    }

    // What an earlier life of the SKU left there must not be served. A gate that cannot be asked is
    // no reason to refuse: the database judges, and reconcile repairs the gate.
    void forget_at_gate(const std::string& schema, const std::string& sku_id, unsigned buckets) {
        if (config_.gate.kind != config::GateKind::redis || !gate_usable_) return;
        if (!gate_) gate_ = std::make_unique<GateAccess>(config_.gate.redis);
        for (unsigned bucket = 0; bucket < buckets && gate_usable_; ++bucket) {
            gate_usable_ = gate_->remove(gate_key(schema, sku_id, bucket));
        }
        if (!gate_usable_) {
            out_ << "WARN  Redis at " << config::to_string(config_.gate.redis.address)
                 << " does not answer; the proxies fill it when it is back\n";
        }
    }

    void fail(const std::string& text, const std::string& hint) {
        ++refused_;
        out_ << "FAIL  " << text << '\n';
        if (!hint.empty()) out_ << "      fix: " << hint << '\n';
    }

    int finish() {
        if (adopted_ > 0 && !options_.dry_run) {
            out_
                << "Running proxies pick the SKUs up within a second. From now on, everything that "
                   "writes their stock must go through a proxy.\n";
        }
        out_ << "init: " << (refused_ == 0 ? "OK" : "FAIL") << ' ' << adopted_
             << (options_.dry_run ? " could be adopted, " : " adopted, ") << already_
             << " already adopted, " << refused_ << " refused\n";
        return refused_ == 0 ? exit_code::ok : exit_code::finding;
    }

    const config::Config& config_;
    const InitOptions& options_;
    std::ostream& out_;
    Login login_;
    Database database_;
    std::unique_ptr<GateAccess> gate_;
    bool gate_usable_ = true;
    std::vector<ledger_schema::Account> grant_to_;
    unsigned adopted_ = 0;
    unsigned already_ = 0;
    unsigned refused_ = 0;
};

}  // namespace

int run_init(const config::Config& config, const InitOptions& options, std::ostream& out) {
    if (options.print_grants) {
        GrantsOptions grants;
        grants.applications = options.grant_to;
        return run_grants(config, grants, out);
    }
    return Init{config, options, out}.run();
}

}  // namespace proxy
