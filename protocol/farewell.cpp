#include "protocol/farewell.hpp"

#include "protocol/capabilities.hpp"
#include "protocol/frame.hpp"
#include "protocol/handshake.hpp"

#include <algorithm>
#include <array>

namespace protocol {
namespace {

constexpr std::string_view user = "stockgate-client-gone";
constexpr std::uint8_t utf8 = 33;
constexpr std::size_t ed25519_signature_size = 64;
constexpr std::array<std::uint8_t, ed25519_signature_size> zeros{};

bool asks_with(std::span<const std::uint8_t> asked, std::string_view plugin) {
    if (asked.size() <= plugin.size() || asked[0] != 0xfe) return false;
    return std::equal(plugin.begin(), plugin.end(), asked.begin() + 1);
}

}  // namespace

void encode_farewell_login(std::vector<std::uint8_t>& out, std::string_view plugin) {
    const std::uint32_t flags = capability::protocol_41 | capability::secure_connection |
                                capability::long_password | capability::plugin_auth;
    // Behind the head: the name and its end, the length of the answer, the plugin and its end.
    const std::size_t length = login_head_size + user.size() + 2 + plugin.size() + 1;
    const std::size_t begin = out.size();
    out.resize(begin + frame_header_size + length);
    write_frame_header(out.data() + begin, {static_cast<std::uint32_t>(length), 1});
    std::uint8_t* head = out.data() + begin + frame_header_size;
    for (std::size_t i = 0; i < 4; ++i) head[i] = static_cast<std::uint8_t>(flags >> (8 * i));
    head[8] = utf8;
    std::uint8_t* after = std::copy(user.begin(), user.end(), head + login_head_size);
    std::copy(plugin.begin(), plugin.end(), after + 2);
}

std::span<const std::uint8_t> farewell_answer(std::span<const std::uint8_t> asked) noexcept {
    if (asks_with(asked, "client_ed25519")) return zeros;
    // caching_sha2_password wants the password itself, or an encrypted one: an empty text.
    if (!asked.empty() && asked[0] == 0x01) return std::span{zeros}.first(1);
    return {};
}

}  // namespace protocol
