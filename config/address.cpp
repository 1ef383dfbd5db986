#include "config/address.hpp"

#include "config/yaml_text.hpp"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <optional>
#include <utility>

namespace config {
namespace {

constexpr std::size_t host_bytes_max = 253;
constexpr std::string_view forms = "Write HOST:PORT or [IPV6]:PORT";

// inet_pton only reads text; nothing is opened.
std::optional<std::array<unsigned char, 16>> literal(int family, const std::string& host) {
    std::array<unsigned char, 16> bytes{};
    if (inet_pton(family, host.c_str(), bytes.data()) != 1) return std::nullopt;
    return bytes;
}

// One form for all spellings of the same IP address; names in lower case.
std::string canonical_host(const std::string& host) {
    if (const auto bytes = literal(AF_INET6, host)) {
        return "v6" + std::string(bytes->begin(), bytes->end());
    }
    std::string lower = host;
    std::transform(lower.begin(), lower.end(), lower.begin(), [](char letter) {
        return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
    });
    return lower == "localhost" ? "127.0.0.1" : lower;
}

bool is_name_byte(char byte) {
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
           (byte >= '0' && byte <= '9') || byte == '.' || byte == '-' || byte == '_';
}

ParsedAddress wrong(std::string text, std::string_view hint = forms) {
    return {{}, std::move(text), std::string(hint)};
}

ParsedAddress with_port(std::string_view host, std::string_view port) {
    std::uint16_t number = 0;
    const char* end = port.data() + port.size();
    const auto [stopped, error] = std::from_chars(port.data(), end, number);
    if (port.empty() || error != std::errc() || stopped != end) {
        return wrong("the port " + shown(port) + " is not a number up to 65535");
    }
    return {{std::string(host), number, {}}, {}, {}};
}

ParsedAddress parse_bracketed(std::string_view text) {
    const std::size_t close = text.find(']');
    if (close == std::string_view::npos) return wrong(shown(text) + " lacks the closing bracket");
    const std::string_view host = text.substr(1, close - 1);
    if (!literal(AF_INET6, std::string(host)))
        return wrong(shown(host) + " is not an IPv6 address");
    const std::string_view rest = text.substr(close + 1);
    if (rest.empty() || rest.front() != ':') return wrong(shown(text) + " has no port");
    return with_port(host, rest.substr(1));
}

ParsedAddress parse_path(std::string_view path) {
    constexpr std::string_view form = "Write unix:/PATH";
    if (!path.starts_with('/')) return wrong(shown(path) + " is not an absolute path", form);
    const bool control = std::ranges::any_of(path, [](char byte) {
        return static_cast<unsigned char>(byte) < 0x20 || byte == 0x7f;
    });
    if (control) return wrong(shown(path) + " has a control character", form);
    if (path.ends_with('/')) return wrong(shown(path) + " is a folder", form);
    if (path.size() > unix_path_bytes_max) {
        return wrong(
            "the path has " + std::to_string(path.size()) + " bytes, a unix socket's at most " +
                std::to_string(unix_path_bytes_max),
            "Choose a shorter path"
        );
    }
    return {{{}, 0, std::string(path)}, {}, {}};
}

// Without looking at the file system, so links are not followed.
std::filesystem::path canonical_path(const Address& address) {
    return std::filesystem::path(address.path).lexically_normal();
}

}  // namespace

ParsedAddress parse_address(std::string_view text) {
    constexpr std::string_view unix_prefix = "unix:";
    if (text.starts_with(unix_prefix)) return parse_path(text.substr(unix_prefix.size()));
    if (text.starts_with('/')) {
        return wrong(shown(text) + " is not an address", "Write unix:/PATH for a unix socket");
    }
    if (text.starts_with('[')) return parse_bracketed(text);
    const std::size_t colon = text.rfind(':');
    if (colon == std::string_view::npos) return wrong(shown(text) + " has no port");
    const std::string_view host = text.substr(0, colon);
    if (host.empty()) return wrong(shown(text) + " has no host");
    if (host.find(':') != std::string_view::npos) {
        return wrong(
            shown(text) + " has several colons", "Put an IPv6 address in brackets: [IPV6]:PORT"
        );
    }
    const bool name = host.size() <= host_bytes_max && std::ranges::all_of(host, is_name_byte);
    if (!name) return wrong(shown(host) + " is not a host name");
    return with_port(host, text.substr(colon + 1));
}

std::string to_string(const Address& address) {
    if (address.is_unix()) return "unix:" + address.path;
    const bool bracketed = address.host.find(':') != std::string::npos;
    const std::string host = bracketed ? "[" + address.host + "]" : address.host;
    return host + ":" + std::to_string(address.port);
}

bool is_loopback(const Address& address) {
    const std::string host = canonical_host(address.host);
    if (const auto v4 = literal(AF_INET, host)) return (*v4)[0] == 127;
    const auto v6 = literal(AF_INET6, address.host);
    if (!v6) return false;
    constexpr std::array<unsigned char, 16> loopback = {
        0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1};
    constexpr std::array<unsigned char, 12> mapped_v4 = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
    const bool mapped = std::equal(mapped_v4.begin(), mapped_v4.end(), v6->begin());
    return *v6 == loopback || (mapped && (*v6)[12] == 127);
}

bool is_wildcard(const Address& address) {
    return canonical_host(address.host) == "0.0.0.0" ||
           canonical_host(address.host) == canonical_host("::");
}

bool same_host(const Address& left, const Address& right) {
    if (left.is_unix() || right.is_unix()) return false;
    return canonical_host(left.host) == canonical_host(right.host);
}

bool collide(const Address& left, const Address& right) {
    if (left.is_unix() && right.is_unix()) return canonical_path(left) == canonical_path(right);
    if (left.is_unix() || right.is_unix()) return false;
    if (left.port != right.port || left.port == 0) return false;
    if (same_host(left, right)) return true;
    // The wildcards of the two families can listen side by side.
    const bool same_family =
        (left.host.find(':') == std::string::npos) == (right.host.find(':') == std::string::npos);
    return same_family && (is_wildcard(left) || is_wildcard(right));
}

}  // namespace config
