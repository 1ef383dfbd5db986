#include "proxy/admin/routes.hpp"

#include "proxy/admin/host_check.hpp"
#include "proxy/admin/json_text.hpp"

#include <algorithm>
#include <array>

namespace proxy {
namespace {

AdminAnswer ok(std::string body) {
    return {200, "application/json", std::move(body), {}};
}

AdminAnswer get_index(const AdminRequest&, const AdminPorts& ports);

AdminAnswer get_health(const AdminRequest&, const AdminPorts& ports) {
    const HealthReport report = ports.health();
    AdminAnswer result = ok(health_text(report, ports.version));
    if (report.status != HealthReport::Status::ok) result.status = 503;
    return result;
}

AdminAnswer get_metrics(const AdminRequest&, const AdminPorts& ports) {
    return {200, "text/plain; version=0.0.4; charset=utf-8", ports.metrics_text(), {}};
}

AdminAnswer get_breaker(const AdminRequest&, const AdminPorts& ports) {
    return ok(breaker_text(ports.breaker_status()));
}

AdminAnswer put_breaker(const AdminRequest& request, const AdminPorts& ports) {
    const auto mode = parse_breaker_mode(request.body);
    if (!mode) {
        return refusal(
            400, "the body must be {\"mode\":MODE} with MODE one of \"auto\", \"open\", \"closed\""
        );
    }
    ports.set_breaker(*mode);
    return ok(breaker_text(ports.breaker_status()));
}

AdminAnswer get_skus(const AdminRequest&, const AdminPorts& ports) {
    return ok(skus_text(ports.skus()));
}

struct Route {
    std::string_view path;
    std::string_view method;  // GET also answers HEAD
    AdminAnswer (*handler)(const AdminRequest&, const AdminPorts&);
    std::string_view what;
};

constexpr std::array<Route, 6> routes{{
    {"/", "GET", get_index, "this list"},
    {"/healthz", "GET", get_health, "200 when ready, 503 with the reason when not"},
    {"/metrics", "GET", get_metrics, "counters in Prometheus text format"},
    {"/api/v1/breaker", "GET", get_breaker, "state of the gate's breaker"},
    {"/api/v1/breaker", "PUT", put_breaker, "{\"mode\":\"auto|open|closed\"}"},
    {"/api/v1/skus", "GET", get_skus, "managed SKUs and where they stand"},
}};

AdminAnswer get_index(const AdminRequest&, const AdminPorts& ports) {
    std::string text = "Stockgate " + ports.version + "\n";
    for (const Route& route : routes) {
        text.append(route.method).append(" ").append(route.path).append("  ");
        text.append(route.what).append("\n");
    }
    return {200, "text/plain; charset=utf-8", std::move(text), {}};
}

AdminAnswer unknown_path(std::string_view path) {
    std::string reason = "no such path: " + std::string(path.substr(0, 100)) + "; known are";
    std::string_view last;
    for (const Route& route : routes) {
        if (route.path != last) reason.append(" ").append(route.path);
        last = route.path;
    }
    return refusal(404, reason);
}

AdminAnswer wrong_method(std::string_view path) {
    std::string allow;
    for (const Route& route : routes) {
        if (route.path != path) continue;
        if (!allow.empty()) allow += ", ";
        allow += route.method == "GET" ? std::string_view("GET, HEAD") : route.method;
    }
    AdminAnswer result = refusal(405, "this path allows " + allow);
    result.allow = std::move(allow);
    return result;
}

// Parameters such as charset are allowed. Browsers cannot send this type across origins without
// asking first, and nobody answers that question here.
bool is_json(std::string_view content_type) {
    constexpr std::string_view wanted = "application/json";
    std::string_view type = content_type.substr(0, content_type.find(';'));
    type = type.substr(0, type.find_last_not_of(" \t") + 1);
    return std::equal(
        type.begin(),
        type.end(),
        wanted.begin(),
        wanted.end(),
        [](char given, char lower) {
            return (given >= 'A' && given <= 'Z' ? static_cast<char>(given - 'A' + 'a') : given) ==
                   lower;
        }
    );
}

}  // namespace

AdminAnswer refusal(unsigned status, std::string_view reason) {
    return {status, "application/json", error_text(reason), {}};
}

AdminAnswer answer(const AdminRequest& request, const AdminPorts& ports) {
    if (request.host.empty()) return refusal(400, "the request has no Host header");
    if (!is_loopback_host(request.host)) {
        return refusal(403, "Host must be localhost or a loopback address");
    }
    // With "http://name/path" the name would count instead of Host; such requests are for proxies.
    if (!request.target.starts_with('/')) return refusal(400, "the target must be a path");
    const std::string_view path = request.target.substr(0, request.target.find('?'));
    const std::string_view method = request.method == "HEAD" ? "GET" : request.method;
    bool is_known = false;
    for (const Route& route : routes) {
        if (route.path != path) continue;
        is_known = true;
        if (route.method != method) continue;
        if (method == "PUT" && !is_json(request.content_type)) {
            return refusal(415, "Content-Type must be application/json");
        }
        return route.handler(request, ports);
    }
    return is_known ? wrong_method(path) : unknown_path(path);
}

}  // namespace proxy
