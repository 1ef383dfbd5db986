#include "protocol/handshake.hpp"

#include <algorithm>

namespace protocol {

namespace {

constexpr std::string_view mariadb_name = "MariaDB";
// MariaDB puts this before its own version, for replicas that read only one digit.
constexpr std::string_view replication_prefix = "5.5.5-";
constexpr std::uint32_t major_max = 999;
constexpr std::uint32_t part_max = 99;  // two digits of `number`

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

// Reads digits off the front of `text`; nothing if there are none. Larger numbers become `max`.
bool take_number(std::string_view& text, std::uint32_t max, std::uint32_t& value) {
    if (text.empty() || !is_digit(text.front())) return false;
    value = 0;
    while (!text.empty() && is_digit(text.front())) {
        value = std::min(max, value * 10 + static_cast<std::uint32_t>(text.front() - '0'));
        text.remove_prefix(1);
    }
    return true;
}

bool take_dot(std::string_view& text) {
    if (text.empty() || text.front() != '.') return false;
    text.remove_prefix(1);
    return true;
}

}  // namespace

ServerVersion parse_server_version(std::string_view text) noexcept {
    ServerVersion version;
    version.is_mariadb = text.find(mariadb_name) != std::string_view::npos;
    if (version.is_mariadb && text.starts_with(replication_prefix)) {
        const std::string_view own = text.substr(replication_prefix.size());
        if (!own.empty() && is_digit(own.front())) text = own;
    }
    std::uint32_t major = 0;
    std::uint32_t minor = 0;
    std::uint32_t patch = 0;
    // "8.0.mysql_aurora.3" has no patch number; a text without major and minor is no version.
    if (!take_number(text, major_max, major)) return version;
    if (!take_dot(text) || !take_number(text, part_max, minor)) return version;
    if (take_dot(text)) static_cast<void>(take_number(text, part_max, patch));
    version.number = major * 10000 + minor * 100 + patch;
    return version;
}

}  // namespace protocol
