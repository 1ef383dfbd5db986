// Packets over one frame, long OK packets, and what the tracker costs.

#include "allocation_count.hpp"
#include "captures.hpp"
#include "hex.hpp"
#include "protocol/response_tracker.hpp"

#include <gtest/gtest.h>

namespace protocol {
namespace {

constexpr std::uint32_t small_max = 16;
constexpr Capabilities tracking{capability::protocol_41 | capability::session_track, 0};

void append(Bytes& out, const Bytes& payload, std::uint32_t payload_max = frame_payload_max) {
    append_frames(out, 1, payload, payload_max);
}

ResponseTracker started(
    ReplyShape shape, Capabilities caps, std::uint32_t payload_max = frame_payload_max
) {
    ResponseTracker tracker(payload_max);
    tracker.set_capabilities(caps);
    tracker.expect(shape);
    return tracker;
}

// Feeds `reply` at every cut; it must end at its last byte.
void expect_whole_at_every_cut(
    const Bytes& reply, ReplyShape shape, Capabilities caps, std::uint32_t payload_max
) {
    for (std::size_t cut = 0; cut < reply.size(); ++cut) {
        ResponseTracker tracker = started(shape, caps, payload_max);
        const auto first = tracker.feed(std::span(reply).first(cut));
        ASSERT_TRUE(first.has_value()) << cut;
        ASSERT_FALSE(first->ended) << cut;
        const auto second = tracker.feed(std::span(reply).subspan(cut));
        ASSERT_TRUE(second.has_value()) << cut;
        ASSERT_TRUE(second->ended) << cut;
        ASSERT_EQ(second->size, reply.size() - cut) << cut;
    }
}

Bytes filled(std::uint8_t first, std::size_t size) {
    Bytes payload(size, 0xfe);
    payload[0] = first;
    return payload;
}

TEST(TrackerSizes, RowsAroundTheFrameLimit) {
    for (const Capabilities caps : {plain, deprecate_eof}) {
        for (const std::size_t size : {1U, 15U, 16U, 17U, 31U, 32U, 33U, 48U}) {
            Bytes reply;
            append(reply, filled(0x20, size), small_max);
            append(reply, filled(0x20, size), small_max);
            append(
                reply,
                caps.has(capability::deprecate_eof) ? from_hex("fe000002000000")
                                                    : from_hex("fe00000200")
            );
            expect_whole_at_every_cut(reply, ReplyShape::rows, caps, small_max);
        }
    }
}

TEST(TrackerSizes, DefinitionsAroundTheFrameLimit) {
    for (const std::size_t size : {15U, 16U, 17U, 32U, 33U}) {
        Bytes reply;
        append(reply, from_hex("02"));
        append(reply, filled(0x03, size), small_max);
        append(reply, filled(0x03, size), small_max);
        append(reply, from_hex("fe00000200"));
        append(reply, filled(0x01, size), small_max);
        append(reply, from_hex("fe00000200"));
        expect_whole_at_every_cut(reply, ReplyShape::result, plain, small_max);
    }
}

TEST(TrackerSizes, ARowWithAHugeFirstValueIsNoEnd) {
    // Agreed: only a full first frame that begins with 0xfe is a row.
    for (const std::size_t size : {small_max, small_max + 1, 2 * small_max}) {
        Bytes reply;
        append(reply, filled(0xfe, size), small_max);
        append(reply, from_hex("fe000002000000"));
        expect_whole_at_every_cut(reply, ReplyShape::rows, deprecate_eof, small_max);
    }
    // Not agreed: nine bytes are enough.
    for (const std::size_t size : {std::size_t{9}, std::size_t{15}, std::size_t{16}}) {
        Bytes reply;
        append(reply, filled(0xfe, size), small_max);
        append(reply, from_hex("fe00000200"));
        expect_whole_at_every_cut(reply, ReplyShape::rows, plain, small_max);
    }
}

TEST(TrackerSizes, ARowOfSixteenMegabytesAndMore) {
    struct Row {
        std::uint8_t first;
        std::size_t size;
        Capabilities caps;
    };
    const Row rows[] = {
        {0xfd, 0xfffffb, deprecate_eof},
        {0xfe, 0xfffffe, plain},  // with the flag it would be an OK and not a row
        {0xfe, 0xffffff, deprecate_eof},
        {0xfe, 0x1000000, deprecate_eof},
    };
    for (const Row& row : rows) {
        Bytes reply;
        append(reply, filled(row.first, row.size));
        append(reply, row.caps == plain ? from_hex("fe00000200") : from_hex("fe000002000000"));
        ResponseTracker tracker = started(ReplyShape::rows, row.caps);
        constexpr std::size_t piece = 65536;
        for (std::size_t at = 0; at < reply.size(); at += piece) {
            const auto bytes = std::span(reply).subspan(at, std::min(piece, reply.size() - at));
            const auto fed = tracker.feed(bytes);
            ASSERT_TRUE(fed.has_value());
            ASSERT_EQ(fed->size, bytes.size());
            ASSERT_EQ(fed->ended, at + piece >= reply.size());
            ASSERT_LE(tracker.packet().size(), ResponseTracker::prefix_max);
        }
    }
}

// OK with `block_size` bytes of variables in front of the schema.
Bytes long_ok(std::size_t block_size) {
    Bytes payload = from_hex("00 05 00 0240 0100 00");
    Bytes block = {0x00};  // a system variable
    const auto size = static_cast<std::uint16_t>(block_size);
    block.insert(
        block.end(),
        {0xfc, static_cast<std::uint8_t>(size & 0xff), static_cast<std::uint8_t>(size >> 8)}
    );
    block.resize(block.size() + block_size, 'v');
    const Bytes schema = from_hex("01 05 04 74657374");
    block.insert(block.end(), schema.begin(), schema.end());
    payload.insert(
        payload.end(),
        {0xfd,
         static_cast<std::uint8_t>(block.size() & 0xff),
         static_cast<std::uint8_t>(block.size() >> 8 & 0xff),
         static_cast<std::uint8_t>(block.size() >> 16)}
    );
    payload.insert(payload.end(), block.begin(), block.end());
    return payload;
}

TEST(TrackerSizes, FindsTheSchemaInALongOk) {
    struct Row {
        std::size_t block_size;
        bool found;
    };
    for (const Row row : {Row{100, true}, Row{2000, true}, Row{60000, true}, Row{65535, false}}) {
        Bytes reply;
        append(reply, long_ok(row.block_size));
        ResponseTracker tracker = started(ReplyShape::result, tracking);
        const auto fed = tracker.feed(reply);
        ASSERT_TRUE(fed.has_value());
        EXPECT_TRUE(fed->ended);
        EXPECT_EQ(tracker.end().affected_rows, 5U);
        EXPECT_EQ(tracker.end().status, 0x4002);
        EXPECT_EQ(tracker.end().schema_changed, row.found) << row.block_size;
        EXPECT_LE(tracker.packet().size(), ResponseTracker::ok_prefix_max);
    }
}

TEST(TrackerSizes, HoldsLittleWithoutSessionTracking) {
    Bytes payload = from_hex("00 05 00 0200 0000");
    payload.resize(70000, 'i');
    Bytes reply;
    append(reply, payload);
    ResponseTracker tracker = started(ReplyShape::result, plain);
    ASSERT_TRUE(tracker.feed(reply).has_value());
    EXPECT_EQ(tracker.end().affected_rows, 5U);
    EXPECT_EQ(tracker.packet().size(), ResponseTracker::prefix_max);
    EXPECT_EQ(tracker.end().message.size(), message_size_max);
}

TEST(TrackerSizes, AllocatesNothingInTheSteadyState) {
    Bytes reply;
    append(reply, from_hex("01"));
    append(reply, filled(0x03, 40));
    append(reply, from_hex("fe00000200"));
    for (int i = 0; i < 1000; ++i) append(reply, filled(0x20, 33));
    append(reply, from_hex("fe00000200"));
    Bytes update;
    append(
        update,
        from_hex("00010003000000 28 526f7773206d6174636865643a203120204368616e6765643a20"
                 "3120205761726e696e67733a2030")
    );
    ResponseTracker tracker;
    tracker.set_capabilities(plain);
    const auto run = [&](const Bytes& bytes, std::size_t piece) {
        tracker.expect(ReplyShape::result);
        bool ended = false;
        for (std::size_t at = 0; at < bytes.size(); at += piece) {
            const auto fed =
                tracker.feed(std::span(bytes).subspan(at, std::min(piece, bytes.size() - at)));
            ended = fed.has_value() && fed->ended;
        }
        return ended;
    };
    ASSERT_TRUE(run(reply, reply.size()));
    ASSERT_TRUE(run(update, 7));
    const std::size_t before = allocation_count();
    bool all_ended = true;
    for (int i = 0; i < 100; ++i) {
        all_ended =
            run(reply, 97) && run(reply, reply.size()) && run(update, update.size()) && all_ended;
    }
    EXPECT_EQ(allocation_count(), before);
    EXPECT_TRUE(all_ended);
}

TEST(TrackerSizes, TellsTheSequenceOfTheLastRow) {
    Bytes rows;
    const std::uint8_t next = append_frames(rows, 250, from_hex("0161"));
    append_frames(rows, next, from_hex("0162"));
    ResponseTracker tracker = started(ReplyShape::rows, plain);
    const auto fed = tracker.feed(rows);
    ASSERT_TRUE(fed.has_value());
    EXPECT_EQ(fed->last_sequence, 251);
}

TEST(TrackerSizes, HoldsNoRows) {
    ResponseTracker tracker = started(ReplyShape::rows, plain);
    Bytes row;
    append(row, filled(0x20, 500));
    ASSERT_TRUE(tracker.feed(row).has_value());
    EXPECT_TRUE(tracker.packet().empty());
    ASSERT_TRUE(tracker.feed(std::span(row).first(300)).has_value());
    EXPECT_TRUE(tracker.packet().empty());
}

TEST(TrackerSizes, AllocatesNothingOnTheWordOfALength) {
    const Bytes header = from_hex("fffffe01 00");
    ResponseTracker tracker = started(ReplyShape::result, tracking);
    const std::size_t before = allocation_count();
    ASSERT_TRUE(tracker.feed(header).has_value());
    // One byte is held, and the first growth of the buffer is all.
    EXPECT_LE(allocation_count(), before + 1);
    EXPECT_EQ(tracker.packet().size(), 1U);
}

}  // namespace
}  // namespace protocol
