#include "proxy/cli/verify.hpp"

#include "proxy/cli/acknowledgements.hpp"
#include "proxy/cli/audit.hpp"
#include "proxy/cli/exit_code.hpp"
#include "proxy/cli/gate_audit.hpp"
#include "proxy/cli/grants.hpp"
#include "proxy/cli/json_text_writer.hpp"
#include "proxy/cli/text_table.hpp"

#include <unordered_map>

namespace proxy {
namespace {

// The details are read in one pass, which takes minutes on a large table.
constexpr std::chrono::hours statement_timeout{1};
constexpr unsigned table_missing = 1146;

class Verify {
public:
    Verify(const config::Config& config, const VerifyOptions& options, std::ostream& out)
        : config_(config),
          options_(options),
          out_(out),
          login_(options.account ? *options.account : ledger_login(config)),
          database_(config.backend, login_, statement_timeout) {}

    int run() {
        if (!options_.acks_file.empty()) {
            acknowledgements_ = read_acknowledgements(options_.acks_file);
            if (!acknowledgements_.wrong.empty()) {
                out_ << "verify: " << options_.acks_file << ": " << acknowledgements_.wrong << '\n';
                return exit_code::usage;
            }
        }
        if (const auto error = connect(); error) return cannot_read(error);
        for (const auto& [schema, tables] : managed_schemas(config_)) {
            Audit audit;
            const auto error = read_audit(database_, schema, audit);
            if (error.code == table_missing) {
                out_ << "note: " << schema << " has no ledger tables; nothing was adopted there\n";
                continue;
            }
            if (error) return cannot_read(error);
            judge_audit(audit);
            for (const auto& finding : audit.findings) findings_.push_back(schema + '.' + finding);
            for (auto& [sku_id, sku] : audit.skus) skus_.push_back(std::move(sku));
        }
        if (const auto error = read_gate(); error) return cannot_read(error);
        compare_with_clients();
        return report();
    }

private:
    SqlError connect() {
        // The snapshot must survive a whole pass over the details.
        database_.set_timeout(config_.backend.connect_timeout);
        auto error = database_.connect();
        database_.set_timeout(statement_timeout);
        return error;
    }

    int cannot_read(const SqlError& error) {
        const bool unreachable = database_.version().empty();
        out_ << (unreachable ? "cannot log in as " : "cannot read the ledger as ")
             << place_of(config_.backend, login_) << ": " << to_string(error) << '\n';
        out_ << "verify: FAIL nothing was verified\n";
        return unreachable ? exit_code::cannot_connect : exit_code::finding;
    }

    SqlError read_gate() {
        for (const auto& sku : skus_) {
            if (sku.state != "drained" && sku.mode == "gated") {
                GateAudit audit;
                audit.sku = &sku;
                audit_at_[&sku] = audits_.size();
                audits_.push_back(std::move(audit));
            }
        }
        if (config_.gate.kind != config::GateKind::redis) {
            gate_skipped_ = "the gate is local, inside the proxies";
        } else if (options_.no_gate) {
            gate_skipped_ = "--no-gate";
        }
        SqlError error;
        if (!gate_skipped_.empty() || audits_.empty()) return error;
        GateAccess gate(config_.gate.redis);
        if (gate.ping()) error = audit_gate(database_, gate, audits_);
        for (const auto& audit : audits_) {
            if (audit.figures.asked) continue;
            gate_skipped_ =
                "Redis at " + config::to_string(config_.gate.redis.address) + " did not answer";
            break;
        }
        return error;
    }

    void compare_with_clients() {
        std::vector<const AuditedSku*> skus;
        for (const auto& sku : skus_) skus.push_back(&sku);
        acknowledged_ = compare_acknowledged(acknowledgements_, skus);
        for (const auto& each : acknowledged_) {
            if (!each.finding.empty()) findings_.push_back(each.sku + ": " + each.finding);
        }
    }

    [[nodiscard]] const GateFigures* gate_of(const AuditedSku& sku) const {
        if (!gate_skipped_.empty()) return nullptr;
        const auto found = audit_at_.find(&sku);
        if (found != audit_at_.end()) return &audits_[found->second].figures;
        return nullptr;
    }

    int report() {
        print_table();
        print_acknowledged();
        unsigned count = 0;
        for (const auto& sku : skus_) {
            for (const auto& finding : sku.findings) {
                out_ << "FAIL  " << sku.schema << '.' << sku.sku_id << ": " << finding << '\n';
                ++count;
            }
            if (const auto* gate = gate_of(sku)) {
                for (const auto& finding : gate->findings) {
                    out_ << "FAIL  " << sku.schema << '.' << sku.sku_id << ": " << finding << '\n';
                    ++count;
                }
            }
        }
        for (const auto& finding : findings_) {
            out_ << "FAIL  " << finding << '\n';
            ++count;
        }
        print_notes();
        const std::string gate =
            gate_skipped_.empty() ? "" : ", gate SKIPPED (" + gate_skipped_ + ')';
        const std::string verdict = count == 0 ? "PASS" : "FAIL";
        if (!options_.json_file.empty() && !write_file(options_.json_file, json(verdict))) {
            out_ << "FAIL  cannot write " << options_.json_file << '\n';
            out_ << "verify: FAIL the report could not be written\n";
            return exit_code::usage;
        }
        out_ << "verify: " << verdict << ' ' << skus_.size() << " SKUs, " << units_sold()
             << " units sold, " << count << " findings" << gate << '\n';
        return count == 0 ? exit_code::ok : exit_code::finding;
    }

    [[nodiscard]] std::int64_t units_sold() const {
        std::int64_t sold = 0;
        for (const auto& sku : skus_) sold += sku.sold();
        return sold;
    }

