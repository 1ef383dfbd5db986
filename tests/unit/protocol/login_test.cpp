// The client's side of the handshake: logins of real clients, and COM_CHANGE_USER.

#include "hex.hpp"
#include "protocol/handshake.hpp"

#include <gtest/gtest.h>

namespace protocol {
namespace {

// What a MariaDB 10.11 and a MySQL 9.7 offer once masked.
constexpr Capabilities mariadb_offer{0x81fff7feU & ~(capability::ssl | capability::compress), 0x1c};
constexpr Capabilities mysql_offer{0xdfffffffU & ~(capability::ssl | capability::compress), 0};

// Captured from clients that logged in as root, schema test, without password, over plain TCP.
// `mariadb` of MariaDB Connector/C 3.3.20. Its second word asks for progress reports.
constexpr std::string_view connector_c =
    "8ca2bf000000100021000000000000000000000000000000000000001d000000"
    "726f6f74000074657374006d7973716c5f6e61746976655f70617373776f7264007f035f6f73054c696e75780c5f"
    "636c69656e745f6e616d650a6c69626d617269616462045f7069640532343435330f5f636c69656e745f76657273"
    "696f6e06332e332e3230095f706c6174666f726d067838365f36340c70726f6772616d5f6e616d65056d7973716c"
    "0c5f7365727665725f686f7374093132372e302e302e31";
// PyMySQL 1.0.2.
constexpr std::string_view pymysql =
    "0da23a00ffffff002d0000000000000000000000000000000000000000000000"
    "726f6f74000074657374006d7973716c5f6e61746976655f70617373776f726400360c5f636c69656e745f6e616d"
    "650770796d7973716c045f7069640532343439370f5f636c69656e745f76657273696f6e05312e302e32";
// PHP 8.2 mysqlnd.
constexpr std::string_view mysqlnd =
    "8da21a00000000c0080000000000000000000000000000000000000000000000"
    "726f6f74000074657374006d7973716c5f6e61746976655f70617373776f7264002c0c5f636c69656e745f6e616d"
    "65076d7973716c6e640c5f7365727665725f686f7374093132372e302e302e31";
// A script's login at MySQL 9.7, in the form that libmysqlclient sends.
constexpr std::string_view mysql_script =
    "0d820f0000000001ff0000000000000000000000000000000000000000000000"
    "726f6f7400006d7973716c0063616368696e675f736861325f70617373776f726400";

Bytes login_of(std::uint32_t flags, std::string_view tail_hex) {
    Bytes bytes;
    for (int i = 0; i < 4; ++i) bytes.push_back(static_cast<std::uint8_t>(flags >> (8 * i)));
    const Bytes rest = from_hex("00000001 21");
    bytes.insert(bytes.end(), rest.begin(), rest.end());
    bytes.resize(32);
    const Bytes tail = from_hex(tail_hex);
    bytes.insert(bytes.end(), tail.begin(), tail.end());
    return bytes;
}

TEST(Login, OfRealClients) {
    struct Row {
        std::string_view hex;
        Capabilities offered;
        std::uint32_t requested;
        std::uint32_t mariadb_flags;
        std::uint32_t collation;
        std::string_view schema;
        std::string_view plugin;
    };
    const Row rows[] = {
        {connector_c, mariadb_offer, 0x00bfa28c, 0x1c, 0x21, "test", "mysql_native_password"},
        {pymysql, mariadb_offer, 0x003aa20d, 0, 0x2d, "test", "mysql_native_password"},
        {mysqlnd, mariadb_offer, 0x001aa28d, 0, 0x08, "test", "mysql_native_password"},
        {mysql_script, mysql_offer, 0x000f820d, 0, 0xff, "mysql", "caching_sha2_password"},
    };
    for (const Row& row : rows) {
        SCOPED_TRACE(row.hex);
        const Bytes payload = from_hex(row.hex);
        const auto login = decode_login(payload, row.offered);
        ASSERT_TRUE(login.has_value());
        EXPECT_FALSE(login->is_ssl_request);
        EXPECT_EQ(login->requested.flags, row.requested);
        EXPECT_EQ(login->capabilities.flags, row.requested & row.offered.flags);
        EXPECT_EQ(login->capabilities.mariadb_flags, row.mariadb_flags);
        EXPECT_EQ(login->collation, row.collation);
        EXPECT_EQ(login->user, "root");
        EXPECT_EQ(login->schema, row.schema);
        EXPECT_EQ(login->auth_plugin, row.plugin);
    }
}

TEST(Login, ReadsMariadbsSecondWordOnlyBetweenMariadbs) {
    const Bytes connector = from_hex(connector_c);
    EXPECT_EQ(decode_login(connector, mariadb_offer)->requested.mariadb_flags, 0x1dU);
    EXPECT_EQ(decode_login(connector, mysql_offer)->requested.mariadb_flags, 0U);
    Bytes mysql_client = connector;
    mysql_client[0] |= capability::long_password;
    EXPECT_EQ(decode_login(mysql_client, mariadb_offer)->requested.mariadb_flags, 0U);
}

TEST(Login, MaskClearsWhatWasNotOffered) {
    Bytes payload = from_hex(connector_c);
    const Bytes before = payload;
    const auto caps = mask_login(payload, mariadb_offer);
    ASSERT_TRUE(caps.has_value());
    EXPECT_EQ(caps->mariadb_flags, 0x1cU);
    const auto after = decode_login(payload, mariadb_offer);
    ASSERT_TRUE(after.has_value());
    EXPECT_EQ(after->requested.mariadb_flags, 0x1cU);
    EXPECT_EQ(after->capabilities, *caps);
    payload[28] = before[28];
    EXPECT_EQ(payload, before) << "only the progress bit was touched";

    Bytes unasked =
        login_of(0x0008a200 | capability::compress | capability::long_password, "75 00 00");
    const auto masked = mask_login(unasked, mysql_offer);
    ASSERT_TRUE(masked.has_value());
    EXPECT_FALSE(masked->has(capability::compress));
    EXPECT_FALSE(decode_login(unasked, mysql_offer)->requested.has(capability::compress));
}

TEST(Login, MaskKeepsAMysqlClientAMysqlClient) {
    Bytes payload = from_hex(pymysql);
    const Bytes before = payload;
    ASSERT_TRUE(mask_login(payload, mariadb_offer).has_value());
    EXPECT_EQ(payload, before);
    Bytes small(31);
    EXPECT_FALSE(mask_login(small, mariadb_offer).has_value());
    Bytes old = login_of(0x00080000, "");
    EXPECT_EQ(mask_login(old, mysql_offer).error(), make_error_code(Errc::unsupported));
}

TEST(Login, SslRequestEndsBehindTheCharacterSet) {
    const Bytes request = login_of(0x0008aa00, "");
    const auto login = decode_login(request, mysql_offer);
    ASSERT_TRUE(login.has_value());
    EXPECT_TRUE(login->is_ssl_request);
    EXPECT_EQ(login->user, "");
    // The login that follows it inside TLS keeps the bit and is no request.
    const Bytes inside = login_of(0x0008aa00, "75 00 00 00");
    EXPECT_FALSE(decode_login(inside, mysql_offer)->is_ssl_request);
    // Without the bit it is a login that is cut.
    EXPECT_FALSE(decode_login(login_of(0x0008a200, ""), mysql_offer).has_value());
}

TEST(Login, RefusesTheFormBefore41) {
    const Bytes old = from_hex("8524 ffff00 726f6f74 00 00");
    EXPECT_EQ(decode_login(old, mysql_offer).error(), make_error_code(Errc::unsupported));
    EXPECT_EQ(decode_login(from_hex("85"), mysql_offer).error(), make_error_code(Errc::incomplete));
    EXPECT_EQ(decode_login({}, mysql_offer).error(), make_error_code(Errc::incomplete));
}

TEST(Login, BearsWhatOldConnectorsLeaveOut) {
    constexpr std::uint32_t base = capability::protocol_41 | capability::secure_connection;
    constexpr std::uint32_t with_schema = base | capability::connect_with_db;
    constexpr std::uint32_t with_plugin = with_schema | capability::plugin_auth;
    struct Row {
        std::string_view what;
        std::uint32_t flags;
        std::string_view tail;
        std::string_view schema;
        std::string_view plugin;
    };
    const Row rows[] = {
        {"nothing behind the user", base, "7500", "", ""},
        {"password of 20 bytes",
         base,
         "750014"
         "0102030405060708090a0b0c0d0e0f1011121314",
         "",
         ""},
        {"schema announced and missing", with_schema, "750000", "", ""},
        {"schema without its zero", with_schema, "750000 7462", "tb", ""},
        {"plugin announced and missing", with_plugin, "750000 746200", "tb", ""},
        {"plugin without its zero", with_plugin, "750000 746200 7070", "tb", "pp"},
        {"attributes cut",
         with_plugin | capability::connect_attrs,
         "750000 746200 707000 7f035f6f",
         "tb",
         "pp"},
        {"password with a long length",
         with_plugin | capability::plugin_auth_lenenc_data,
         "7500 fc0100 aa 746200 707000",
         "tb",
         "pp"},
        {"password in the form before 4.1",
         capability::protocol_41 | capability::connect_with_db,
         "7500 6161 00 746200",
         "tb",
         ""},
    };
    for (const Row& row : rows) {
        SCOPED_TRACE(row.what);
        const Bytes payload = login_of(row.flags, row.tail);
        const auto login = decode_login(payload, mysql_offer);
        ASSERT_TRUE(login.has_value());
        EXPECT_EQ(login->user, "u");
        EXPECT_EQ(login->schema, row.schema);
        EXPECT_EQ(login->auth_plugin, row.plugin);
    }
}

TEST(Login, RefusesLengthsThatLeadOutside) {
    constexpr std::uint32_t flags = capability::protocol_41 | capability::secure_connection;
    EXPECT_FALSE(decode_login(login_of(flags, "75"), mysql_offer).has_value());
    EXPECT_FALSE(decode_login(login_of(flags, "7500 14 0102"), mysql_offer).has_value());
    const std::uint32_t lenenc = flags | capability::plugin_auth_lenenc_data;
    EXPECT_FALSE(
        decode_login(login_of(lenenc, "7500 feffffffffffffffff 00"), mysql_offer).has_value()
    );
    EXPECT_FALSE(decode_login(login_of(lenenc, "7500 ff"), mysql_offer).has_value());
    const Bytes real = from_hex(connector_c);
    for (std::size_t size = 0; size <= real.size(); ++size) {
        const auto login = decode_login(std::span(real).first(size), mariadb_offer);
        if (login) {
            EXPECT_EQ(login->user, "root");
        }
        EXPECT_EQ(login.has_value(), size >= 37) << size;
    }
}

TEST(ChangeUser, IsRead) {
    // As sent to both servers, with an empty and with a full password answer.
    const Capabilities caps{capability::protocol_41 | capability::secure_connection, 0};
    const Bytes empty = from_hex("11 726f6f7400 00 7465737400 2d00 6d7900");
    const auto first = decode_change_user(empty, caps);
    ASSERT_TRUE(first.has_value());
    EXPECT_EQ(first->user, "root");
    EXPECT_EQ(first->schema, "test");
    EXPECT_EQ(first->collation, 0x2dU);

    const Bytes full = from_hex("11 7500 03 006100 746200 ff00");
    const auto second = decode_change_user(full, caps);
    ASSERT_TRUE(second.has_value());
    EXPECT_EQ(second->schema, "tb");
    EXPECT_EQ(second->collation, 0xffU);

    const Bytes before_41 = from_hex("11 7500 616200 746200");
    EXPECT_EQ(decode_change_user(before_41, Capabilities{})->schema, "tb");
}

TEST(ChangeUser, BearsShortFormsAndRefusesWildLengths) {
    const Capabilities caps{capability::protocol_41 | capability::secure_connection, 0};
    for (const std::string_view hex :
         {"11 7500", "11 7500 00", "11 7500 00 00", "11 7500 00 00 2d"}) {
        const Bytes payload = from_hex(hex);
        const auto change = decode_change_user(payload, caps);
        ASSERT_TRUE(change.has_value()) << hex;
        EXPECT_EQ(change->user, "u");
        EXPECT_EQ(change->schema, "");
        EXPECT_EQ(change->collation, 0U);
    }
    for (const std::string_view hex : {"", "11", "11 75", "11 7500 05 0102", "12 7500 00 00"}) {
        EXPECT_FALSE(decode_change_user(from_hex(hex), caps).has_value()) << hex;
    }
}

}  // namespace
}  // namespace protocol
