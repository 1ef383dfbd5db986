#include "protocol/packets.hpp"

#include "hex.hpp"
#include "protocol/frame.hpp"

#include <gtest/gtest.h>

namespace protocol {
namespace {

constexpr Capabilities plain{capability::protocol_41, 0};
constexpr Capabilities tracking{capability::protocol_41 | capability::session_track, 0};

std::span<const std::uint8_t> payload_of(const Bytes& frame) {
    EXPECT_EQ(read_frame_header(frame.data()).length, frame.size() - frame_header_size);
    return std::span(frame).subspan(frame_header_size);
}

TEST(OkPacket, IsReadAsServersWriteIt) {
    // UPDATE without session tracking, MariaDB 10.11 and MySQL 9.7: the text has a length.
    const Bytes update = from_hex(
        "00010003000000 28 526f7773206d6174636865643a203120204368616e6765643a203120205761726e"
        "696e67733a2030"
    );
    for (const Capabilities caps : {plain, tracking}) {
        const auto ok = decode_ok(update, caps);
        ASSERT_TRUE(ok.has_value());
        EXPECT_EQ(ok->affected_rows, 1U);
        EXPECT_EQ(ok->status, status::in_trans | status::autocommit);
        EXPECT_EQ(ok->info, "Rows matched: 1  Changed: 1  Warnings: 0");
    }
}

TEST(OkPacket, ReadsATextWithoutLengthToTheEnd) {
    const Bytes packet = from_hex("00000002000000 616263");
    const auto ok = decode_ok(packet, plain);
    ASSERT_TRUE(ok.has_value());
    EXPECT_EQ(ok->info, "abc");
}

TEST(OkPacket, CarriesTheSessionState) {
    // "USE mysql" at MySQL 9.7.
    const Bytes packet = from_hex("00000002400000 00 08 01 06 05 6d7973716c");
    const auto ok = decode_ok(packet, tracking);
    ASSERT_TRUE(ok.has_value());
    EXPECT_EQ(ok->info, "");
    EXPECT_EQ(tracked_schema(ok->session_state), "mysql");
}

TEST(OkPacket, RefusesWhatIsCutOrTooLong) {
    const Bytes packet = from_hex("00000002400000 01 61 08 01 06 05 6d7973716c");
    ASSERT_TRUE(decode_ok(packet, tracking).has_value());
    for (std::size_t size = 0; size < packet.size(); ++size) {
        const auto ok = decode_ok(std::span(packet).first(size), tracking);
        // Servers leave the texts out from the end, so two of the cuts are packets of their own.
        const bool whole = size == 7 || size == 9;
        EXPECT_EQ(ok.has_value(), whole) << size;
    }
    Bytes longer = packet;
    longer.push_back(0);
    EXPECT_EQ(decode_ok(longer, tracking).error(), make_error_code(Errc::trailing_bytes));
    EXPECT_EQ(
        decode_ok(from_hex("01000002000000"), plain).error(), make_error_code(Errc::malformed)
    );
    EXPECT_EQ(
        decode_ok(from_hex("00fb0002000000"), plain).error(), make_error_code(Errc::malformed)
    );
}

TEST(OkPacket, PrefixGivesTheNumbersAndWhatIsHeld) {
    const Bytes numbers = from_hex("00 fce803 fd000001 0240 0100");
    EXPECT_FALSE(decode_ok_prefix(std::span(numbers).first(9), tracking).has_value());
    const auto bare = decode_ok_prefix(numbers, tracking);
    ASSERT_TRUE(bare.has_value());
    EXPECT_EQ(bare->affected_rows, 1000U);
    EXPECT_EQ(bare->last_insert_id, 0x10000U);
    EXPECT_EQ(bare->status, 0x4002);
    EXPECT_EQ(bare->warnings, 1);

    Bytes cut = numbers;
    const Bytes texts = from_hex("00 fc0010 01 05 04 74657374 00 20 61");  // 4096 bytes announced
    cut.insert(cut.end(), texts.begin(), texts.end());
    const auto held = decode_ok_prefix(cut, tracking);
    ASSERT_TRUE(held.has_value());
    EXPECT_EQ(tracked_schema(held->session_state), "test");
}

TEST(OkPacket, RoundTrips) {
    const std::string state = "\x01\x05\x04test";
    const OkPacket packets[] = {
        {0x00, 0, 0, 2, 0, "", ""},
        {0x00, 250, 251, 3, 65535, "Rows matched: 1", ""},
        {0xfe, 0, 0, 0x22, 1, "", ""},
        {0x00, 0x10000, 0xffffffffffffffff, 0x4002, 7, "text", state},
        {0x00, 1, 2, 0x4002, 7, "", state},
    };
    for (const OkPacket& before : packets) {
        Bytes frame;
        encode_ok(frame, 9, before, tracking);
        EXPECT_EQ(frame[3], 9);
        const auto after = decode_ok(payload_of(frame), tracking);
        ASSERT_TRUE(after.has_value());
        EXPECT_EQ(after->header, before.header);
        EXPECT_EQ(after->affected_rows, before.affected_rows);
        EXPECT_EQ(after->last_insert_id, before.last_insert_id);
        EXPECT_EQ(after->status, before.status);
        EXPECT_EQ(after->warnings, before.warnings);
        EXPECT_EQ(after->info, before.info);
        EXPECT_EQ(after->session_state, before.session_state);
    }
}

TEST(OkPacket, NeverAnnouncesAStateThatItDoesNotCarry) {
    for (const Capabilities caps : {plain, tracking}) {
        Bytes frame;
        encode_ok(frame, 1, {0x00, 1, 0, 0x4002, 0, "info", ""}, caps);
        EXPECT_EQ(
            to_hex(frame),
            "0c000001"
            "00010002000000"
            "04696e666f"
        );
    }
    Bytes without;
    encode_ok(without, 1, {0x00, 1, 0, 0x4002, 0, "", "\x01\x05\x04test"}, plain);
    EXPECT_EQ(
        to_hex(without),
        "07000001"
        "00010002000000"
    );
}

TEST(ErrPacket, RoundTripsWithAndWithoutTheState) {
    Bytes frame;
    encode_err(frame, 3, {1690, "22003", "BIGINT UNSIGNED value is out of range"}, plain);
    const auto err = decode_err(payload_of(frame), plain);
    ASSERT_TRUE(err.has_value());
    EXPECT_EQ(frame[3], 3);
    EXPECT_EQ(err->code, 1690);
    EXPECT_EQ(err->sql_state, "22003");
    EXPECT_EQ(err->message, "BIGINT UNSIGNED value is out of range");

    frame.clear();
    encode_err(frame, 3, {1040, "08004", "Too many connections"}, Capabilities{});
    const auto early = decode_err(payload_of(frame), Capabilities{});
    ASSERT_TRUE(early.has_value());
    EXPECT_EQ(early->sql_state, "");
    EXPECT_EQ(early->message, "Too many connections");

    frame.clear();
    encode_err(frame, 3, {1, "", "x"}, plain);
    EXPECT_EQ(decode_err(payload_of(frame), plain)->sql_state, "HY000");
}

TEST(ErrPacket, CutsLongMessagesBetweenCharacters) {
    std::string message(511, 'a');
    message += "\xc3\xa4\xc3\xa4";
    Bytes frame;
    encode_err(frame, 1, {1, "HY000", message}, plain);
    EXPECT_EQ(decode_err(payload_of(frame), plain)->message, std::string(511, 'a'));
    frame.clear();
    encode_err(frame, 1, {1, "HY000", std::string(513, 'b')}, plain);
    EXPECT_EQ(decode_err(payload_of(frame), plain)->message, std::string(512, 'b'));
    frame.clear();
    encode_err(frame, 1, {1, "HY000", std::string(600, '\x80')}, plain);
    EXPECT_EQ(decode_err(payload_of(frame), plain)->message.size(), 512U);
}

TEST(ErrPacket, RefusesWhatIsCut) {
    EXPECT_FALSE(decode_err(from_hex("ff01"), plain).has_value());
    EXPECT_FALSE(decode_err(from_hex("00010000"), plain).has_value());
    const auto bare = decode_err(from_hex("ff0104"), plain);
    ASSERT_TRUE(bare.has_value());
    EXPECT_EQ(bare->code, 1025);
    // Too short for a state: all of it is message.
    EXPECT_EQ(decode_err(from_hex("ff0104 23 3432"), plain)->message, "#42");
}

TEST(EofPacket, HasFiveBytes) {
    const auto eof = decode_eof(from_hex("fe01002200"));
    ASSERT_TRUE(eof.has_value());
    EXPECT_EQ(eof->warnings, 1);
    EXPECT_EQ(eof->status, 0x22);
    EXPECT_FALSE(decode_eof(from_hex("fe010022")).has_value());
    EXPECT_FALSE(decode_eof(from_hex("fe0100220000")).has_value());
    EXPECT_FALSE(decode_eof(from_hex("0001002200")).has_value());
}

TEST(TrackedSchema, TakesTheLastOneAmongOtherEntries) {
    // SET NAMES and two changes of the schema in one block.
    const Bytes state = from_hex(
        "00 03 01 61 00"
        "01 02 01 61"
        "02 02 01 31"
        "01 03 02 6262"
    );
    EXPECT_EQ(tracked_schema({reinterpret_cast<const char*>(state.data()), state.size()}), "bb");
    EXPECT_EQ(tracked_schema(""), std::nullopt);
    EXPECT_EQ(tracked_schema(std::string_view("\x02\x02\x01\x31", 4)), std::nullopt);
    // Emptied by dropping the current schema.
    EXPECT_EQ(tracked_schema(std::string_view("\x01\x01\x00", 3)), "");
    // Wild lengths: of the block's entry and inside it.
    EXPECT_EQ(tracked_schema(std::string_view("\x01\x09\x01\x61", 4)), std::nullopt);
    EXPECT_EQ(tracked_schema(std::string_view("\x01\x02\x09\x61", 4)), std::nullopt);
}

TEST(EncodeQuery, WritesTheEmptyAttributeBlockOnlyIfAgreed) {
    Bytes out;
    encode_query(out, "do 1", plain);
    EXPECT_EQ(
        to_hex(out),
        "05000000"
        "03"
        "646f2031"
    );
    out.clear();
    encode_query(out, "do 1", {capability::query_attributes, 0});
    EXPECT_EQ(
        to_hex(out),
        "07000000"
        "030001"
        "646f2031"
    );
    out.clear();
    encode_stmt_prepare(out, "do 1");
    encode_stmt_close(out, 0x01020304);
    EXPECT_EQ(
        to_hex(out),
        "05000000"
        "16"
        "646f2031"
        "05000000"
        "19"
        "04030201"
    );
}

TEST(EncodeQuery, SplitsAtTheLimit) {
    for (const std::size_t size : {std::size_t{0xfffffd}, std::size_t{0xfffffe}}) {
        Bytes out;
        encode_query(out, std::string(size, 'x'), plain);
        const std::size_t payload = size + 1;
        const std::size_t frames = payload < 0xffffff ? 1 : 2;
        EXPECT_EQ(out.size(), payload + frames * frame_header_size);
    }
}

}  // namespace
}  // namespace protocol
