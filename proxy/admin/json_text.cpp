#include "proxy/admin/json_text.hpp"

#include <boost/json.hpp>

#include <array>
#include <utility>

namespace proxy {
namespace json = boost::json;
namespace {

constexpr std::array<std::pair<std::string_view, config::BreakerMode>, 3> mode_names{{
    {"auto", config::BreakerMode::automatic},
    {"open", config::BreakerMode::open},
    {"closed", config::BreakerMode::closed},
}};

std::string_view name_of(config::BreakerMode mode) {
    for (const auto& [name, value] : mode_names) {
        if (value == mode) return name;
    }
    return "unknown";
}

std::string_view name_of(BreakerReport::State state) {
    switch (state) {
        case BreakerReport::State::closed:
            return "closed";
        case BreakerReport::State::open:
            return "open";
        case BreakerReport::State::half_open:
            return "half_open";
        case BreakerReport::State::rebuilding:
            return "rebuilding";
    }
    return "unknown";
}

std::string_view name_of(HealthReport::Status status) {
    switch (status) {
        case HealthReport::Status::ok:
            return "ok";
        case HealthReport::Status::starting:
            return "starting";
        case HealthReport::Status::draining:
            return "draining";
        case HealthReport::Status::backend_unreachable:
            return "backend_unreachable";
        case HealthReport::Status::ledger_unreachable:
            return "ledger_unreachable";
        case HealthReport::Status::failed:
            return "failed";
    }
    return "unknown";
}

std::string_view name_of(SkuState state) {
    switch (state) {
        case SkuState::active:
            return "active";
        case SkuState::paused:
            return "paused";
        case SkuState::draining:
            return "draining";
    }
    return "unknown";
}

std::string_view name_of(config::GateKind kind) {
    return kind == config::GateKind::redis ? "redis" : "local";
}

std::string line(const json::value& value) {
    return json::serialize(value) + "\n";
}

// JSON is UTF-8. What is not even ASCII becomes a question mark, so that a reason may quote
// anything a client sent.
std::string printable(std::string_view text) {
    std::string result(text);
    for (char& byte : result) {
        if (byte < ' ' || byte > '~') byte = '?';
    }
    return result;
}

}  // namespace

std::string error_text(std::string_view reason) {
    json::object body;
    body["error"] = printable(reason);
    return line(body);
}

std::string health_text(const HealthReport& report, std::string_view version) {
    json::object body;
    body["status"] = name_of(report.status);
    body["live"] = report.status != HealthReport::Status::failed;
    body["ready"] = report.status == HealthReport::Status::ok;
    json::array reasons;
    for (const std::string& reason : report.reasons) reasons.emplace_back(printable(reason));
    body["reasons"] = std::move(reasons);
    body["version"] = version;
    return line(body);
}

std::string breaker_text(const BreakerReport& report) {
    json::object body;
    body["mode"] = name_of(report.mode);
    body["state"] = name_of(report.state);
    body["since_ms"] = std::int64_t{report.since.count()};
    body["opened_total"] = report.opened_total;
    body["reason"] = printable(report.reason);
    return line(body);
}

std::string skus_text(const std::vector<SkuReport>& skus) {
    json::array list;
    list.reserve(skus.size());
    for (const SkuReport& sku : skus) {
        json::object entry;
        entry["schema"] = sku.schema;
        entry["table"] = sku.table;
        entry["sku_id"] = sku.sku_id;
        entry["state"] = name_of(sku.state);
        entry["epoch"] = sku.epoch;
        entry["buckets"] = sku.buckets;
        entry["remainder"] = sku.remainder ? json::value(*sku.remainder) : json::value(nullptr);
        entry["gate"] = name_of(sku.gate);
        list.push_back(std::move(entry));
    }
    json::object body;
    body["skus"] = std::move(list);
    return line(body);
}

std::optional<config::BreakerMode> parse_breaker_mode(std::string_view body) {
    json::error_code error;
    const json::value value = json::parse(json::string_view(body.data(), body.size()), error);
    if (error) return std::nullopt;
    const json::object* object = value.if_object();
    if (object == nullptr || object->size() != 1) return std::nullopt;
    const json::value* mode = object->if_contains("mode");
    const json::string* text = mode == nullptr ? nullptr : mode->if_string();
    if (text == nullptr) return std::nullopt;
    for (const auto& [name, known] : mode_names) {
        if (std::string_view(text->data(), text->size()) == name) return known;
    }
    return std::nullopt;
}

}  // namespace proxy
