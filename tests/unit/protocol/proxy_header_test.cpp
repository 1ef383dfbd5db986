#include "protocol/proxy_header.hpp"

#include "hex.hpp"

#include <gtest/gtest.h>

#include <string>

namespace protocol {
namespace {

using Family = ProxyHeader::Family;
using What = ParsedProxyHeader::What;

const std::string signature = "0d0a0d0a000d0a515549540a";
const std::string greeting_bytes = "4a0000000a";

ProxyHeader ip(
    Family family,
    const std::string& source,
    std::uint16_t source_port,
    const std::string& destination,
    std::uint16_t destination_port
) {
    return {family, false, source, destination, source_port, destination_port};
}

ProxyHeader local_header() {
    ProxyHeader header;
    header.local = true;
    return header;
}

Bytes text_header(std::string_view line) {
    return bytes_of(std::string(line) + "\r\n");
}

std::string path_field(const std::string& path) {
    Bytes field = bytes_of(path);
    field.resize(108);
    return to_hex(field);
}

struct Good {
    std::string what;
    Bytes bytes;
    ProxyHeader header;
};

std::vector<Good> good_headers() {
    const std::string v4 = "c0000201 0a000002 d431 0cea";
    const ProxyHeader v4_header = ip(Family::ipv4, "192.0.2.1", 54321, "10.0.0.2", 3306);
    const std::string v6 =
        "20010db8000000000000000000000001 fe800000000000000000000000000002 0000 ffff";
    const ProxyHeader v6_header = ip(Family::ipv6, "2001:db8::1", 0, "fe80::2", 65535);
    const std::string unix_paths = path_field("/run/a b.sock") + path_field(std::string(108, 'x'));
    return {
        {"TCP4", text_header("PROXY TCP4 192.0.2.1 10.0.0.2 54321 3306"), v4_header},
        {"TCP6", text_header("PROXY TCP6 2001:DB8:0:0::1 fe80::2 0 65535"), v6_header},
        {"the longest TCP6",
         text_header("PROXY TCP6 ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff "
                     "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff 65535 65535"),
         ip(Family::ipv6,
            "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
            65535,
            "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
            65535)},
        {"UNKNOWN", text_header("PROXY UNKNOWN"), local_header()},
        {"the longest UNKNOWN",
         text_header("PROXY UNKNOWN ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff "
                     "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff 65535 65535"),
         local_header()},
        {"UNKNOWN and anything", text_header("PROXY UNKNOWN \x01 x"), local_header()},
        {"IPv4", from_hex(signature + "2111000c" + v4), v4_header},
        {"IPv6", from_hex(signature + "21210024" + v6), v6_header},
        {"unix",
         from_hex(signature + "213100d8" + unix_paths),
         ip(Family::unix_socket, "/run/a b.sock", 0, std::string(108, 'x'), 0)},
        {"unix without names",
         from_hex(signature + "213100d8" + path_field("") + path_field("")),
         ip(Family::unix_socket, "", 0, "", 0)},
        {"LOCAL", from_hex(signature + "20000000"), local_header()},
        {"LOCAL, all else ignored",
         from_hex(signature + "20ff0005" + "0102030405"),
         local_header()},
        {"UNSPEC", from_hex(signature + "21000000"), local_header()},
        {"UNSPEC with something", from_hex(signature + "21000002ffff"), local_header()},
        {"IPv4 of no protocol", from_hex(signature + "21100001ff"), local_header()},
        {"no family of TCP", from_hex(signature + "21010001ff"), local_header()},
        {"UDP", from_hex(signature + "2112000c" + v4), local_header()},
        {"extensions", from_hex(signature + "21110016" + v4 + "040000 ee0004 01020304"), v4_header},
        {"checksum", from_hex(signature + "21110013" + v4 + "030004 65394470"), v4_header},
        {"checksum between others",
         from_hex(signature + "2111001d" + v4 + "040001ff 030004 b5f2ab94 ee0003 010203"),
         v4_header},
    };
}

// Checks all beginnings of the bytes, and that what follows the header does not matter.
TEST(ProxyHeader, IsReadAtEveryCut) {
    for (const Good& good : good_headers()) {
        Bytes bytes = good.bytes;
        const Bytes rest = from_hex(greeting_bytes);
        bytes.insert(bytes.end(), rest.begin(), rest.end());
        for (std::size_t size = 0; size <= bytes.size(); ++size) {
            const ParsedProxyHeader parsed = parse_proxy_header(std::span(bytes).first(size));
            if (size < good.bytes.size()) {
                EXPECT_EQ(parsed.what, What::need_more) << good.what << " " << size;
                continue;
            }
            ASSERT_EQ(parsed.what, What::complete) << good.what << " " << parsed.problem;
            EXPECT_EQ(parsed.size, good.bytes.size()) << good.what;
            EXPECT_TRUE(parsed.header == good.header) << good.what << " " << parsed.header.source;
        }
    }
}

struct Bad {
    Bytes bytes;
    std::size_t from;  // so many bytes are enough to see it
    std::string problem;
};

std::vector<Bad> bad_lines() {
    const std::string fields = "version 1: not protocol, two addresses and two ports";
    const std::string begin = "does not begin with a PROXY header";
    const std::string end = "version 1: line does not end with CR LF";
    const auto whole = [](const std::string& line, const std::string& problem) {
        return Bad{text_header(line), line.size() + 2, problem};
    };
    return {
        {from_hex(greeting_bytes), 1, begin},
        {bytes_of("GET / HTTP/1.0\r\n"), 1, begin},
        {bytes_of("PROXY\r\n"), 6, begin},
        {bytes_of("PROXY\tTCP4"), 6, begin},
        {bytes_of("proxy TCP4"), 1, begin},
        {bytes_of("PROXY TCP4 1.2.3.4 1.2.3.4 1 2\n"), 31, end},
        {bytes_of("PROXY TCP4 1.2.3.4 1.2.3.4 1 2\nx"), 31, end},
        {bytes_of("PROXY TCP4 1.2.3.4 1.2.3.4 1 2\rx"), 32, end},
        {bytes_of("PROXY UNKNOWN\r\r\n"), 15, end},
        {bytes_of("PROXY UNKNOWN " + std::string(93, 'x')), 107, "version 1: line too long"},
        {bytes_of("PROXY UNKNOWN " + std::string(92, 'x') + "\r\n"),
         107,
         "version 1: line too long"},
        whole("PROXY ", fields),
        whole("PROXY TCP4", fields),
        whole("PROXY UNKNOWNX", fields),
        whole("PROXY TCP4 1.2.3.4 1.2.3.4 1", fields),
        whole("PROXY TCP4 1.2.3.4 1.2.3.4 1 2 ", fields),
        whole("PROXY TCP4 1.2.3.4 1.2.3.4 1 2 3", fields),
        whole("PROXY  TCP4 1.2.3.4 1.2.3.4 1 2", fields),
        whole("PROXY TCP4 1.2.3.4  1.2.3.4 1", "version 1: bad address"),
        whole("PROXY UDP4 1.2.3.4 1.2.3.4 1 2", "version 1: unknown protocol"),
        whole("PROXY tcp4 1.2.3.4 1.2.3.4 1 2", "version 1: unknown protocol"),
        whole("PROXY TCP4 ::1 ::1 1 2", "version 1: bad address"),
        whole("PROXY TCP6 1.2.3.4 1.2.3.4 1 2", "version 1: bad address"),
        whole("PROXY TCP4 1.2.3.256 1.2.3.4 1 2", "version 1: bad address"),
        whole("PROXY TCP4 01.2.3.4 1.2.3.4 1 2", "version 1: bad address"),
        whole("PROXY TCP4 1.2.3 1.2.3.4 1 2", "version 1: bad address"),
        whole(std::string("PROXY TCP4 1.2.3.4\0 1.2.3.4 1 2", 31), "version 1: bad address"),
        whole("PROXY TCP6 fe80::1%1 ::1 1 2", "version 1: bad address"),
        whole("PROXY TCP4 1.2.3.4 1.2.3.4 65536 2", "version 1: bad port"),
        whole("PROXY TCP4 1.2.3.4 1.2.3.4 1 -2", "version 1: bad port"),
        whole("PROXY TCP4 1.2.3.4 1.2.3.4 01 2", "version 1: bad port"),
        whole("PROXY TCP4 1.2.3.4 1.2.3.4 1x 2", "version 1: bad port"),
    };
}

std::vector<Bad> bad_binaries() {
    const std::string v4 = "c0000201 0a000002 d431 0cea";
    const auto whole = [](const std::string& hex, const std::string& problem) {
        const Bytes bytes = from_hex(signature + hex);
        return Bad{bytes, bytes.size(), "version 2: " + problem};
    };
    const auto at = [](std::size_t size, const std::string& hex, const std::string& problem) {
        return Bad{from_hex(signature + hex), size, "version 2: " + problem};
    };
    return {
        {from_hex("0d0a0d0a000d0a515549540b"), 12, "does not begin with a PROXY header"},
        {from_hex("0d0a0d0a00ff"), 6, "does not begin with a PROXY header"},
        at(13, "11110000", "unknown command"),
        at(13, "22110000", "unknown command"),
        at(13, "31110000", "unknown command"),
        at(14, "21410000", "unknown family"),
        at(14, "21130000", "unknown family"),
        at(14, "21030000", "unknown family"),
        at(16, "2111000b", "addresses cut"),
        at(16, "21210023", "addresses cut"),
        at(16, "213100d7", "addresses cut"),
        at(16, "21110ff1", "too long"),
        at(16, "2000ffff", "too long"),
        whole("2111000d" + v4 + "04", "extension cut"),
        whole("2111000e" + v4 + "0400", "extension cut"),
        whole("2111000f" + v4 + "040001", "extension longer than the header"),
        whole("21110012" + v4 + "04fff0 000000", "extension longer than the header"),
        whole("2112000d" + v4 + "04", "extension cut"),
        whole("21110013" + v4 + "030004 00000000", "checksum is wrong"),
        whole("21110012" + v4 + "030003 653944", "checksum is not four bytes"),
        whole("213100d8" + path_field("/a\nb") + path_field(""), "control character in a path"),
        whole("213100d8" + path_field("") + path_field("\x7f"), "control character in a path"),
    };
}

TEST(ProxyHeader, IsRefusedAsSoonAsItIsWrong) {
    std::vector<Bad> all = bad_lines();
    for (Bad& bad : bad_binaries()) all.push_back(std::move(bad));
    for (const Bad& bad : all) {
        const std::string shown = to_hex(bad.bytes);
        for (std::size_t size = 0; size <= bad.bytes.size(); ++size) {
            const ParsedProxyHeader parsed = parse_proxy_header(std::span(bad.bytes).first(size));
            const bool seen = size >= bad.from;
            EXPECT_EQ(parsed.what, seen ? What::malformed : What::need_more)
                << shown << " " << size;
            EXPECT_EQ(parsed.problem, seen ? bad.problem : "") << shown << " " << size;
        }
    }
}

TEST(ProxyHeader, ReadsTheLongestOneAndNoLonger) {
    Bytes bytes = from_hex(signature + "20000ff0");
    bytes.resize(4096);
    EXPECT_EQ(parse_proxy_header(std::span(bytes).first(4095)).what, What::need_more);
    EXPECT_EQ(parse_proxy_header(bytes).size, 4096U);
}

// The checksums here were made by another implementation, which has the published value for
// "123456789", 0xe3069283.
TEST(ProxyHeader, AChecksumSeesEveryBit) {
    const Bytes good = from_hex(signature + "21110013 c0000201 0a000002 d431 0cea 030004 65394470");
    ASSERT_EQ(parse_proxy_header(good).what, What::complete);
    for (std::size_t bit = 16 * 8; bit < 28 * 8; ++bit) {
        Bytes bytes = good;
        bytes[bit / 8] ^= static_cast<std::uint8_t>(1U << bit % 8);
        EXPECT_EQ(parse_proxy_header(bytes).what, What::malformed) << bit;
    }
}

TEST(ProxyHeader, IsWrittenAsItIsRead) {
    for (const Good& good : good_headers()) {
        Bytes v1;
        encode_proxy_header_v1(v1, good.header);
        const ParsedProxyHeader from_v1 = parse_proxy_header(v1);
        ASSERT_EQ(from_v1.what, What::complete) << good.what;
        EXPECT_EQ(from_v1.size, v1.size());
        const bool is_unix = good.header.family == Family::unix_socket;
        EXPECT_TRUE(from_v1.header == (is_unix ? local_header() : good.header)) << good.what;

        Bytes v2;
        encode_proxy_header_v2(v2, good.header);
        const ParsedProxyHeader from_v2 = parse_proxy_header(v2);
        ASSERT_EQ(from_v2.what, What::complete) << good.what;
        EXPECT_EQ(from_v2.size, v2.size());
        EXPECT_TRUE(from_v2.header == good.header) << good.what;
    }
}

TEST(ProxyHeader, IsWrittenBehindWhatIsThere) {
    Bytes out = from_hex("aa");
    encode_proxy_header_v1(out, ip(Family::ipv4, "192.0.2.1", 1, "10.0.0.2", 65535));
    EXPECT_EQ(to_hex(out), "aa" + to_hex(text_header("PROXY TCP4 192.0.2.1 10.0.0.2 1 65535")));
    out = from_hex("aa");
    encode_proxy_header_v2(out, ip(Family::ipv4, "192.0.2.1", 54321, "10.0.0.2", 3306));
    EXPECT_EQ(
        to_hex(out),
        "aa" + signature + "2111000c" +
            "c0000201"
            "0a000002"
            "d431"
            "0cea"
    );
}

TEST(ProxyHeader, TellsIPv4AsIPv4) {
    Bytes out;
    encode_proxy_header_v1(out, ip(Family::ipv6, "::ffff:192.0.2.1", 1, "::ffff:10.0.0.2", 2));
    EXPECT_EQ(out, text_header("PROXY TCP4 192.0.2.1 10.0.0.2 1 2"));
    out.clear();
    encode_proxy_header_v1(out, ip(Family::ipv6, "fe80::1%eth0", 1, "fe80::2%3", 2));
    EXPECT_EQ(out, text_header("PROXY TCP6 fe80::1 fe80::2 1 2"));
}

TEST(ProxyHeader, TellsNothingRatherThanSomethingWrong) {
    ProxyHeader hidden = ip(Family::ipv4, "192.0.2.1", 1, "10.0.0.2", 2);
    hidden.local = true;
    for (const ProxyHeader& header :
         {ProxyHeader{},
          local_header(),
          hidden,
          ip(Family::unspecified, "192.0.2.1", 1, "10.0.0.2", 2),
          ip(Family::ipv4, "", 1, "10.0.0.2", 2),
          ip(Family::ipv4, "192.0.2.1", 1, "localhost", 2),
          ip(Family::ipv4, "192.0.2.1 x\r\n", 1, "10.0.0.2", 2),
          ip(Family::ipv4, "::1", 1, "::1", 2),
          ip(Family::ipv6, "192.0.2.1", 1, "10.0.0.2", 2)}) {
        Bytes out;
        encode_proxy_header_v1(out, header);
        EXPECT_EQ(out, text_header("PROXY UNKNOWN")) << header.source;
        out.clear();
        encode_proxy_header_v2(out, header);
        EXPECT_EQ(to_hex(out), signature + "20000000") << header.source;
    }
}

}  // namespace
}  // namespace protocol
