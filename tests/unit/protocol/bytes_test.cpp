#include "protocol/bytes.hpp"

#include "hex.hpp"

#include <gtest/gtest.h>

namespace protocol {
namespace {

TEST(ByteReader, ReadsLittleEndianIntegers) {
    const Bytes bytes = from_hex("01 0201 030201 04030201 0807060504030201");
    ByteReader reader(bytes);
    EXPECT_EQ(reader.int1(), 1);
    EXPECT_EQ(reader.int2(), 0x0102);
    EXPECT_EQ(reader.int3(), 0x010203U);
    EXPECT_EQ(reader.int4(), 0x01020304U);
    EXPECT_EQ(reader.int8(), 0x0102030405060708U);
    EXPECT_EQ(reader.left(), 0U);
    EXPECT_FALSE(reader.failed());
}

TEST(ByteReader, StaysFailedAndGivesNothing) {
    const Bytes bytes = from_hex("0102");
    ByteReader reader(bytes);
    EXPECT_EQ(reader.int4(), 0U);
    EXPECT_EQ(reader.error(), Errc::incomplete);
    EXPECT_EQ(reader.int1(), 0);
    EXPECT_EQ(reader.left(), 0U);
    reader.fail(Errc::malformed);
    EXPECT_EQ(reader.error(), Errc::incomplete) << "the first failure is the one that counts";
}

TEST(ByteReader, DoesNotBelieveLengths) {
    for (const std::string_view hex :
         {"05 6162",
          "fcffff 6162",
          "fdffffff 61",
          "feffffffffffffffff 61",
          "fc01",
          "fd0101",
          "fe01010101010101"}) {
        const Bytes bytes = from_hex(hex);
        ByteReader reader(bytes);
        EXPECT_EQ(reader.text_length_encoded(), "");
        EXPECT_EQ(reader.error(), Errc::incomplete) << hex;
    }
}

TEST(ByteReader, TakesNullAndErrForNoNumbers) {
    for (const std::string_view hex : {"fb", "ff"}) {
        const Bytes bytes = from_hex(hex);
        ByteReader reader(bytes);
        EXPECT_EQ(reader.length_encoded(), 0U);
        EXPECT_EQ(reader.error(), Errc::malformed) << hex;
    }
}

TEST(ByteReader, FindsTheEndOfTexts) {
    const Bytes bytes = from_hex("6162 00 00 6364");
    ByteReader reader(bytes);
    EXPECT_EQ(reader.text_to_nul(), "ab");
    EXPECT_EQ(reader.text_to_nul(), "");
    ByteReader strict = reader;
    EXPECT_EQ(strict.text_to_nul(), "");
    EXPECT_EQ(strict.error(), Errc::incomplete);
    EXPECT_EQ(reader.text_to_nul_or_end(), "cd");
    EXPECT_EQ(reader.text_to_nul_or_end(), "");
    EXPECT_FALSE(reader.failed());
}

TEST(ByteWriter, WritesWhatTheReaderReads) {
    for (const std::uint64_t value :
         {0ULL,
          250ULL,
          251ULL,
          0xffffULL,
          0x10000ULL,
          0xffffffULL,
          0x1000000ULL,
          0xffffffffffffffffULL}) {
        Bytes bytes;
        ByteWriter(bytes).length_encoded(value);
        ByteReader reader(bytes);
        EXPECT_EQ(reader.length_encoded(), value);
        EXPECT_FALSE(reader.failed());
        EXPECT_EQ(reader.left(), 0U);
    }
    Bytes bytes;
    ByteWriter writer(bytes);
    writer.int3(0x010203);
    writer.int8(5);
    writer.text_nul("ab");
    writer.text_length_encoded("cd");
    EXPECT_EQ(
        to_hex(bytes),
        "030201"
        "0500000000000000"
        "616200"
        "026364"
    );
}

TEST(Errc, HasAMessageForEachValue) {
    for (const Errc value :
         {Errc::ok, Errc::incomplete, Errc::malformed, Errc::trailing_bytes, Errc::unsupported}) {
        EXPECT_NE(make_error_code(value).message(), "unknown protocol error");
    }
    EXPECT_STREQ(error_category().name(), "protocol");
    EXPECT_TRUE(make_error_code(Errc::malformed).failed());
}

}  // namespace
}  // namespace protocol
