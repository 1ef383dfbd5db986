#include "proxy/cli/drain.hpp"

#include "proxy/cli/drain_sku.hpp"
#include "proxy/cli/exit_code.hpp"
#include "proxy/cli/gate_access.hpp"
#include "proxy/ledger/ledger_sql.hpp"
#include "proxy/ledger/sku_id.hpp"

#include <algorithm>
#include <memory>

namespace proxy {
namespace {

constexpr std::chrono::seconds statement_timeout{30};
constexpr unsigned table_missing = 1146;

struct Registered {
    std::string sku_id;
    std::string state;
    std::vector<KeyType> types;
};

class DrainCommand {
public:
    DrainCommand(const config::Config& config, const DrainOptions& options, std::ostream& out)
        : config_(config),
          options_(options),
          out_(out),
          login_(options.account ? *options.account : ledger_login(config)),
          database_(config.backend, login_, statement_timeout) {}

    int run() {
        if (!choose_table()) return exit_code::usage;
        if (options_.all == !options_.skus.empty()) {
            out_ << "drain: name SKUs, or say --all\n";
            return exit_code::usage;
        }
        if (const auto error = database_.connect(); error) {
            out_ << "FAIL  cannot log in as " << place_of(config_.backend, login_) << ": "
                 << to_string(error) << '\n';
            return exit_code::cannot_connect;
        }
        if (!read_registered()) return exit_code::finding;
        if (options_.all) {
            for (const auto& each : registered_) {
                if (each.state != "drained") drain(each.sku_id);
            }
        }
        for (const auto& wanted : options_.skus) drain_named(wanted);
        return finish();
    }

private:
    bool choose_table() {
        for (const auto& table : config_.tables) {
            const std::string name = table.schema + '.' + table.name;
            if (!options_.table.empty() && options_.table != name) continue;
            if (table_) {
                out_ << "drain: several tables are configured; say --table SCHEMA.TABLE\n";
                return false;
            }
            table_ = &table;
        }
        if (table_) return true;
        out_ << "drain: no table " << options_.table << " in the configuration\n";
        return false;
    }

    bool read_registered() {
        const auto reply = database_.query(
            "SELECT sku_id,state,key_types FROM " + ledger_sql::quote_name(table_->schema) +
            ".inventory_sku WHERE table_name=" + database_.quote(table_->name) + " ORDER BY sku_id"
        );
        if (reply.error) {
            out_ << "FAIL  cannot read the registry of " << table_->schema << ": "
                 << to_string(reply.error) << '\n';
            if (reply.error.code == table_missing) {
                out_ << "      nothing was ever adopted there: there is nothing to drain\n";
            }
            return false;
        }
        for (const auto& row : reply.rows) {
            Registered each;
            each.sku_id = row[0].value_or("");
            each.state = row[1].value_or("");
            for (const char letter : row[2].value_or("")) {
                each.types.push_back(static_cast<KeyType>(letter));
            }
            registered_.push_back(std::move(each));
        }
        return true;
    }

    void drain_named(const std::string& wanted) {
        const auto found = std::find_if(
            registered_.begin(),
            registered_.end(),
            [this, &wanted](const Registered& each) {
                return each.sku_id == wanted || is_key_of(wanted, each);
            }
        );
        if (found == registered_.end()) {
            fail(
                table_->schema + '.' + table_->name + " key " + wanted + ": not in the registry",
                "`stockgate verify` lists the adopted SKUs"
            );
            return;
        }
        drain(found->sku_id);
    }

    [[nodiscard]] bool is_key_of(const std::string& wanted, const Registered& each) const {
        std::vector<std::string> parts;
        std::size_t from = 0;
        for (;;) {
            const auto comma = wanted.find(',', from);
            parts.push_back(wanted.substr(from, comma - from));
            if (comma == std::string::npos) break;
            from = comma + 1;
        }
        return make_sku_id(table_->name, parts, each.types) == each.sku_id;
    }

    void drain(const std::string& sku_id) {
        DrainPlan plan;
        plan.schema = table_->schema;
        plan.sku_id = sku_id;
        plan.accept_base_difference = options_.accept_base_difference;
        const auto result = drain_sku(database_, plan);
        if (result.end == DrainEnd::refused || result.end == DrainEnd::failed) {
            fail(result.text, result.hint);
            return;
        }
        out_ << "OK    " << result.text << '\n';
        if (result.end == DrainEnd::already) return;
        ++drained_;
        units_ += result.remainder;
        forget_at_gate(sku_id, result.buckets);
    }

    void forget_at_gate(const std::string& sku_id, unsigned buckets) {
        if (config_.gate.kind != config::GateKind::redis || !gate_usable_) return;
        if (!gate_) gate_ = std::make_unique<GateAccess>(config_.gate.redis);
        for (unsigned bucket = 0; bucket < buckets && gate_usable_; ++bucket) {
            gate_usable_ = gate_->remove(gate_key(table_->schema, sku_id, bucket));
        }
        if (!gate_usable_) {
            out_ << "WARN  Redis at " << config::to_string(config_.gate.redis.address)
                 << " does not answer; keys of the drained SKUs stay there, unused\n";
        }
    }

    void fail(const std::string& text, const std::string& hint) {
        ++refused_;
        out_ << "FAIL  " << text << '\n';
        if (!hint.empty()) out_ << "      fix: " << hint << '\n';
    }

    int finish() {
        out_ << "drain: " << (refused_ == 0 ? "OK" : "FAIL") << ' ' << drained_ << " drained ("
             << units_ << " units), " << refused_ << " refused\n";
        return refused_ == 0 ? exit_code::ok : exit_code::finding;
    }

    const config::Config& config_;
    const DrainOptions& options_;
    std::ostream& out_;
    Login login_;
    Database database_;
    const config::Table* table_ = nullptr;
    std::vector<Registered> registered_;
    std::unique_ptr<GateAccess> gate_;
    bool gate_usable_ = true;
    unsigned drained_ = 0;
    std::int64_t units_ = 0;
    unsigned refused_ = 0;
};

}  // namespace

int run_drain(const config::Config& config, const DrainOptions& options, std::ostream& out) {
    return DrainCommand{config, options, out}.run();
}

}  // namespace proxy
