#include "config/validate.hpp"

#include <string>

namespace config {
namespace {

void check_breaker(const Config& config, Report& report) {
    const Breaker& breaker = config.breaker;
    const std::string path = "breaker.open_max_ms";
    const bool judged = !report.is_bad(path) && !report.is_bad("breaker.open_ms");
    if (judged && breaker.open_max < breaker.open) {
        report.problem_at(
            path,
            std::to_string(breaker.open_max.count()) + " is less than open_ms " +
                std::to_string(breaker.open.count()),
            "The longest window is at least as long as the first"
        );
    }
    if (config.gate.kind == GateKind::redis && breaker.slow_call > config.gate.redis.timeout) {
        report.warning_at(
            "breaker.slow_call_ms",
            std::to_string(breaker.slow_call.count()) + " is more than gate.redis.timeout_ms " +
                std::to_string(config.gate.redis.timeout.count()) +
                ", so no call is ever that slow",
            "Lower it, or raise the timeout"
        );
    }
}

void check_ledger(const Config& config, Report& report) {
    if (config.tables.empty() || !config.ledger.user.empty()) return;
    if (report.is_bad("ledger") || report.is_bad("ledger.user")) return;
    report.problem(
        report.line(report.has("ledger") ? "ledger" : "tables"),
        "ledger.user",
        "is required when there are tables",
        "Name the database account of the proxy itself"
    );
}

}  // namespace

void validate(const Config& config, Report& report) {
    validate_links(config, report);
    check_breaker(config, report);
    check_ledger(config, report);
    validate_tables(config, report);
}

}  // namespace config