    void print_table() {
        TextTable table(
            {"SKU",
             "state",
             "buckets",
             "total",
             "sold",
             "left",
             "details",
             "returned",
             "base row",
             "gate left",
             "reserved",
             "difference",
             "verdict"}
        );
        for (const auto& sku : skus_) {
            const auto* gate = gate_of(sku);
            const bool failed = !sku.findings.empty() || (gate && !gate->findings.empty());
            std::vector<std::string> cells;
            cells.push_back(sku.schema + '.' + sku.sku_id);
            cells.push_back(sku.state);
            for (const auto figure :
                 {static_cast<std::int64_t>(sku.buckets),
                  sku.total(),
                  sku.sold(),
                  sku.remainder(),
                  sku.confirmed(),
                  sku.returned()}) {
                cells.push_back(std::to_string(figure));
            }
            cells.push_back(sku.base.empty() ? "-" : sku.base);
            cells.push_back(gate ? std::to_string(gate->left) : "-");
            cells.push_back(gate ? std::to_string(gate->reserved) : "-");
            cells.push_back(gate ? std::to_string(gate->difference) : "-");
            cells.push_back(failed ? "FAIL" : "ok");
            table.add(std::move(cells));
        }
        table.print(out_);
    }

    void print_acknowledged() {
        for (const auto& each : acknowledged_) {
            out_ << "clients: " << each.sku << ": acknowledged " << each.acknowledged.units
                 << " units in " << each.acknowledged.count << " deductions, booked "
                 << each.booked_units << " in " << each.booked_count;
            const auto more = each.booked_units - each.acknowledged.units;
            if (more > 0) out_ << "; " << more << " units booked whose answer no client has";
            out_ << '\n';
        }
    }

    // Worth knowing, and no breach of a promise.
    void print_notes() {
        for (const auto& sku : skus_) {
            const std::string name = "note: " + sku.schema + '.' + sku.sku_id + ": ";
            if (sku.state != "drained" && !sku.base.empty() && sku.base != sku.projected) {
                out_ << name << "the base row says " << sku.base << ", the proxies last wrote "
                     << (sku.projected.empty() ? "nothing" : sku.projected)
                     << ": somebody wrote the stock past the proxies\n";
            }
            if (sku.tombstones > 0) {
                out_ << name << sku.tombstones << " deductions were cancelled by the judge\n";
            }
            const auto* gate = gate_of(sku);
            if (gate && gate->missing > 0) {
                out_ << name << gate->missing << " of " << sku.buckets
                     << " buckets have no key at the gate; they are rebuilt from the ledger when "
                        "used\n";
            }
            if (gate && gate->moving > 0) {
                out_ << name << gate->moving
                     << " buckets differed from the gate while traffic moved them; run again at "
                        "rest\n";
            }
        }
    }

    [[nodiscard]] std::string json(const std::string& verdict) const {
        JsonText json;
        json.begin_object().key("verdict").value(verdict);
        json.key("gate").value(gate_skipped_.empty() ? "checked" : "skipped");
        json.key("gate_skipped_because").value(gate_skipped_);
        json.key("skus").begin_array();
        for (const auto& sku : skus_) append_sku(json, sku);
        json.end_array().key("findings").begin_array();
        for (const auto& finding : findings_) json.value(finding);
        json.end_array().key("acknowledged").begin_array();
        for (const auto& each : acknowledged_) {
            json.begin_object().key("sku").value(each.sku);
            json.key("acknowledged_units").value(each.acknowledged.units);
            json.key("acknowledged_count").value(each.acknowledged.count);
            json.key("booked_units").value(each.booked_units);
            json.key("booked_count").value(each.booked_count);
            json.key("finding").value(each.finding).end_object();
        }
        return json.end_array().end_object().text();
    }

    void append_sku(JsonText& json, const AuditedSku& sku) const {
        json.begin_object().key("schema").value(sku.schema).key("sku_id").value(sku.sku_id);
        json.key("state").value(sku.state);
        json.key("buckets").value(static_cast<std::int64_t>(sku.buckets));
        json.key("total").value(sku.total()).key("sold").value(sku.sold());
        json.key("remainder").value(sku.remainder());
        json.key("details").value(sku.details).key("detail_units").value(sku.confirmed());
        json.key("returns").value(sku.returns).key("returned_units").value(sku.returned());
        json.key("tombstones").value(sku.tombstones);
        json.key("base_stock").value(sku.base).key("projected_stock").value(sku.projected);
        const auto* gate = gate_of(sku);
        json.key("gate");
        if (gate) {
            json.begin_object().key("left").value(gate->left);
            json.key("reserved").value(gate->reserved).key("difference").value(gate->difference);
            json.key("missing").value(static_cast<std::int64_t>(gate->missing));
            json.key("moving").value(static_cast<std::int64_t>(gate->moving)).end_object();
        } else {
            json.null();
        }
        json.key("findings").begin_array();
        for (const auto& finding : sku.findings) json.value(finding);
        if (gate) {
            for (const auto& finding : gate->findings) json.value(finding);
        }
        json.end_array().end_object();
    }

    const config::Config& config_;
    const VerifyOptions& options_;
    std::ostream& out_;
    Login login_;
    Database database_;
    Acknowledgements acknowledgements_;
    std::vector<AcknowledgedSku> acknowledged_;
    std::vector<AuditedSku> skus_;
    std::vector<GateAudit> audits_;
    std::unordered_map<const AuditedSku*, std::size_t> audit_at_;
    std::vector<std::string> findings_;  // of no SKU in particular
    std::string gate_skipped_;           // why; empty: the gate was checked
};

}  // namespace

int run_verify(const config::Config& config, const VerifyOptions& options, std::ostream& out) {
    return Verify{config, options, out}.run();
}

}  // namespace proxy
