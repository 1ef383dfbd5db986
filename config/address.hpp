#pragma once

// An end point as the configuration names it: a host name or literal IP address with a port, or the
// path of a unix socket. Nothing is resolved or opened here; names are looked up by whoever
// connects. Plain values, any thread. Expected failures of parsing come back as a message that says
// what is wrong.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace config {

struct Address {
    std::string host;        // name, IPv4 literal or IPv6 literal without brackets
    std::uint16_t port = 0;  // 0 only where listening: any free port
    std::string path{};      // of a unix socket, absolute; then there is neither host nor port
    [[nodiscard]] bool is_unix() const { return !path.empty(); }
    bool operator==(const Address&) const = default;
};

struct ParsedAddress {
    Address address;
    std::string wrong;  // empty when the text is an address; otherwise a sentence without full stop
    std::string hint;   // how to write it, may be empty
};

constexpr std::size_t unix_path_bytes_max = 107;  // what the kernel takes, without the final zero

// Reads "host:port", "[v6]:port" or "unix:/path". Port 0 and a path are accepted here; the caller
// decides whether they may be.
[[nodiscard]] ParsedAddress parse_address(std::string_view text);

// "host:port", with brackets around an IPv6 literal, or "unix:/path".
[[nodiscard]] std::string to_string(const Address& address);

// True for 127.0.0.0/8, ::1, IPv4-mapped loopback and the name "localhost".
[[nodiscard]] bool is_loopback(const Address& address);

// True for 0.0.0.0 and ::.
[[nodiscard]] bool is_wildcard(const Address& address);

// True when both hosts are the same text or the same IP address; nothing is resolved. Never for a
// unix socket.
[[nodiscard]] bool same_host(const Address& left, const Address& right);

// True when listening on both fails: same port, and same host or one is the family's wildcard; or
// the same path.
[[nodiscard]] bool collide(const Address& left, const Address& right);

}  // namespace config
