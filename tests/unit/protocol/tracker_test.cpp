// What captures of servers do not show: turns, prefixes, several replies, bytes that no server
// sends.

#include "captures.hpp"
#include "hex.hpp"
#include "protocol/response_tracker.hpp"

#include <gtest/gtest.h>

namespace protocol {
namespace {

constexpr Capabilities tracking{capability::protocol_41 | capability::session_track, 0};

ResponseTracker started(
    ReplyShape shape, Capabilities caps = plain, std::uint32_t payload_max = frame_payload_max
) {
    ResponseTracker tracker(payload_max);
    tracker.set_capabilities(caps);
    tracker.expect(shape);
    return tracker;
}

Bytes packet(std::string_view payload_hex, std::uint8_t sequence = 1) {
    Bytes out;
    append_frames(out, sequence, from_hex(payload_hex));
    return out;
}

Bytes operator+(Bytes left, const Bytes& right) {
    left.insert(left.end(), right.begin(), right.end());
    return left;
}

const Bytes ok = packet("00000002000000");
const Bytes definition = packet("0364656600");

// Feeds a reply that must end at its last byte.
void feed_whole(ResponseTracker& tracker, const Bytes& reply) {
    const auto fed = tracker.feed(reply);
    ASSERT_TRUE(fed.has_value());
    EXPECT_EQ(fed->size, reply.size());
    EXPECT_TRUE(fed->ended);
}

void feed_open(ResponseTracker& tracker, const Bytes& bytes) {
    const auto fed = tracker.feed(bytes);
    ASSERT_TRUE(fed.has_value());
    EXPECT_EQ(fed->size, bytes.size());
    EXPECT_FALSE(fed->ended);
    EXPECT_FALSE(tracker.idle());
}

TEST(Tracker, IsIdleWhereNothingIsAnswered) {
    ResponseTracker tracker;
    EXPECT_TRUE(tracker.idle());
    tracker.expect(ReplyShape::none);
    EXPECT_TRUE(tracker.idle());
    EXPECT_TRUE(tracker.feed({}).has_value());
    EXPECT_EQ(tracker.feed(ok).error(), make_error_code(Errc::malformed));
    // Unsolicited bytes are the caller's to judge: the tracker itself is still good.
    tracker.expect(ReplyShape::ok_or_err);
    feed_whole(tracker, ok);
}

TEST(Tracker, RawTakesEverythingBehindItsFirstPacket) {
    ResponseTracker tracker = started(ReplyShape::raw);
    feed_whole(tracker, packet("000102030405"));
    EXPECT_EQ(tracker.end().how, ReplyEnd::How::stream);
    feed_open(tracker, from_hex("ffffffffffffffff00"));
    feed_open(tracker, ok);
}

TEST(Tracker, ARefusedStreamIsAnOrdinaryError) {
    ResponseTracker tracker = started(ReplyShape::raw);
    feed_whole(tracker, packet("ff1904233432303030 61"));
    EXPECT_EQ(tracker.end().how, ReplyEnd::How::err);
    EXPECT_TRUE(tracker.idle());
    tracker.expect(ReplyShape::ok_or_err);
    feed_whole(tracker, ok);
}

TEST(Tracker, FollowsPipelinedReplies) {
    const Bytes both = packet("00010002000000") + packet("ff1904233432303030 61");
    ResponseTracker tracker = started(ReplyShape::ok_or_err);
    const auto first = tracker.feed(both);
    ASSERT_TRUE(first.has_value());
    ASSERT_TRUE(first->ended);
    EXPECT_EQ(tracker.end().affected_rows, 1U);
    tracker.expect(ReplyShape::ok_or_err);
    const auto second = tracker.feed(std::span(both).subspan(first->size));
    ASSERT_TRUE(second.has_value());
    EXPECT_EQ(first->size + second->size, both.size());
    EXPECT_EQ(tracker.end().how, How::err);
    EXPECT_EQ(tracker.end().code, 1049);
    EXPECT_EQ(tracker.end().message, "a");
    EXPECT_EQ(tracker.end().affected_rows, 0U) << "nothing is left of the reply before";
    EXPECT_FALSE(tracker.end().has_status);
}

TEST(Tracker, GivesTheTurnForAFileAndTakesItBack) {
    const Bytes request = packet("fb2f746d702f61");
    const Bytes done = packet("00 01 00 0200 0000");
    ResponseTracker tracker = started(ReplyShape::result);
    feed_whole(tracker, request);
    EXPECT_EQ(tracker.end().how, How::infile);
    EXPECT_FALSE(tracker.idle());
    tracker.infile_sent();
    feed_whole(tracker, done);
    EXPECT_EQ(tracker.end().how, How::ok);
    EXPECT_EQ(tracker.end().affected_rows, 1U);
    EXPECT_TRUE(tracker.idle());
}

TEST(Tracker, GoesOnBehindAFileAmongSeveralStatements) {
    ResponseTracker tracker = started(ReplyShape::result);
    feed_whole(tracker, packet("fb61"));
    tracker.infile_sent();
    feed_open(tracker, packet("00 01 00 0a00 0000"));
    feed_whole(tracker, packet("fb62"));
    EXPECT_EQ(tracker.end().how, How::infile);
    tracker.infile_sent();
    feed_whole(tracker, packet("ff1904 233432303030 62"));
    EXPECT_EQ(tracker.end().how, How::err);
    EXPECT_EQ(tracker.end().status, 0x0002);
}

TEST(Tracker, BearsABackendThatGivesUpInTheMiddleOfAFile) {
    ResponseTracker tracker = started(ReplyShape::result);
    feed_whole(tracker, packet("fb61"));
    feed_whole(tracker, packet("ff1904 233432303030 62"));
    EXPECT_TRUE(tracker.idle());
    tracker.infile_sent();
    EXPECT_TRUE(tracker.idle());
}

// A cursor that a procedure or a function opens leaves its flag in what the statement sends: the
// status 0x006a below is MariaDB's for CALL, 0x0042 is MySQL's for SELECT with such a function.
TEST(Tracker, GoesOnToTheRowsBehindACursorOfARoutine) {
    const Bytes ending_set = packet("fe 0000 6a00");
    const Bytes call = packet("01") + definition + ending_set + packet("0131") + ending_set;
    for (const ReplyShape shape : {ReplyShape::result, ReplyShape::execute}) {
        ResponseTracker tracker = started(shape);
        feed_open(tracker, call + packet("01") + definition + ending_set);
        feed_whole(tracker, packet("0132") + ending_set + packet("00 00 00 2200 0000"));
        EXPECT_EQ(tracker.end().status, 0x0022);
    }
    const Bytes ending = packet("fe 0000 4200");
    ResponseTracker tracker = started(ReplyShape::result);
    feed_open(tracker, packet("01") + definition + ending);
    feed_whole(tracker, packet("0131") + ending);
}

TEST(Tracker, EndsWhereTheRowsStayInACursor) {
    ResponseTracker tracker = started(ReplyShape::execute);
    feed_whole(tracker, packet("01") + definition + packet("fe 0000 4200"));
    EXPECT_TRUE(tracker.idle());
}

TEST(Tracker, WalksThroughAnAuthentication) {
    struct Turn {
        std::string_view payload;
        How how;
    };
    const Turn turns[] = {
        {"fe6d7900414200", How::auth_continue},  // another plugin
        {"fe", How::auth_continue},              // the one before 4.1
        {"0104", How::auth_continue},            // caching_sha2_password asks for the password
        {"012d2d2d2d", How::auth_continue},      // its public key
        {"02 6d7900 41", How::auth_continue},    // a further factor
        {"04 50617373", How::auth_continue},     // MariaDB's dialog plugin, without a mark
        {"", How::auth_continue},                // a plugin that sends nothing
        {"010300", How::auth_continue},          // begins like fast authentication, is more
        {"0103", How::auth_fast_ok},
        {"00000002000000", How::ok},
    };
    for (const bool announced : {false, true}) {
        ResponseTracker tracker = started(ReplyShape::auth);
        for (const Turn& turn : turns) {
            SCOPED_TRACE(turn.payload);
            feed_whole(tracker, packet(turn.payload));
            EXPECT_EQ(tracker.end().how, turn.how);
            EXPECT_TRUE(tracker.idle());
            if (announced && turn.how != How::ok) tracker.expect(ReplyShape::auth);
        }
        EXPECT_FALSE(tracker.feed(ok).has_value()) << "the authentication is over";
    }
    ResponseTracker refused = started(ReplyShape::auth);
    feed_whole(refused, packet("fe6d7900414200"));
    feed_whole(refused, packet("ff1504 233238303030 6e6f"));
    EXPECT_EQ(refused.end().code, 1045);
}

TEST(Tracker, EndsFastAuthenticationInTheMiddleOfWhatArrived) {
    // Both packets in one read, as MySQL 9.7 sends them.
    const Bytes both = packet("0103", 2) + packet("00000002000000", 3);
    ResponseTracker tracker = started(ReplyShape::auth);
    const auto first = tracker.feed(both);
    ASSERT_TRUE(first.has_value());
    EXPECT_EQ(first->size, 6U);
    EXPECT_EQ(tracker.end().how, How::auth_fast_ok);
    const auto second = tracker.feed(std::span(both).subspan(first->size));
    ASSERT_TRUE(second.has_value());
    EXPECT_EQ(tracker.end().how, How::ok);
    EXPECT_EQ(second->last_sequence, 3);
}

TEST(Tracker, ReportsNumbersAndTexts) {
    ResponseTracker tracker = started(ReplyShape::result, tracking);
    feed_whole(tracker, packet("00 fce803 05 0340 0200 0261 62 07 01 05 04 74657374"));
    const ReplyEnd& end = tracker.end();
    EXPECT_EQ(end.affected_rows, 1000U);
    EXPECT_EQ(end.last_insert_id, 5U);
    EXPECT_EQ(end.warnings, 2);
    EXPECT_EQ(end.message, "ab");
    EXPECT_TRUE(end.schema_changed);
    EXPECT_EQ(end.schema, "test");
    EXPECT_EQ(tracker.packet().size(), 20U);
    tracker.expect(ReplyShape::result);
    feed_whole(tracker, ok);
    EXPECT_FALSE(tracker.end().schema_changed);
    EXPECT_EQ(tracker.end().schema, "");
    EXPECT_EQ(tracker.end().message, "");
}

TEST(Tracker, KeepsASchemaThatAnEarlierResultTold) {
    ResponseTracker tracker = started(ReplyShape::result, tracking);
    feed_open(tracker, packet("00 00 00 0a40 0000 00 07 01 05 04 74657374"));
    feed_whole(tracker, ok);
    EXPECT_TRUE(tracker.end().schema_changed);
    EXPECT_EQ(tracker.end().schema, "test");
}

TEST(Tracker, ReportsPreparedStatements) {
    ResponseTracker tracker = started(ReplyShape::prepare);
    feed_open(tracker, packet("00 04030201 0000 0200 00 0300"));
    feed_open(tracker, definition + definition);
    feed_whole(tracker, packet("fe00000200"));
    EXPECT_EQ(tracker.end().how, How::prepared);
    EXPECT_EQ(tracker.end().statement_id, 0x01020304U);
    EXPECT_EQ(tracker.end().param_count, 2);
    EXPECT_EQ(tracker.end().column_count, 0);
    EXPECT_EQ(tracker.end().warnings, 3);
    EXPECT_FALSE(tracker.end().has_status);
}

TEST(Tracker, BelievesTheEofWhereCountsOverflow) {
    ResponseTracker tracker = started(ReplyShape::prepare);
    feed_open(tracker, packet("00 01000000 0100 0100 00 0000"));
    feed_open(tracker, definition + definition + definition);
    feed_open(tracker, packet("fe00000200"));
    feed_open(tracker, definition + definition);
    feed_whole(tracker, packet("fe00000200"));
}

TEST(Tracker, TakesAnErrAnywhereInAReply) {
    const Bytes err = packet("ff2505 23484b303030 6b");
    const Bytes count = packet("01");
    const Bytes eof = packet("fe00000300");
    const Bytes row = packet("0161");
    const Bytes prefixes[] = {
        {},
        count,
        count + definition,
        count + definition + eof,
        count + definition + eof + row + row};
    for (const Bytes& prefix : prefixes) {
        ResponseTracker tracker = started(ReplyShape::result);
        feed_whole(tracker, prefix + err);
        EXPECT_EQ(tracker.end().how, How::err);
        EXPECT_EQ(tracker.end().code, 1317);
        EXPECT_TRUE(tracker.idle());
    }
    for (const ReplyShape shape :
         {ReplyShape::ok_or_err,
          ReplyShape::text,
          ReplyShape::unknown,
          ReplyShape::prepare,
          ReplyShape::rows,
          ReplyShape::field_list,
          ReplyShape::auth}) {
        ResponseTracker tracker = started(shape);
        feed_whole(tracker, err);
        EXPECT_EQ(tracker.end().how, How::err);
    }
}

TEST(Tracker, TellsAProgressReportFromASignalledError) {
    ResponseTracker tracker = started(ReplyShape::result);
    feed_open(tracker, packet("ffffff 01 01 02 050d00 03 616263"));
    feed_whole(tracker, packet("ffffff 23343530303061"));
    EXPECT_EQ(tracker.end().code, 0xffff);
}

TEST(Tracker, BearsTheEndingThatWasNotAgreed) {
    // Servers with a query cache have sent the form of another session.
    ResponseTracker agreed = started(ReplyShape::result, deprecate_eof);
    feed_open(agreed, packet("01") + definition + packet("0161"));
    feed_whole(agreed, packet("fe01002200"));
    EXPECT_EQ(agreed.end().status, 0x22);
    EXPECT_EQ(agreed.end().warnings, 1);
    ResponseTracker not_agreed = started(ReplyShape::result);
    feed_open(not_agreed, packet("01") + definition + packet("fe00000200") + packet("0161"));
    feed_whole(not_agreed, packet("fe000022000100"));
    EXPECT_EQ(not_agreed.end().status, 0x22);
    EXPECT_EQ(not_agreed.end().warnings, 1);
}

TEST(Tracker, TakesAnEmptyTextForAText) {
    ResponseTracker tracker = started(ReplyShape::text);
    feed_whole(tracker, packet(""));
    EXPECT_EQ(tracker.end().how, How::text);
}

TEST(Tracker, FailsForGoodWhereNoReplyExplainsTheBytes) {
    const Bytes eof = packet("fe00000200");
    struct Row {
        std::string_view what;
        ReplyShape shape;
        Capabilities caps;
        Bytes bytes;
    };
    const Row rows[] = {
        {"empty first packet", ReplyShape::result, plain, packet("")},
        {"empty ok", ReplyShape::ok_or_err, plain, packet("")},
        {"empty row", ReplyShape::rows, plain, packet("")},
        {"empty definition", ReplyShape::result, plain, packet("01") + packet("")},
        {"ok cut", ReplyShape::ok_or_err, plain, packet("000000")},
        {"err cut", ReplyShape::ok_or_err, plain, packet("ff01")},
        {"a row for an ok", ReplyShape::ok_or_err, plain, packet("0161")},
        {"eof cut", ReplyShape::rows, plain, packet("fe0000")},
        {"eof of six", ReplyShape::rows, plain, packet("fe0000020000")},
        {"too many columns", ReplyShape::result, plain, packet("fd000001")},
        {"wild columns", ReplyShape::result, plain, packet("fcff")},
        {"bytes behind the count", ReplyShape::result, plain, packet("0101")},
        {"unknown metadata flag", ReplyShape::result, optional_metadata, packet("0102")},
        {"too many definitions", ReplyShape::result, plain, packet("01") + definition + definition},
        {"eof among definitions", ReplyShape::result, deprecate_eof, packet("01") + eof},
        {"eof among params",
         ReplyShape::prepare,
         deprecate_eof,
         packet("00 01000000 0000 0100 00 0000") + eof},
        {"prepare cut", ReplyShape::prepare, plain, packet("00 01000000 01")},
        {"prepare not ok", ReplyShape::prepare, plain, packet("01 01000000 0000 0000 00 0000")},
        {"auth ok cut", ReplyShape::auth, plain, packet("0000")},
    };
    for (const Row& row : rows) {
        SCOPED_TRACE(row.what);
        ResponseTracker tracker = started(row.shape, row.caps);
        EXPECT_EQ(tracker.feed(row.bytes).error(), make_error_code(Errc::malformed));
        EXPECT_FALSE(tracker.idle());
        EXPECT_EQ(tracker.feed(ok).error(), make_error_code(Errc::malformed));
    }
}

}  // namespace
}  // namespace protocol
