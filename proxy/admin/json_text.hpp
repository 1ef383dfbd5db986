#pragma once
// The bodies of the admin interface: reports to JSON, and the one request that has a body from
// JSON. Pure functions, any thread. Field names and spellings are promises to scripts of users:
// adding is fine, renaming is not.

#include "proxy/admin/admin_ports.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace proxy {

[[nodiscard]] std::string error_text(std::string_view reason);
[[nodiscard]] std::string health_text(const HealthReport& report, std::string_view version);
[[nodiscard]] std::string breaker_text(const BreakerReport& report);
[[nodiscard]] std::string skus_text(const std::vector<SkuReport>& skus);

// {"mode":"auto|open|closed"}, exactly that member; nullopt for anything else.
[[nodiscard]] std::optional<config::BreakerMode> parse_breaker_mode(std::string_view body);

}  // namespace proxy
