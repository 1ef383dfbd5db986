#include "config/validate.hpp"

#include <string>

namespace config {
namespace {

std::string listen_path(const Config& config, std::size_t index, const Report& report) {
    const std::string element = "listen[" + std::to_string(index) + "]";
    // A single address is written without a list.
    return config.listen.size() == 1 && !report.has(element) ? "listen" : element;
}

void check_listen(const Config& config, Report& report) {
    for (std::size_t index = 0; index < config.listen.size(); ++index) {
        const Address& address = config.listen[index];
        for (std::size_t earlier = 0; earlier < index; ++earlier) {
            if (!collide(config.listen[earlier], address)) continue;
            report.problem_at(
                listen_path(config, index, report),
                to_string(address) + " collides with " + to_string(config.listen[earlier]),
                "Remove one of them"
            );
            break;
        }
    }
}

void check_admin(const Config& config, Report& report) {
    const std::string path = "admin.address";
    if (report.is_bad(path)) return;
    if (!is_loopback(config.admin.address)) {
        report.problem_at(
            path,
            to_string(config.admin.address) + " is not a loopback address",
            "Nobody is asked for a password there; use 127.0.0.1 and a tunnel or sidecar"
        );
        return;
    }
    for (const Address& address : config.listen) {
        if (!collide(address, config.admin.address)) continue;
        report.problem_at(
            path, "collides with listen " + to_string(address), "Choose another port"
        );
        return;
    }
}

// A proxy that connects to itself opens connections until nothing works any more.
void check_backend(const Config& config, Report& report) {
    const Address& backend = config.backend.address;
    if (report.is_bad("backend.address") || backend.host.empty()) return;
    for (const Address& address : config.listen) {
        const bool here =
            same_host(address, backend) || (is_wildcard(address) && is_loopback(backend));
        if (!here || address.port != backend.port) continue;
        report.problem_at(
            "backend.address",
            to_string(backend) + " is where this proxy itself listens",
            "Write the address of the database server"
        );
        return;
    }
}

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
    check_listen(config, report);
    check_admin(config, report);
    check_backend(config, report);
    check_breaker(config, report);
    check_ledger(config, report);
    validate_tables(config, report);
}

}  // namespace config
