// PROXY headers: more bytes only ever complete what was incomplete, and a header that was read can
// be written in either version and says the same again.

#include "protocol/proxy_header.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>
#include <vector>

namespace {

using protocol::ParsedProxyHeader;
using protocol::ProxyHeader;
using What = ParsedProxyHeader::What;
using Encode = void (*)(std::vector<std::uint8_t>&, const ProxyHeader&);

void require(bool condition) {
    if (!condition) std::abort();
}

void check_beginnings(std::span<const std::uint8_t> bytes, const ParsedProxyHeader& whole) {
    // All short ones, then a few: each of them is read from its begin.
    constexpr std::size_t all_up_to = 300;
    for (std::size_t size = 0; size < bytes.size(); size += size < all_up_to ? 1 : 101) {
        const ParsedProxyHeader part = protocol::parse_proxy_header(bytes.first(size));
        if (part.what == What::need_more) {
            require(size < protocol::proxy_header_v2_max);
            continue;
        }
        require(part.what == whole.what && part.size == whole.size);
        require(part.header == whole.header && std::string(part.problem) == whole.problem);
    }
}

void check_written(const ProxyHeader& header, Encode encode) {
    std::vector<std::uint8_t> first;
    encode(first, header);
    const ParsedProxyHeader parsed = protocol::parse_proxy_header(first);
    require(parsed.what == What::complete && parsed.size == first.size());
    require(parsed.header.local || parsed.header.family != ProxyHeader::Family::unspecified);
    std::vector<std::uint8_t> second;
    encode(second, parsed.header);
    require(first == second);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::span<const std::uint8_t> bytes(data, size);
    const ParsedProxyHeader parsed = protocol::parse_proxy_header(bytes);
    check_beginnings(bytes, parsed);
    require((parsed.what == What::malformed) == (*parsed.problem != '\0'));
    if (parsed.what != What::complete) return 0;
    require(parsed.size > 0 && parsed.size <= std::min(size, protocol::proxy_header_v2_max));
    require(
        parsed.header.local == parsed.header.source.empty() ||
        parsed.header.family == ProxyHeader::Family::unix_socket
    );
    check_written(parsed.header, protocol::encode_proxy_header_v1);
    check_written(parsed.header, protocol::encode_proxy_header_v2);
    return 0;
}
