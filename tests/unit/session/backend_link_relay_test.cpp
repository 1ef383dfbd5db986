// Client replies through the link: byte by byte the same, in order, whatever way they are cut.
#include "loopback_link.hpp"

namespace proxy::testing {
namespace {

using protocol::ReplyShape;
using Observed = std::vector<std::string>;

class BackendLinkRelay : public LoopbackLink {};

TEST_F(BackendLinkRelay, PassesOkErrAndRowsUnchanged) {
    const auto replies =
        joined({ok_reply(3), err_reply(1064, "no"), rows_reply({"one", "", "three"})});
    for (int i = 0; i < 3; ++i) expect_query();
    EXPECT_FALSE(link_->drained());
    backend_sends(replies);
    run_until_observed(3);
    EXPECT_EQ(observed_, (Observed{"ok 3", "err 1064", "rows"}));
    EXPECT_TRUE(link_->drained());
    EXPECT_EQ(client_got_in_all(), replies);
    EXPECT_EQ(metrics_.bytes_client_out.value(), replies.size());
}

TEST_F(BackendLinkRelay, PassesAReplyCutAtEveryByte) {
    const auto reply = joined({rows_reply({"one", "two"})});
    Bytes sent;
    for (std::size_t cut = 0; cut <= reply.size(); ++cut) {
        const auto middle = reply.begin() + static_cast<std::ptrdiff_t>(cut);
        const std::size_t ended = observed_.size();
        expect_query();
        backend_sends(Bytes(reply.begin(), middle));
        // Nothing is kept back: what has come is with the client before the rest is sent.
        client_got(sent.size() + cut);
        EXPECT_EQ(observed_.size(), cut == reply.size() ? ended + 1 : ended) << cut;
        EXPECT_EQ(link_->drained(), cut == reply.size()) << cut;
        backend_sends(Bytes(middle, reply.end()));
        run_until_observed(ended + 1);
        sent.insert(sent.end(), reply.begin(), reply.end());
        ASSERT_EQ(client_got(sent.size()), sent) << cut;
    }
    EXPECT_EQ(client_got_in_all(), sent);
}

TEST_F(BackendLinkRelay, PassesAReplyInSingleBytes) {
    const auto reply = joined({rows_reply({"one"}), ok_reply(1)});
    expect_query();
    expect_query();
    for (std::size_t i = 0; i < reply.size(); ++i) {
        backend_sends(Bytes(1, reply[i]));
        client_got(i + 1);
    }
    EXPECT_EQ(observed_, (Observed{"rows", "ok 1"}));
    EXPECT_EQ(client_got_in_all(), reply);
}

TEST_F(BackendLinkRelay, TellsOfAReplyBeforeItsLastBytesArePassedOn) {
    // A client that acts on the reply at once must find the session's state already changed.
    expect_query();
    const auto reply = ok_reply(1);
    backend_sends(reply);
    bool seen_first = false;
    run_until([&] {
        if (!seen_first && !observed_.empty()) seen_first = true;
        const bool arrived = client_.available() > 0;
        EXPECT_TRUE(!arrived || seen_first);
        return arrived;
    });
    EXPECT_EQ(observed_, Observed{"ok 1"});
}

TEST_F(BackendLinkRelay, AnswersPipelinedCommandsInTheirOrderAndShape) {
    expect(ReplyShape::result, 3);
    expect(ReplyShape::ok_or_err, 14);
    expect(ReplyShape::none, 25);  // COM_STMT_CLOSE is never answered
    expect(ReplyShape::prepare, 22);
    expect(ReplyShape::text, 9);
    expect(ReplyShape::result, 3);
    const auto replies = joined(
        {rows_reply({"x"}),
         ok_reply(0),
         prepare_reply(77),
         frame(1, "Uptime: 5"),
         err_reply(1146, "no such table")}
    );
    backend_sends(replies);
    run_until_observed(5);
    EXPECT_EQ(observed_, (Observed{"rows", "ok 0", "prepared 77", "text", "err 1146"}));
    EXPECT_EQ(client_got_in_all(), replies);
}

TEST_F(BackendLinkRelay, PassesSeveralResultsAsOneReply) {
    constexpr std::uint16_t more = protocol::status::autocommit | protocol::status::more_results;
    const auto reply = joined({rows_reply({"1"}, more), ok_reply(2, more), ok_reply(5)});
    expect_query();
    backend_sends(reply);
    run_until_observed(1);
    EXPECT_EQ(client_got_in_all(), reply);
}

TEST_F(BackendLinkRelay, PassesALongRowWithoutHoldingIt) {
    // Far more than all the buffers between the two ends: the client reads while it comes.
    const std::string value(300'000, 'v');
    const auto reply = rows_reply(std::vector<std::string>(20, value));
    expect_query();
    std::size_t sent = 0;
    constexpr std::size_t step = 32 * 1024;
    while (sent < reply.size()) {
        const std::size_t size = std::min(step, reply.size() - sent);
        const auto begin = reply.begin() + static_cast<std::ptrdiff_t>(sent);
        backend_sends(Bytes(begin, begin + static_cast<std::ptrdiff_t>(size)));
        sent += size;
        client_got(sent);
    }
    run_until_observed(1);
    EXPECT_EQ(client_got_in_all(), reply);
}

TEST_F(BackendLinkRelay, PassesWhatTheBackendSaysUnaskedAndClosesWithIt) {
    // MySQL tells an idle client why it is about to close (timeout, shutdown).
    const auto farewell = err_reply(4031, "disconnected by the server because of inactivity");
    backend_sends(farewell);
    backend_closes();
    EXPECT_EQ(client_got_in_all(), farewell);
    EXPECT_EQ(observed_, Observed{});
    EXPECT_TRUE(link_->closed());
    EXPECT_EQ(metrics_.protocol_errors_backend.value(), 0U);
}

TEST_F(BackendLinkRelay, PassesWhatComesUnaskedBehindAReply) {
    const auto all = joined({ok_reply(1), err_reply(1053, "shutdown")});
    expect_query();
    backend_sends(all);
    backend_closes();
    EXPECT_EQ(client_got_in_all(), all);
    EXPECT_EQ(observed_, Observed{"ok 1"});
}

TEST_F(BackendLinkRelay, FlushesTheBeginningOfAReplyThatNeverEnds) {
    const auto reply = rows_reply({"one", "two"});
    const Bytes beginning(reply.begin(), reply.end() - 3);
    expect_query();
    backend_sends(beginning);
    backend_closes();
    EXPECT_EQ(client_got_in_all(), beginning);
    EXPECT_EQ(observed_, Observed{});
    EXPECT_FALSE(link_->drained());
}

TEST_F(BackendLinkRelay, EndsTheSessionWhenAReplyMakesNoSense) {
    expect(ReplyShape::ok_or_err, 14);
    backend_sends(frame(1, "\x07nonsense"));
    run_until([this] { return pump_ended_; });
    EXPECT_TRUE(link_->closed());
    EXPECT_EQ(metrics_.protocol_errors_backend.value(), 1U);
    EXPECT_EQ(client_got_in_all(), Bytes{});
}

TEST_F(BackendLinkRelay, PassesAnythingOnceAStreamBegan) {
    expect(ReplyShape::raw, 18);
    const auto stream =
        joined({frame(1, std::string_view{"\0event", 6}), frame(200, "\x07 no reply"), Bytes{1, 2}}
        );
    backend_sends(stream);
    EXPECT_EQ(client_got_in_all(), stream);
    EXPECT_TRUE(link_->is_raw());
    EXPECT_TRUE(link_->drained());
    EXPECT_EQ(metrics_.protocol_errors_backend.value(), 0U);
}

TEST_F(BackendLinkRelay, ARefusedStreamLeavesTheSessionInCommands) {
    expect(ReplyShape::raw, 18);
    const auto refusal = frame(1, std::string_view{"\xff\x19\x04#42000no", 11});
    backend_sends(refusal);
    EXPECT_EQ(client_got(refusal.size()), refusal);
    run_until_observed(1);
    EXPECT_FALSE(link_->is_raw());
    expect_query();
    EXPECT_FALSE(link_->drained());
}

}  // namespace
}  // namespace proxy::testing
