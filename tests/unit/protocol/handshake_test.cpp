#include "protocol/handshake.hpp"

#include "hex.hpp"

#include <gtest/gtest.h>

namespace protocol {
namespace {

// Greetings of a MariaDB 10.11.19 and a MySQL 9.7.4 with their default settings, without header.
constexpr std::string_view mariadb_greeting =
    "0a352e352e352d31302e31312e31392d4d6172696144422d302b6465623132753100040000002b3c2a5c71433c41"
    "00fef7080200ff81150000000000001d0000007035552a727e457b5f47272c006d7973716c5f6e61746976655f70"
    "617373776f726400";
constexpr std::string_view mysql_greeting =
    "0a392e372e342d3200080000004a460a1b5752683f00ffffff0200ffdf150000000000000000000070031e4c100e"
    "5c0f401b694a0063616368696e675f736861325f70617373776f726400";

TEST(Greeting, OfMariadb) {
    const Bytes payload = from_hex(mariadb_greeting);
    const auto greeting = decode_greeting(payload);
    ASSERT_TRUE(greeting.has_value());
    EXPECT_EQ(greeting->server_version, "5.5.5-10.11.19-MariaDB-0+deb12u1");
    EXPECT_EQ(greeting->connection_id, 4U);
    EXPECT_EQ(greeting->capabilities.flags, 0x81fff7feU);
    EXPECT_EQ(greeting->capabilities.mariadb_flags, 0x1dU);
    EXPECT_EQ(greeting->collation, 8);
    EXPECT_EQ(greeting->status, 2);
    EXPECT_EQ(greeting->auth_plugin, "mysql_native_password");
}

TEST(Greeting, OfMysql) {
    const Bytes payload = from_hex(mysql_greeting);
    const auto greeting = decode_greeting(payload);
    ASSERT_TRUE(greeting.has_value());
    EXPECT_EQ(greeting->server_version, "9.7.4-2");
    EXPECT_EQ(greeting->connection_id, 8U);
    EXPECT_EQ(greeting->capabilities.flags, 0xdfffffffU);
    EXPECT_EQ(greeting->capabilities.mariadb_flags, 0U);
    EXPECT_EQ(greeting->collation, 255);
    EXPECT_EQ(greeting->auth_plugin, "caching_sha2_password");
}

TEST(Greeting, MaskChangesOnlyCapabilityBytes) {
    const Capabilities allowed = passable_capabilities();
    for (const std::string_view hex : {mariadb_greeting, mysql_greeting}) {
        const Bytes before = from_hex(hex);
        Bytes after = before;
        const auto masked = mask_greeting(after, allowed);
        ASSERT_TRUE(masked.has_value());
        const auto again = decode_greeting(after);
        ASSERT_TRUE(again.has_value());
        EXPECT_EQ(again->capabilities, *masked);
        const auto original = decode_greeting(before);
        EXPECT_EQ(masked->flags, original->capabilities.flags & allowed.flags);
        EXPECT_EQ(
            masked->mariadb_flags, original->capabilities.mariadb_flags & allowed.mariadb_flags
        );
        const std::size_t flags_at = original->server_version.size() + 15;
        for (std::size_t i = 0; i < before.size(); ++i) {
            const std::size_t field = i - flags_at;
            const bool is_flags = field < 2 || field == 5 || field == 6;
            const bool is_second_word = field >= 14 && field < 18;
            if (!is_flags && !is_second_word) {
                EXPECT_EQ(before[i], after[i]) << i;
            }
        }
        EXPECT_EQ(again->server_version, original->server_version);
    }
    Bytes mariadb = from_hex(mariadb_greeting);
    EXPECT_EQ(mask_greeting(mariadb, allowed)->mariadb_flags, 0x1cU);
}

TEST(Greeting, MaskNeverTurnsAMysqlIntoAMariadb) {
    Bytes payload = from_hex(mysql_greeting);
    const auto masked = mask_greeting(payload, Capabilities{capability::protocol_41, 0xffffffff});
    ASSERT_TRUE(masked.has_value());
    EXPECT_EQ(masked->flags, capability::protocol_41 | capability::long_password);
    EXPECT_EQ(masked->mariadb_flags, 0U);
}

TEST(Greeting, RefusesEveryCut) {
    for (const std::string_view hex : {mariadb_greeting, mysql_greeting}) {
        const Bytes payload = from_hex(hex);
        const std::size_t plugin = decode_greeting(payload)->auth_plugin.size() + 1;
        const std::size_t flags_end = decode_greeting(payload)->server_version.size() + 17;
        for (std::size_t size = 0; size < payload.size() - plugin; ++size) {
            const auto greeting = decode_greeting(std::span(payload).first(size));
            // The form before 4.1 ends behind the first half of the flags.
            EXPECT_EQ(greeting.has_value(), size == flags_end) << size;
        }
        // Some servers leave the last zero out.
        EXPECT_TRUE(decode_greeting(std::span(payload).first(payload.size() - 1)).has_value());
    }
    EXPECT_EQ(decode_greeting(from_hex("09312e3000")).error(), make_error_code(Errc::unsupported));
}

TEST(ServerVersion, IsReadFromRealVersions) {
    struct Row {
        std::string_view text;
        std::uint32_t number;
        bool is_mariadb;
    };
    const Row rows[] = {
        {"5.5.5-10.11.6-MariaDB-1:10.11.6+maria~deb12", 101106, true},
        {"5.5.5-10.11.19-MariaDB-0+deb12u1", 101119, true},
        {"10.6.12-MariaDB-log", 100612, true},
        {"11.4.2-MariaDB", 110402, true},
        {"5.5.5-MariaDB", 50505, true},
        {"5.5.5", 50505, false},
        {"8.0.36-0ubuntu0.22.04.1", 80036, false},
        {"9.7.4", 90704, false},
        {"9.7.4-2", 90704, false},
        {"8.0.11-TiDB-v7.5.0", 80011, false},
        {"8.0.mysql_aurora.3.04.0", 80000, false},
        {"5.7.44-log", 50744, false},
        {"8.0", 80000, false},
        {"8.0.", 80000, false},
        {"8.0.123", 80099, false},
        {"99999999999999999999.1.1", 9990101, false},
        {"", 0, false},
        {"8", 0, false},
        {"8.", 0, false},
        {"MariaDB", 0, true},
        {"garbage", 0, false},
        {".1.2", 0, false},
    };
    for (const Row& row : rows) {
        const ServerVersion version = parse_server_version(row.text);
        EXPECT_EQ(version.number, row.number) << row.text;
        EXPECT_EQ(version.is_mariadb, row.is_mariadb) << row.text;
    }
}

}  // namespace
}  // namespace protocol
