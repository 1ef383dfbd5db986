// Every captured reply, cut in every way: the tracker must see its end at its last byte, no earlier
// and no later, whatever the cuts.

#include "captures.hpp"
#include "hex.hpp"
#include "protocol/response_tracker.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>

namespace protocol {

// For readable parameters in failure messages.
void PrintTo(const Capture& capture, std::ostream* out) {
    *out << capture.name;
}

namespace {

Bytes joined(const Capture& capture) {
    Bytes bytes;
    for (const std::string_view frame : capture.frames) {
        const Bytes more = from_hex(frame);
        bytes.insert(bytes.end(), more.begin(), more.end());
    }
    return bytes;
}

// The same packets in frames of at most `payload_max` bytes.
Bytes reframed(const Capture& capture, std::uint32_t payload_max) {
    Bytes bytes;
    std::uint8_t sequence = 1;
    for (const std::string_view frame : capture.frames) {
        const Bytes packet = from_hex(frame);
        sequence = append_frames(
            bytes, sequence, std::span(packet).subspan(frame_header_size), payload_max
        );
    }
    return bytes;
}

void expect_end(const Capture& capture, const ReplyEnd& end) {
    EXPECT_EQ(end.how, capture.how);
    EXPECT_EQ(end.code, capture.code);
    EXPECT_EQ(end.had_rows, capture.had_rows);
    EXPECT_EQ(end.has_status, capture.status != no_status);
    if (capture.status != no_status) {
        EXPECT_EQ(end.status, capture.status);
    }
}

// Bytes of the next reply, which must be left alone, and would break the tracker if they were not.
const Bytes behind = from_hex("ffffffffffffffff");

class CapturedReply : public testing::TestWithParam<Capture> {
protected:
    ResponseTracker started(std::uint32_t payload_max = frame_payload_max) const {
        ResponseTracker tracker(payload_max);
        tracker.set_capabilities(GetParam().caps);
        tracker.expect(GetParam().shape);
        return tracker;
    }

    // Feeds `reply` cut at `cut`, with foreign bytes behind it.
    void feed_in_two(ResponseTracker tracker, const Bytes& reply, std::size_t cut) const {
        SCOPED_TRACE(cut);
        Bytes bytes = reply;
        bytes.insert(bytes.end(), behind.begin(), behind.end());
        const std::span<const std::uint8_t> all(bytes);
        const auto first = tracker.feed(all.first(cut));
        ASSERT_TRUE(first.has_value());
        ASSERT_EQ(first->size, cut);
        ASSERT_FALSE(first->ended);
        ASSERT_FALSE(tracker.idle());
        const auto second = tracker.feed(all.subspan(cut));
        ASSERT_TRUE(second.has_value());
        ASSERT_EQ(second->size, reply.size() - cut);
        ASSERT_TRUE(second->ended);
        expect_end(GetParam(), tracker.end());
    }
};

TEST_P(CapturedReply, EndsAtItsLastByteWhenFedAtOnce) {
    const Bytes reply = joined(GetParam());
    feed_in_two(started(), reply, 0);
    ResponseTracker tracker = started();
    const auto fed = tracker.feed(reply);
    ASSERT_TRUE(fed.has_value());
    EXPECT_EQ(fed->last_sequence, from_hex(GetParam().frames.back())[3]);
}

TEST_P(CapturedReply, EndsAtItsLastByteWhenCutAnywhere) {
    const Bytes reply = joined(GetParam());
    for (std::size_t cut = 0; cut < reply.size(); ++cut) feed_in_two(started(), reply, cut);
}

TEST_P(CapturedReply, EndsAtItsLastByteWhenFedByteByByte) {
    const Bytes reply = joined(GetParam());
    ResponseTracker tracker = started();
    for (std::size_t i = 0; i < reply.size(); ++i) {
        const auto fed = tracker.feed(std::span(reply).subspan(i, 1));
        ASSERT_TRUE(fed.has_value());
        ASSERT_EQ(fed->size, 1U);
        ASSERT_EQ(fed->ended, i + 1 == reply.size());
    }
    expect_end(GetParam(), tracker.end());
}

TEST_P(CapturedReply, EndsTheSameWhenItsPacketsSpanFrames) {
    // Above the longest EOF-like packet, since a full first frame is never one.
    for (const std::uint32_t payload_max : {10U, 11U, 12U, 13U, 16U, 23U, 32U}) {
        SCOPED_TRACE(payload_max);
        const Bytes reply = reframed(GetParam(), payload_max);
        for (std::size_t cut = 0; cut < reply.size(); cut += 7) {
            feed_in_two(started(payload_max), reply, cut);
        }
    }
}

TEST_P(CapturedReply, NeverCrashesWhenAByteIsWrong) {
    const Bytes reply = joined(GetParam());
    for (std::size_t at = 0; at < reply.size(); ++at) {
        for (const int mask : {0x01, 0x80, 0xff}) {
            Bytes broken = reply;
            broken[at] = static_cast<std::uint8_t>(broken[at] ^ mask);
            ResponseTracker tracker = started();
            const auto fed = tracker.feed(broken);
            if (fed) {
                EXPECT_LE(fed->size, broken.size());
            } else {
                EXPECT_FALSE(tracker.feed(broken).has_value());
            }
        }
    }
}

std::string test_name(const testing::TestParamInfo<Capture>& info) {
    std::string name;
    for (const char c : info.param.name) {
        const bool fits = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
        if (fits) {
            name.push_back(c);
        } else if (!name.empty() && name.back() != '_') {
            name.push_back('_');
        }
    }
    return name;
}

INSTANTIATE_TEST_SUITE_P(Mariadb, CapturedReply, testing::ValuesIn(mariadb_captures()), test_name);
INSTANTIATE_TEST_SUITE_P(
    MariadbMore, CapturedReply, testing::ValuesIn(mariadb_more_captures()), test_name
);
INSTANTIATE_TEST_SUITE_P(Mysql, CapturedReply, testing::ValuesIn(mysql_captures()), test_name);
INSTANTIATE_TEST_SUITE_P(
    MysqlMetadata, CapturedReply, testing::ValuesIn(mysql_metadata_captures()), test_name
);

}  // namespace
}  // namespace protocol
