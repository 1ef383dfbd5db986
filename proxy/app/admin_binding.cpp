// What the admin server shows of the running proxy. All on the control context; figures of the
// cores are relaxed atomics.
#include "proxy/app/app.hpp"

namespace proxy {
namespace {

using Kind = MetricSample::Kind;

void add(
    std::vector<MetricSample>& samples,
    const char* name,
    const char* help,
    Kind kind,
    double value,
    std::vector<std::pair<std::string, std::string>> labels = {}
) {
    MetricSample sample;
    sample.name = name;
    sample.help = help;
    sample.kind = kind;
    sample.labels = std::move(labels);
    sample.value = value;
    samples.push_back(std::move(sample));
}

BreakerReport::State state_of(BreakerPhase phase) {
    switch (phase) {
        case BreakerPhase::closed:
            return BreakerReport::State::closed;
        case BreakerPhase::open:
            return BreakerReport::State::open;
        case BreakerPhase::half_open:
            return BreakerReport::State::half_open;
        case BreakerPhase::rebuilding:
            return BreakerReport::State::rebuilding;
    }
    return BreakerReport::State::open;
}

constexpr const char* answer_names[] = {"granted", "insufficient", "missing", "unknown"};

}  // namespace

AdminPorts App::admin_ports() {
    AdminPorts ports;
    ports.version = STOCKGATE_VERSION;
    ports.health = [this] { return health(); };
    ports.metrics_text = [this] { return metrics_.render(); };
    ports.breaker_status = [this] { return breaker_report(); };
    ports.set_breaker = [this](config::BreakerMode mode) { breaker_.set_mode(mode); };
    ports.skus = [this] { return sku_reports(); };
    return ports;
}

HealthReport App::health() const {
    HealthReport report;
    switch (stage_) {
        case Stage::starting:
            report.status = HealthReport::Status::starting;
            break;
        case Stage::serving:
            report.status = HealthReport::Status::ok;
            break;
        case Stage::draining:
            report.status = HealthReport::Status::draining;
            break;
        case Stage::failed:
            report.status = HealthReport::Status::failed;
            break;
    }
    const RegistryStatus registry = registry_->status();
    if (!registry.last_error.empty() && registry.age_ms > 5000 && !config_->ledger.user.empty()) {
        if (stage_ == Stage::serving) report.status = HealthReport::Status::ledger_unreachable;
        report.reasons.push_back("the registry cannot be read: " + registry.last_error);
    }
    if (control_redis_ && !breaker_.allow()) {
        report.reasons.push_back(
            "Redis does not serve; the local gate does: " + breaker_.status().last_reason
        );
    }
    return report;
}

BreakerReport App::breaker_report() const {
    const BreakerStatus status = breaker_.status();
    BreakerReport report;
    report.mode = status.mode;
    report.state = state_of(status.phase);
    report.since = status.in_phase;
    report.opened_total = status.opened_total;
    report.reason = status.last_reason;
    return report;
}

std::vector<SkuReport> App::sku_reports() const {
    std::vector<SkuReport> reports;
    const RegistryView registry = registry_->current();
    const bool redis = control_redis_ && breaker_.allow();
    for (const auto& [key, sku] : registry->skus) {
        const TableInfo& table = registry->tables[sku.table];
        SkuReport report;
        report.schema = table.schema;
        report.table = table.table;
        report.sku_id = sku.sku_id;
        report.state = sku.state;
        report.epoch = sku.epoch;
        report.buckets = sku.buckets;
        report.gate = redis ? config::GateKind::redis : config::GateKind::local;
        reports.push_back(std::move(report));
    }
    return reports;
}

void App::add_samples(std::vector<MetricSample>& samples) const {
    const BreakerStatus breaker = breaker_.status();
    add(samples,
        "stockgate_breaker_state",
        "0 closed, 1 open, 2 half open, 3 rebuilding.",
        Kind::gauge,
        static_cast<double>(static_cast<int>(state_of(breaker.phase))));
    add(samples,
        "stockgate_breaker_opened_total",
        "Times the breaker opened.",
        Kind::counter,
        static_cast<double>(breaker.opened_total));
    const RegistryStatus registry = registry_->status();
    add(samples,
        "stockgate_registry_version",
        "Version of the published registry.",
        Kind::gauge,
        static_cast<double>(registry.version));
    add(samples,
        "stockgate_registry_skus",
        "SKUs under management.",
        Kind::gauge,
        static_cast<double>(registry.skus));
    add(samples,
        "stockgate_registry_age_seconds",
        "Since the registry was last read.",
        Kind::gauge,
        static_cast<double>(registry.age_ms) / 1000.0);
    const RebuildStatus rebuild = rebuilder_->status();
    add(samples,
        "stockgate_rebuild_waiting",
        "Buckets marked for a rebuild.",
        Kind::gauge,
        static_cast<double>(rebuild.waiting + rebuild.running));
    add(samples,
        "stockgate_rebuild_total",
        "Buckets rebuilt from the ledger.",
        Kind::counter,
        static_cast<double>(rebuild.rebuilt));
    add(samples,
        "stockgate_rebuild_dropped_total",
        "Left-over reservations dropped by rebuilds.",
        Kind::counter,
        static_cast<double>(rebuild.reservations_dropped));
    const ProjectionStatus projection = projection_->status();
    add(samples,
        "stockgate_base_row_alarms",
        "SKUs whose base row was written past the gate.",
        Kind::gauge,
        static_cast<double>(projection.alarmed));
    add(samples,
        "stockgate_projected_total",
        "Base rows brought up to date.",
        Kind::counter,
        static_cast<double>(projection.projected));
    add(samples,
        "stockgate_dead_proxies_total",
        "Dead proxies that this one cleaned up after.",
        Kind::counter,
        static_cast<double>(heartbeat_->status().claimed));
    add_gate_samples(samples);
}

void App::add_gate_samples(std::vector<MetricSample>& samples) const {
    for (const bool local : {false, true}) {
        for (std::size_t answer = 0; answer < 4; ++answer) {
            double total = 0;
            for (const auto& core : cores_) {
                const auto& counters = core->gate_counters();
                total += static_cast<double>(
                    (local ? counters.reserve_local : counters.reserve_redis)[answer].value()
                );
            }
            add(samples,
                "stockgate_gate_reserve_total",
                "Reservations asked of the gate.",
                Kind::counter,
                total,
                {{"gate", local ? "local" : "redis"}, {"answer", answer_names[answer]}});
        }
    }
    double live = 0;
    for (const auto& core : cores_) live += static_cast<double>(core->gate_counters().live.value());
    add(samples, "stockgate_reservations_open", "Reservations held now.", Kind::gauge, live);
}

}  // namespace proxy
