#pragma once
// The PROXY protocol: what a load balancer says about the client before the client's own bytes, and
// what we say to the server about ours. Version 1 is a line of text, version 2 is binary.
// Source: HAProxy, "The PROXY protocol, versions 1 & 2". Pure values, any thread.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace protocol {

struct ProxyHeader {
    enum class Family : std::uint8_t { unspecified, ipv4, ipv6, unix_socket };
    Family family = Family::unspecified;
    // The connection's own addresses are the right ones: a health check, or something whose
    // addresses cannot be told (UNKNOWN, UNSPEC, UDP). Then the fields below are empty.
    bool local = false;
    std::string source;  // canonical text of an IP address, or path of a unix socket (may be empty)
    std::string destination;
    std::uint16_t source_port = 0;  // 0 for a unix socket
    std::uint16_t destination_port = 0;
    bool operator==(const ProxyHeader&) const = default;
};

inline constexpr std::size_t proxy_header_v1_max = 107;   // with CR LF
inline constexpr std::size_t proxy_header_v2_max = 4096;  // ours; the protocol allows 65551

struct ParsedProxyHeader {
    enum class What : std::uint8_t { need_more, complete, malformed } what = What::need_more;
    std::size_t size = 0;      // complete: how many of the bytes are the header
    ProxyHeader header{};      // complete
    const char* problem = "";  // malformed: what is wrong, for a log
};

// Reads a header of either version at the begin of `bytes`. Call it again with more bytes, from the
// same begin, while it needs more; it never needs more than proxy_header_v2_max. A checksum is
// verified where there is one; other extensions are skipped.
[[nodiscard]] ParsedProxyHeader parse_proxy_header(std::span<const std::uint8_t> bytes);

// Append a header. Addresses that are missing, or do not fit the family or the version, make it one
// that tells none: UNKNOWN, or LOCAL, which servers accept where they refuse UNSPEC. IPv4 addresses
// written as IPv6 are told as IPv4.
void encode_proxy_header_v1(std::vector<std::uint8_t>& out, const ProxyHeader& header);
void encode_proxy_header_v2(std::vector<std::uint8_t>& out, const ProxyHeader& header);

}  // namespace protocol
