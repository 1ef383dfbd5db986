#include "protocol/farewell.hpp"

#include "hex.hpp"
#include "protocol/frame.hpp"
#include "protocol/handshake.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace protocol {
namespace {

Bytes switch_to(std::string_view plugin) {
    constexpr std::size_t salt_size = 20;
    Bytes packet(1 + plugin.size() + 1 + salt_size);
    packet[0] = 0xfe;
    std::copy(plugin.begin(), plugin.end(), packet.begin() + 1);
    return packet;
}

TEST(Farewell, LoginIsOneThatAServerReads) {
    for (const std::string_view plugin : {"caching_sha2_password", "mysql_native_password", ""}) {
        Bytes packet{0xaa};
        encode_farewell_login(packet, plugin);
        EXPECT_EQ(packet[0], 0xaa);
        const auto whole = std::span{packet}.subspan(1);
        const auto header = read_frame_header(whole.data());
        EXPECT_EQ(header.sequence, 1);
        ASSERT_EQ(frame_header_size + header.length, whole.size());
        const auto login = decode_login(whole.subspan(frame_header_size), {~0U, 0});
        ASSERT_TRUE(login);
        EXPECT_EQ(login->user, "stockgate-client-gone");
        EXPECT_EQ(login->auth_plugin, plugin);
        EXPECT_FALSE(login->is_ssl_request);
    }
}

TEST(Farewell, AnswersInTheFormOfThePlugin) {
    EXPECT_TRUE(farewell_answer(switch_to("mysql_native_password")).empty());
    EXPECT_TRUE(farewell_answer(switch_to("caching_sha2_password")).empty());
    EXPECT_TRUE(farewell_answer(switch_to("sha256_password")).empty());
    EXPECT_EQ(farewell_answer(switch_to("client_ed25519")).size(), 64U);
    const Bytes password_wanted{0x01, 0x04};
    const auto text = farewell_answer(password_wanted);
    ASSERT_EQ(text.size(), 1U);
    EXPECT_EQ(text[0], 0);
    EXPECT_TRUE(farewell_answer({}).empty());
}

}  // namespace
}  // namespace protocol
