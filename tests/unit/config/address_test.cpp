#include "config/address.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace config {
namespace {

TEST(address, reads_and_writes_the_same_text) {
    for (const std::string text :
         {"127.0.0.1:6033",
          "[::1]:1",
          "db.example:65535",
          "a-b_c:0",
          "[fe80::1]:3306",
          "unix:/run/db.sock",
          "unix:/a b:c"}) {
        const ParsedAddress parsed = parse_address(text);
        EXPECT_EQ(parsed.wrong, "") << text;
        EXPECT_EQ(to_string(parsed.address), text);
    }
    const ParsedAddress socket = parse_address("unix:/run/db.sock");
    EXPECT_TRUE(socket.address.is_unix());
    EXPECT_EQ(socket.address.path, "/run/db.sock");
    EXPECT_EQ(socket.address.host, "");
    EXPECT_FALSE(parse_address("db:1").address.is_unix());
}

TEST(address, refuses_everything_else) {
    for (const std::string text : {"",       ":",         "db",      "db:",     ":1",
                                   "db:-1",  "db:+1",     "db: 1",   "db:1 ",   "db:65536",
                                   "::1:1",  "[::1]",     "[::1]1",  "[]:1",    "[127.0.0.1]:1",
                                   "[::1",   "unix:",     "unix:x",  "unix:@x", "unix:/x/",
                                   "unix:/", "unix:/x\n", "UNIX:/x", "/x",      "a/b:1"}) {
        EXPECT_NE(parse_address(text).wrong, "") << text;
    }
    EXPECT_NE(parse_address(std::string(254, 'a') + ":1").wrong, "");
    EXPECT_NE(parse_address(std::string("unix:/a\0b", 9)).wrong, "");
    EXPECT_EQ(parse_address("unix:/" + std::string(106, 'a')).wrong, "");
    EXPECT_NE(parse_address("unix:/" + std::string(107, 'a')).wrong, "");
}

TEST(address, knows_loopback) {
    for (const std::string host :
         {"127.0.0.1", "127.255.0.9", "::1", "0:0:0:0:0:0:0:1", "::ffff:127.0.0.1", "LocalHost"}) {
        EXPECT_TRUE(is_loopback({host, 1})) << host;
    }
    for (const std::string host :
         {"0.0.0.0", "::", "126.0.0.1", "::2", "::ffff:1.2.3.4", "127.0.0.1.example", "db"}) {
        EXPECT_FALSE(is_loopback({host, 1})) << host;
    }
    EXPECT_FALSE(same_host(parse_address("unix:/a").address, parse_address("unix:/b").address));
}

TEST(address, knows_what_cannot_listen_side_by_side) {
    const auto together = [](const std::string& left, const std::string& right) {
        return collide(parse_address(left).address, parse_address(right).address);
    };
    EXPECT_TRUE(together("127.0.0.1:1", "127.0.0.1:1"));
    EXPECT_TRUE(together("127.0.0.1:1", "localhost:1"));
    EXPECT_TRUE(together("0.0.0.0:1", "10.0.0.1:1"));
    EXPECT_TRUE(together("[::]:1", "[::1]:1"));
    EXPECT_TRUE(together("[::1]:1", "[0:0::1]:1"));
    EXPECT_TRUE(together("DB:1", "db:1"));
    EXPECT_FALSE(together("127.0.0.1:1", "127.0.0.1:2"));
    EXPECT_FALSE(together("127.0.0.1:1", "127.0.0.2:1"));
    EXPECT_FALSE(together("0.0.0.0:1", "[::]:1"));
    EXPECT_FALSE(together("127.0.0.1:0", "127.0.0.1:0"));
    EXPECT_TRUE(together("unix:/run/a", "unix:/run/a"));
    EXPECT_TRUE(together("unix:/run/a", "unix:/run//b/../a"));
    EXPECT_FALSE(together("unix:/run/a", "unix:/run/b"));
    EXPECT_FALSE(together("unix:/run/a", "127.0.0.1:1"));
    EXPECT_FALSE(together("0.0.0.0:1", "unix:/run/a"));
}

}  // namespace
}  // namespace config
