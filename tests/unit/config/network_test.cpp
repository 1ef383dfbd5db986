#include "config/network.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace config {
namespace {

TEST(network, is_written_with_its_prefix) {
    const std::vector<std::pair<std::string, std::string>> cases = {
        {"10.0.0.0/8", "10.0.0.0/8"},
        {"192.0.2.1", "192.0.2.1/32"},
        {"0.0.0.0/0", "0.0.0.0/0"},
        {"192.0.2.130/31", "192.0.2.130/31"},
        {"::1", "::1/128"},
        {"::/0", "::/0"},
        {"2001:DB8:0::/33", "2001:db8::/33"},
        {"::ffff:192.0.2.1", "192.0.2.1/32"},
        {"::ffff:10.0.0.0/104", "10.0.0.0/8"},
        {"::ffff:0:0/96", "0.0.0.0/0"}};
    for (const auto& [text, expected] : cases) {
        const ParsedNetwork parsed = parse_network(text);
        EXPECT_EQ(parsed.wrong, "") << text;
        EXPECT_EQ(to_string(parsed.network), expected);
        EXPECT_EQ(parse_network(expected).network, parsed.network);
    }
}

TEST(network, refuses_everything_else) {
    for (const std::string text :
         {"",
          "/",
          "/8",
          "10",
          "10.0.0.0/",
          "10.0.0.0/33",
          "10.0.0.0/-1",
          "10.0.0.0/8 ",
          " 10.0.0.0/8",
          "10.0.0.0/8/8",
          "10.0.0.0/0x8",
          "10.0.0.0/99999999999",
          "::/129",
          "[::]/0",
          "fe80::1%eth0",
          "localhost",
          "10.0.0.256"}) {
        EXPECT_NE(parse_network(text).wrong, "") << text;
    }
    EXPECT_NE(parse_network(std::string("10.0.0.0\0", 9)).wrong, "");
}

TEST(network, refuses_bits_behind_the_prefix_and_says_what_to_write) {
    const std::vector<std::pair<std::string, std::string>> cases = {
        {"10.1.2.3/8", "Write 10.0.0.0/8 for the network, or 10.1.2.3/32 for one address"},
        {"10.1.2.3/31", "Write 10.1.2.2/31 for the network, or 10.1.2.3/32 for one address"},
        {"128.0.0.0/0", "Write 0.0.0.0/0 for the network, or 128.0.0.0/32 for one address"},
        {"fe80::1/10", "Write fe80::/10 for the network, or fe80::1/128 for one address"}};
    for (const auto& [text, hint] : cases) {
        EXPECT_EQ(parse_network(text).wrong, "'" + text + "' has bits behind its prefix");
        EXPECT_EQ(parse_network(text).hint, hint);
    }
}

TEST(network, contains_its_addresses) {
    struct Case {
        std::string network, inside, outside;
    };
    for (const Case& item : std::vector<Case>{
             {"10.0.0.0/8", "10.255.255.255", "11.0.0.0"},
             {"10.0.0.0/8", "::ffff:10.0.0.1", "::ffff:11.0.0.1"},
             {"192.0.2.128/25", "192.0.2.128", "192.0.2.127"},
             {"192.0.2.1", "192.0.2.1", "192.0.2.0"},
             {"0.0.0.0/0", "255.1.2.3", "::1"},
             {"::/0", "2001:db8::1", "192.0.2.1"},
             {"::/0", "::", "::ffff:192.0.2.1"},
             {"fe80::/10", "fe80::1%eth0", "fec0::1"},
             {"fe80::/10", "febf::1%2", ""},
             {"::1", "0:0:0:0:0:0:0:1", "::2"},
             {"2001:db8:8000::/33", "2001:db8:8000::1", "2001:db8:7fff::1"}}) {
        const Network network = parse_network(item.network).network;
        EXPECT_TRUE(contains(network, item.inside)) << item.network << " " << item.inside;
        EXPECT_FALSE(contains(network, item.outside)) << item.network << " " << item.outside;
        EXPECT_FALSE(contains(network, "localhost"));
    }
}

}  // namespace
}  // namespace config
