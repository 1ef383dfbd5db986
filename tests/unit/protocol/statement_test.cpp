#include "protocol/statement.hpp"

#include "hex.hpp"

#include <gtest/gtest.h>

namespace protocol {
namespace {

using Kind = ParamValue::Kind;

constexpr Capabilities plain{capability::protocol_41, 0};
constexpr Capabilities attributes{capability::protocol_41 | capability::query_attributes, 0};

Bytes execute(std::string_view tail_hex, std::uint8_t flags = 0) {
    Bytes bytes = from_hex("17 05000000 00 01000000");
    bytes[5] = flags;
    const Bytes tail = from_hex(tail_hex);
    bytes.insert(bytes.end(), tail.begin(), tail.end());
    return bytes;
}

struct Value {
    std::string_view what;
    std::string_view type;
    std::string_view bytes;
    Kind kind;
    std::int64_t integer;
    double real;
    std::string_view text;
};

TEST(Execute, ReadsEachTypeThatServersTake) {
    const Value table[] = {
        {"tiny", "0100", "ff", Kind::signed_integer, -1, 0, ""},
        {"tiny unsigned", "0180", "ff", Kind::unsigned_integer, 255, 0, ""},
        {"short", "0200", "feff", Kind::signed_integer, -2, 0, ""},
        {"short unsigned", "0280", "feff", Kind::unsigned_integer, 65534, 0, ""},
        {"long", "0300", "ffffffff", Kind::signed_integer, -1, 0, ""},
        {"long unsigned", "0380", "ffffffff", Kind::unsigned_integer, 4294967295, 0, ""},
        {"longlong", "0800", "ffffffffffffffff", Kind::signed_integer, -1, 0, ""},
        {"longlong unsigned", "0880", "ffffffffffffffff", Kind::unsigned_integer, -1, 0, ""},
        {"float", "0400", "0000e040", Kind::real, 0, 7, ""},
        {"double", "0500", "0000000000001cc0", Kind::real, 0, -7, ""},
        {"decimal", "0000", "03312e35", Kind::text, 0, 0, "1.5"},
        {"newdecimal", "f600", "03312e35", Kind::text, 0, 0, "1.5"},
        {"varchar", "0f00", "026162", Kind::text, 0, 0, "ab"},
        {"var_string", "fd00", "fc02006162", Kind::text, 0, 0, "ab"},
        {"string", "fe00", "00", Kind::text, 0, 0, ""},
        {"tiny_blob", "f900", "026162", Kind::text, 0, 0, "ab"},
        {"medium_blob", "fa00", "026162", Kind::text, 0, 0, "ab"},
        {"long_blob", "fb00", "026162", Kind::text, 0, 0, "ab"},
        {"blob", "fc00", "026162", Kind::text, 0, 0, "ab"},
        {"enum", "f700", "0161", Kind::text, 0, 0, "a"},
        {"set", "f800", "0161", Kind::text, 0, 0, "a"},
        {"json", "f500", "027b7d", Kind::text, 0, 0, "{}"},
        {"vector", "f200", "0400000000", Kind::text, 0, 0, std::string_view("\0\0\0\0", 4)},
        {"date", "0a00", "04da070a11", Kind::other, 0, 0, ""},
        {"date of zero", "0a00", "00", Kind::other, 0, 0, ""},
        {"datetime", "0c00", "0bda070a11131b1e01000000", Kind::other, 0, 0, ""},
        {"timestamp", "0700", "07da070a11131b1e", Kind::other, 0, 0, ""},
        {"time", "0b00", "0c0178000000131b1e01000000", Kind::other, 0, 0, ""},
    };
    for (const Value& row : table) {
        SCOPED_TRACE(row.what);
        // A second parameter shows that exactly the value's bytes were taken.
        const std::string tail =
            "00 01" + std::string(row.type) + "0300" + std::string(row.bytes) + "4d000000";
        const Bytes payload = execute(tail);
        const auto decoded = decode_execute(payload, 2, {}, plain);
        ASSERT_TRUE(decoded.has_value());
        EXPECT_EQ(decoded->statement_id, 5U);
        EXPECT_EQ(decoded->iterations, 1U);
        EXPECT_TRUE(decoded->new_types);
        ASSERT_EQ(decoded->values.size(), 2U);
        const ParamValue& value = decoded->values[0];
        EXPECT_EQ(value.kind, row.kind);
        EXPECT_EQ(value.integer, row.integer);
        EXPECT_EQ(value.real, row.real);
        EXPECT_EQ(value.text, row.text);
        EXPECT_EQ(decoded->values[1].integer, 77);
        for (std::size_t size = 0; size < payload.size(); ++size) {
            EXPECT_FALSE(decode_execute(std::span(payload).first(size), 2, {}, plain).has_value());
        }
    }
}

TEST(Execute, RefusesTypesWhoseBytesServersDoNotTake) {
    for (const std::string_view type :
         {"06", "09", "0d", "10", "11", "12", "13", "14", "f3", "f4", "ff"}) {
        const Bytes payload = execute("00 01" + std::string(type) + "00 0101010101010101");
        EXPECT_EQ(decode_execute(payload, 1, {}, plain).error(), make_error_code(Errc::unsupported))
            << type;
        // NULL by its bit, the type does not matter.
        const Bytes null = execute("01 01" + std::string(type) + "00");
        const auto decoded = decode_execute(null, 1, {}, plain);
        ASSERT_TRUE(decoded.has_value()) << type;
        EXPECT_EQ(decoded->values[0].kind, Kind::null);
    }
}

TEST(Execute, UsesRememberedTypes) {
    const std::vector<ParamType> remembered = {{3, true}, {254, false}};
    const Bytes payload = execute("00 00 ffffffff 026162");
    const auto decoded = decode_execute(payload, 2, remembered, plain);
    ASSERT_TRUE(decoded.has_value());
    EXPECT_FALSE(decoded->new_types);
    EXPECT_EQ(decoded->types, remembered);
    EXPECT_EQ(decoded->values[0].kind, Kind::unsigned_integer);
    EXPECT_EQ(decoded->values[0].integer, 4294967295);
    EXPECT_EQ(decoded->values[1].text, "ab");
    EXPECT_FALSE(decode_execute(payload, 2, {}, plain).has_value());
    EXPECT_FALSE(decode_execute(payload, 2, std::span(remembered).first(1), plain).has_value());
}

TEST(Execute, RebuildsNullsEachTime) {
    const std::vector<ParamType> remembered = {{3, false}, {3, false}};
    const auto first = decode_execute(execute("01 00 02000000"), 2, remembered, plain);
    ASSERT_TRUE(first.has_value());
    EXPECT_EQ(first->values[0].kind, Kind::null);
    EXPECT_EQ(first->values[1].integer, 2);
    const auto second = decode_execute(execute("00 00 01000000 02000000"), 2, first->types, plain);
    ASSERT_TRUE(second.has_value());
    EXPECT_EQ(second->values[0].integer, 1);
}

TEST(Execute, AllNullNeedsNoTypes) {
    for (const std::string_view tail : {"03 00", "03"}) {
        const auto decoded = decode_execute(execute(tail), 2, {}, plain);
        ASSERT_TRUE(decoded.has_value()) << tail;
        EXPECT_TRUE(decoded->types.empty());
        EXPECT_EQ(decoded->values.size(), 2U);
    }
}

TEST(Execute, WithoutParametersIsDone) {
    EXPECT_TRUE(decode_execute(execute(""), 0, {}, plain).has_value());
    EXPECT_TRUE(decode_execute(execute("00 01 0300"), 0, {}, plain).has_value());
    EXPECT_TRUE(decode_execute(execute("", 0x01), 0, {}, attributes).has_value());
    Bytes other = execute("");
    for (std::size_t size = 0; size < other.size(); ++size) {
        EXPECT_FALSE(decode_execute(std::span(other).first(size), 0, {}, plain).has_value());
    }
    other[0] = 0x16;
    EXPECT_EQ(decode_execute(other, 0, {}, plain).error(), make_error_code(Errc::malformed));
}

TEST(Execute, CountsManyParametersIn32Bits) {
    constexpr std::uint16_t count = 65535;
    Bytes payload = execute("");
    payload.resize(payload.size() + (count + 7) / 8, 0xff);
    payload.push_back(0);
    const auto decoded = decode_execute(payload, count, {}, plain);
    ASSERT_TRUE(decoded.has_value());
    EXPECT_EQ(decoded->values.size(), count);
    // The bits wrapped in 16 bits would have been found here.
    EXPECT_FALSE(decode_execute(execute("00 00"), count, {}, plain).has_value());
}

TEST(Execute, KeepsCursorFlags) {
    const auto decoded = decode_execute(execute("00 01 0300 01000000", 0x01), 1, {}, plain);
    ASSERT_TRUE(decoded.has_value());
    EXPECT_EQ(decoded->flags, 1);
}

// The packets below were accepted by MySQL 9.7, or refused where the test says so.
TEST(Execute, WithQueryAttributes) {
    const auto one = decode_execute(execute("01 00 01 0300 00 01000000"), 1, {}, attributes);
    ASSERT_TRUE(one.has_value()) << "the count comes without its flag, too";
    EXPECT_EQ(one->values[0].integer, 1);

    const auto two = decode_execute(
        execute("02 00 01 0300 00 fe00 027171 01000000 03616263", 0x08), 1, {}, attributes
    );
    ASSERT_TRUE(two.has_value());
    EXPECT_EQ(two->values.size(), 1U);
    EXPECT_EQ(two->types, (std::vector<ParamType>{{3, false}}));

    const auto again =
        decode_execute(execute("01 00 00 01000000", 0x08), 1, one->types, attributes);
    ASSERT_TRUE(again.has_value());
    EXPECT_EQ(again->values[0].integer, 1);

    EXPECT_TRUE(
        decode_execute(execute("01 00 01 0300 0161 01000000", 0x08), 0, {}, attributes).has_value()
    );
    EXPECT_TRUE(decode_execute(execute("00", 0x08), 0, {}, attributes).has_value());
    // Refused by the server: no count.
    EXPECT_FALSE(decode_execute(execute("00 01 0300 01000000"), 1, {}, attributes).has_value());
}

TEST(Execute, RefusesWildAttributes) {
    for (const std::string_view tail :
         {"feffffffffffffffff 00 01 0300 00 01000000",  // count
          "fd000001 00 01",                             // more than servers take
          "fcffff 00 01 0300",                          // more than there are bits
          "02 00 01 0300 00 fe00 0871 01000000",        // length of a name
          "02 00 01 0300 00 fe00 0171 01000000 09616263",
          "00 00 01 0300 00 01000000",  // fewer than the statement has
          ""}) {
        EXPECT_FALSE(decode_execute(execute(tail, 0x08), 1, {}, attributes).has_value()) << tail;
    }
}

TEST(StatementId, IsBehindTheCommand) {
    EXPECT_EQ(statement_id_of(from_hex("19 04030201")).value(), 0x01020304U);
    EXPECT_EQ(statement_id_of(from_hex("17 ffffffff 00 01000000")).value(), 0xffffffffU);
    EXPECT_FALSE(statement_id_of(from_hex("19 040302")).has_value());
    EXPECT_FALSE(statement_id_of({}).has_value());
}

TEST(Execute, TypesAreAddedForAServerThatHasNotSeenThem) {
    const Bytes first = execute("00 01 0300 0300 01000000 02000000");
    const auto known = decode_execute(first, 2, {}, plain);
    ASSERT_TRUE(known.has_value());
    const Bytes second = execute("00 00 03000000 04000000");
    const auto decoded = decode_execute(second, 2, known->types, plain);
    ASSERT_TRUE(decoded.has_value());
    EXPECT_FALSE(decoded->new_types);
    EXPECT_EQ(with_types(second, *decoded, 2, plain), execute("00 01 0300 0300 03000000 04000000"));
}

TEST(Execute, TypesAreAddedWithEmptyNamesWhereParametersHaveNames) {
    const Bytes first = execute("02 00 01 0300 00 0380 00 01000000 02000000");
    const auto known = decode_execute(first, 2, {}, attributes);
    ASSERT_TRUE(known.has_value());
    const Bytes second = execute("02 00 00 03000000 04000000");
    const auto decoded = decode_execute(second, 2, known->types, attributes);
    ASSERT_TRUE(decoded.has_value());
    EXPECT_EQ(
        with_types(second, *decoded, 2, attributes),
        execute("02 00 01 0300 00 0380 00 03000000 04000000")
    );
}

TEST(Execute, TypesAreNotAddedWhereNoneAreKnown) {
    const Bytes all_null = execute("03 00");
    const auto decoded = decode_execute(all_null, 2, {}, plain);
    ASSERT_TRUE(decoded.has_value());
    EXPECT_TRUE(with_types(all_null, *decoded, 2, plain).empty());
}

}  // namespace
}  // namespace protocol
