#pragma once

// A range of IP addresses in CIDR notation. Nothing is resolved or opened here. Plain values, any
// thread. IPv4 addresses that are written as IPv6 (::ffff:192.0.2.1) count as IPv4 throughout.

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace config {

struct Network {
    std::array<std::uint8_t, 16> address{};  // IPv4: the first four; bits behind the prefix are 0
    bool v6 = false;
    unsigned prefix = 0;  // bits, up to 32 or 128
    bool operator==(const Network&) const = default;
};

struct ParsedNetwork {
    Network network;
    std::string wrong;  // empty when the text is a network; otherwise a sentence without full stop
    std::string hint;   // how to write it, may be empty
};

// Reads "10.0.0.0/8", "fd00::/8" or a single address. Bits behind the prefix are a mistake: nobody
// knows which of the two was meant.
[[nodiscard]] ParsedNetwork parse_network(std::string_view text);

// "10.0.0.0/8"; always with the prefix.
[[nodiscard]] std::string to_string(const Network& network);

// `ip` is the text of an address, also with a zone as in fe80::1%eth0; anything else is in no
// network.
[[nodiscard]] bool contains(const Network& network, std::string_view ip);

}  // namespace config
