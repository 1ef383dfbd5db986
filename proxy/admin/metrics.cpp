#include "proxy/admin/metrics.hpp"

#include "proxy/admin/metric_families.hpp"
#include "proxy/admin/process_metrics.hpp"
#include "proxy/runtime/spawn.hpp"

#include <array>
#include <string_view>

namespace proxy {
namespace {

constexpr std::array<std::string_view, command_classes> command_names{
    "query", "prepare", "execute", "other"};
constexpr std::array<std::string_view, refusal_reasons> reason_names{
    "touches", "multi", "unknown_packet", "oversize", "privilege"};

struct CounterRow {
    const char* name;
    const char* help;
    Counter SessionMetrics::*field;
    const char* label_name;  // nullptr: no label
    const char* label_value;
};

using M = SessionMetrics;

// Series of one name stand together. Labels are only used where the sum over them means something.
constexpr std::array<CounterRow, 20> counter_rows{{
    {"stockgate_sessions_total", "Client connections accepted.", &M::sessions_total, {}, {}},
    {"stockgate_sessions_refused_total",
     "Client connections turned away before authentication.",
     &M::sessions_refused,
     {},
     {}},
    {"stockgate_login_failed_total", "Logins that the backend refused.", &M::login_failed, {}, {}},
    {"stockgate_probes_total", "Closed before the backend was asked.", &M::probes_total, {}, {}},
    {"stockgate_tls_failed_total",
     "TLS handshakes that failed.",
     &M::tls_failed_client,
     "side",
     "client"},
    {"stockgate_tls_failed_total", "", &M::tls_failed_backend, "side", "backend"},
    {"stockgate_client_bytes_total",
     "Bytes exchanged with clients.",
     &M::bytes_client_in,
     "direction",
     "in"},
    {"stockgate_client_bytes_total", "", &M::bytes_client_out, "direction", "out"},
    {"stockgate_statements_passed_total",
     "Statements forwarded unchanged.",
     &M::statements_passed,
     {},
     {}},
    {"stockgate_deductions_total",
     "Deductions of hot SKUs by how the client was answered.",
     &M::deductions_booked,
     "outcome",
     "booked"},
    {"stockgate_deductions_total", "", &M::deductions_refused, "outcome", "refused"},
    {"stockgate_deductions_total", "", &M::deductions_failed, "outcome", "failed"},
    {"stockgate_deductions_rolled_back_total",
     "Booked deductions whose units were given back.",
     &M::deductions_rolled_back,
     {},
     {}},
    {"stockgate_deductions_judged_total",
     "Unknown outcomes that the ledger decided.",
     &M::deductions_judged,
     {},
     {}},
    {"stockgate_returns_total", "Returns and restocks booked.", &M::returns_booked, {}, {}},
    {"stockgate_ledger_fallback_total",
     "Deductions for which every probed bucket was empty or "
     "missing, so the ledger was asked.",
     &M::ledger_fallback_total,
     {},
     {}},
    {"stockgate_gather_total",
     "Deductions that moved units of several buckets into one.",
     &M::gather_total,
     {},
     {}},
    {"stockgate_raw_relay_total",
     "Sessions that became a raw relay (replication).",
     &M::raw_relay_total,
     {},
     {}},
    {"stockgate_protocol_errors_total",
     "Packets that broke the protocol.",
     &M::protocol_errors_client,
     "side",
     "client"},
    {"stockgate_protocol_errors_total", "", &M::protocol_errors_backend, "side", "backend"},
}};

struct Shards {
    const SessionMetrics* first;
    std::size_t count;

    template <class Read>
    [[nodiscard]] double sum(Read read) const {
        decltype(read(*first)) total{};
        for (std::size_t index = 0; index < count; ++index) total += read(first[index]);
        return static_cast<double>(total);
    }
};

void add_rows(MetricFamilies& families, const Shards& shards) {
    for (const CounterRow& row : counter_rows) {
        MetricSample sample{row.name, row.help, MetricSample::Kind::counter, {}, 0};
        if (row.label_name != nullptr) sample.labels.emplace_back(row.label_name, row.label_value);
        sample.value = shards.sum([&](const M& shard) { return (shard.*row.field).value(); });
        families.add(std::move(sample));
    }
}

template <std::size_t Size>
void add_classes(
    MetricFamilies& families,
    const Shards& shards,
    const MetricSample& shape,
    std::string_view label,
    const std::array<std::string_view, Size>& names,
    std::array<Counter, Size> SessionMetrics::*field
) {
    for (std::size_t index = 0; index < Size; ++index) {
        MetricSample sample = shape;
        sample.labels.emplace_back(label, names[index]);
        sample.value = shards.sum([&](const M& shard) { return (shard.*field)[index].value(); });
        families.add(std::move(sample));
    }
}

std::vector<const LatencyHistogram*> parts_of(
    const Shards& shards, LatencyHistogram SessionMetrics::*field
) {
    std::vector<const LatencyHistogram*> parts;
    for (std::size_t index = 0; index < shards.count; ++index) {
        parts.push_back(&(shards.first[index].*field));
    }
    return parts;
}

}  // namespace

MetricsRegistry::MetricsRegistry(std::size_t shards, std::string version)
    : shard_count_(shards),
      shards_(std::make_unique<SessionMetrics[]>(shards)),
      version_(std::move(version)) {
    add_source(add_process_metrics);
}

std::string MetricsRegistry::render() const {
    using Kind = MetricSample::Kind;
    const Shards shards{shards_.get(), shard_count_};
    MetricFamilies families;
    families.add({"stockgate_build_info", "Always 1.", Kind::gauge, {{"version", version_}}, 1});
    families.add(
        {"stockgate_sessions_open",
         "Client connections now.",
         Kind::gauge,
         {},
         shards.sum([](const M& shard) { return shard.sessions_open.value(); })}
    );
    add_rows(families, shards);
    const MetricSample commands{
        "stockgate_commands_total", "Commands of clients.", Kind::counter, {}, 0};
    add_classes(families, shards, commands, "class", command_names, &M::commands_total);
    const MetricSample refused{
        "stockgate_statements_refused_total",
        "Statements answered with an error because they may change a hot SKU's stock.",
        Kind::counter,
        {},
        0};
    add_classes(families, shards, refused, "reason", reason_names, &M::statements_refused);
    families.add(
        "stockgate_gate_wait_seconds",
        "Time from asking the gate to its answer.",
        parts_of(shards, &M::gate_wait)
    );
    families.add(
        "stockgate_ledger_exchange_seconds",
        "Time from sending the ledger statements to their last reply.",
        parts_of(shards, &M::ledger_exchange)
    );
    families.add(
        {"stockgate_task_escape_total",
         "Tasks that ended by an exception; each is a defect.",
         Kind::counter,
         {},
         static_cast<double>(task_escape_total())}
    );
    std::vector<MetricSample> samples;
    for (const MetricSource& source : sources_) source(samples);
    for (MetricSample& sample : samples) families.add(std::move(sample));
    return families.text();
}

}  // namespace proxy
