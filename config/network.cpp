#include "config/network.hpp"

#include "config/yaml_text.hpp"

#include <arpa/inet.h>

#include <algorithm>
#include <charconv>
#include <optional>

namespace config {
namespace {

constexpr std::string_view form = "Write ADDRESS/PREFIX, such as 10.0.0.0/8";
constexpr unsigned v4_bits = 32;
constexpr unsigned v6_bits = 128;
constexpr unsigned mapped_bits = v6_bits - v4_bits;
constexpr std::array<std::uint8_t, 12> mapped_v4 = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};

// One address, as a network of its own. inet_pton only reads text; nothing is opened.
std::optional<Network> literal(std::string_view text) {
    const std::string terminated(text);
    if (terminated.size() != std::string_view(terminated.c_str()).size()) return std::nullopt;
    Network result;
    if (inet_pton(AF_INET, terminated.c_str(), result.address.data()) == 1) {
        result.prefix = v4_bits;
        return result;
    }
    if (inet_pton(AF_INET6, terminated.c_str(), result.address.data()) != 1) return std::nullopt;
    result.v6 = true;
    result.prefix = v6_bits;
    return result;
}

// An IPv4 address or network that is written as IPv6 becomes what it is.
void unmap(Network& network) {
    if (!network.v6 || network.prefix < mapped_bits) return;
    if (!std::equal(mapped_v4.begin(), mapped_v4.end(), network.address.begin())) return;
    std::copy(
        network.address.begin() + mapped_v4.size(), network.address.end(), network.address.begin()
    );
    std::fill(network.address.begin() + v4_bits / 8, network.address.end(), std::uint8_t{0});
    network.v6 = false;
    network.prefix -= mapped_bits;
}

void clear_host_bits(Network& network) {
    for (std::size_t index = 0; index < network.address.size(); ++index) {
        const std::size_t first = index * 8;
        if (first + 8 <= network.prefix) continue;
        const std::size_t kept = first >= network.prefix ? 0 : network.prefix - first;
        network.address[index] &= static_cast<std::uint8_t>(0xff00U >> kept);
    }
}

ParsedNetwork wrong(std::string text, std::string hint = std::string(form)) {
    return {{}, std::move(text), std::move(hint)};
}

}  // namespace

ParsedNetwork parse_network(std::string_view text) {
    const std::size_t slash = text.find('/');
    const std::string_view host = text.substr(0, slash);
    const auto address = literal(host);
    if (!address) return wrong(shown(host) + " is not an IP address");
    Network network = *address;
    if (slash != std::string_view::npos) {
        const std::string_view digits = text.substr(slash + 1);
        const char* end = digits.data() + digits.size();
        const auto [stopped, error] = std::from_chars(digits.data(), end, network.prefix);
        if (error != std::errc() || stopped != end || network.prefix > address->prefix) {
            return wrong(
                "the prefix " + shown(digits) + " is not a number up to " +
                std::to_string(address->prefix)
            );
        }
    }
    Network cleared = network;
    clear_host_bits(cleared);
    if (cleared != network) {
        network.prefix = address->prefix;
        const std::string whole = to_string(cleared);
        return wrong(
            shown(text) + " has bits behind its prefix",
            "Write " + whole + " for the network, or " + to_string(network) + " for one address"
        );
    }
    unmap(cleared);
    return {cleared, {}, {}};
}

std::string to_string(const Network& network) {
    std::array<char, INET6_ADDRSTRLEN> text{};
    const int family = network.v6 ? AF_INET6 : AF_INET;
    inet_ntop(family, network.address.data(), text.data(), text.size());
    return std::string(text.data()) + "/" + std::to_string(network.prefix);
}

bool contains(const Network& network, std::string_view ip) {
    auto address = literal(ip.substr(0, ip.find('%')));
    if (!address) return false;
    unmap(*address);
    if (address->v6 != network.v6) return false;
    address->prefix = network.prefix;
    clear_host_bits(*address);
    return *address == network;
}

}  // namespace config
