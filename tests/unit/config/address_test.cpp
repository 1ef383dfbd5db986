#include "config/address.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace config {
namespace {

TEST(address, reads_and_writes_the_same_text) {
    for (const std::string text :
         {"127.0.0.1:6033", "[::1]:1", "db.example:65535", "a-b_c:0", "[fe80::1]:3306"}) {
        const ParsedAddress parsed = parse_address(text);
        EXPECT_EQ(parsed.wrong, "") << text;
        EXPECT_EQ(to_string(parsed.address), text);
    }
}

TEST(address, refuses_everything_else) {
    for (const std::string text :
         {"",
          ":",
          "db",
          "db:",
          ":1",
          "db:-1",
          "db:+1",
          "db: 1",
          "db:1 ",
          "db:65536",
          "::1:1",
          "[::1]",
          "[::1]1",
          "[]:1",
          "[127.0.0.1]:1",
          "[::1",
          "unix:/x",
          "/x",
          "a/b:1"}) {
        EXPECT_NE(parse_address(text).wrong, "") << text;
    }
    EXPECT_NE(parse_address(std::string(254, 'a') + ":1").wrong, "");
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
}

}  // namespace
}  // namespace config
