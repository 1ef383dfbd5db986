// Statements of our own on the client's connection: their replies are ours alone, and those of the
// client before and behind them reach it complete and in order.
#include "loopback_link.hpp"

namespace proxy::testing {
namespace {

using Observed = std::vector<std::string>;
namespace status = protocol::status;

class BackendLinkExchange : public LoopbackLink {
protected:
    // All the backend is sent by the exchange, which must come in one piece and no later than
    // everything due was answered.
    void backend_reads(const std::vector<std::string>& statements) {
        std::vector<Bytes> frames;
        for (const auto& sql : statements) frames.push_back(query(sql));
        const auto wanted = joined(frames);
        EXPECT_EQ(backend_got(wanted.size()), wanted);
    }
};

TEST_F(BackendLinkExchange, CollectsItsRepliesAndKeepsThemFromTheClient) {
    start_exchange({"INSERT a", "SELECT b"});
    backend_reads({"INSERT a", "SELECT b"});
    const auto rows = rows_reply({"7", "8"}, status::autocommit | status::in_trans);
    backend_sends(joined({ok_reply(1), rows}));
    run_until_exchanged();
    EXPECT_TRUE(*exchanged_);
    ASSERT_EQ(own_.size(), 2U);
    EXPECT_TRUE(own_[0].ok());
    EXPECT_EQ(own_[0].end.affected_rows, 1U);
    EXPECT_EQ(own_[0].bytes, ok_reply(1));
    EXPECT_EQ(own_[1].bytes, rows);
    EXPECT_EQ(own_[1].end.status, status::autocommit | status::in_trans);
    const auto parsed = own_[1].rows(link_->capabilities());
    ASSERT_EQ(parsed.size(), 2U);
    EXPECT_EQ(parsed[0].at(0), "7");
    EXPECT_EQ(parsed[1].at(0), "8");
    EXPECT_EQ(observed_, Observed{});
    EXPECT_EQ(client_got_in_all(), Bytes{});
    EXPECT_EQ(metrics_.bytes_client_out.value(), 0U);
}

TEST_F(BackendLinkExchange, ItsRepliesMayBeCutAtEveryByte) {
    const auto replies = joined({ok_reply(1), rows_reply({"5"})});
    for (std::size_t cut = 1; cut < replies.size(); ++cut) {
        const auto middle = replies.begin() + static_cast<std::ptrdiff_t>(cut);
        start_exchange({"a", "b"});
        backend_reads({"a", "b"});
        backend_sends(Bytes(replies.begin(), middle));
        run_until_taken();
        ASSERT_FALSE(exchanged_.has_value()) << cut;
        backend_sends(Bytes(middle, replies.end()));
        run_until_exchanged();
        ASSERT_TRUE(*exchanged_) << cut;
        ASSERT_EQ(own_.size(), 2U) << cut;
        ASSERT_EQ(joined({own_[0].bytes, own_[1].bytes}), replies) << cut;
    }
    EXPECT_EQ(client_got_in_all(), Bytes{});
}

TEST_F(BackendLinkExchange, WaitsForTheClientsRepliesThatAreDue) {
    expect_query();
    expect_query();
    start_exchange({"own"});
    const auto first = rows_reply({"client"});
    backend_sends(first);
    client_got(first.size());
    run_until_observed(1);
    // The second reply is still due, so nothing of ours may have been written.
    EXPECT_EQ(backend_.available(), 0U);
    const auto second = ok_reply(2);
    backend_sends(second);
    backend_reads({"own"});
    backend_sends(ok_reply(9));
    run_until_exchanged();
    EXPECT_TRUE(*exchanged_);
    EXPECT_EQ(own_.at(0).end.affected_rows, 9U);
    EXPECT_EQ(observed_, (Observed{"rows", "ok 2"}));
    EXPECT_EQ(client_got_in_all(), joined({first, second}));
}

// Ours, then the client's, then ours in one segment, cut anywhere: each byte finds its owner.
TEST_F(BackendLinkExchange, InterleavesWithClientRepliesInOneSegment) {
    const auto own = rows_reply({"ours"});
    const auto client = rows_reply({"client"});
    const auto all = joined({own, client});
    Bytes expected;
    for (std::size_t cut = 0; cut <= all.size(); ++cut) {
        const auto middle = all.begin() + static_cast<std::ptrdiff_t>(cut);
        const std::size_t ended = observed_.size();
        start_exchange({"own"});
        backend_reads({"own"});
        expect_query();  // the client's next command was written behind ours
        backend_sends(Bytes(all.begin(), middle));
        run_until_taken();
        backend_sends(Bytes(middle, all.end()));
        run_until_exchanged();
        run_until_observed(ended + 1);
        ASSERT_TRUE(*exchanged_) << cut;
        ASSERT_EQ(own_.at(0).bytes, own) << cut;
        expected.insert(expected.end(), client.begin(), client.end());
        ASSERT_EQ(client_got(expected.size()), expected) << cut;
    }
    EXPECT_EQ(client_got_in_all(), expected);
}

TEST_F(BackendLinkExchange, RunsOneAfterTheOther) {
    for (std::uint64_t round = 1; round <= 3; ++round) {
        start_exchange({"own"});
        backend_reads({"own"});
        backend_sends(ok_reply(round));
        run_until_exchanged();
        ASSERT_EQ(own_.size(), 1U);
        EXPECT_EQ(own_[0].end.affected_rows, round);
    }
}

TEST_F(BackendLinkExchange, AnErrAmongItsRepliesIsOneOfThem) {
    start_exchange({"a", "b", "c"});
    backend_reads({"a", "b", "c"});
    backend_sends(joined({ok_reply(1), err_reply(1213, "Deadlock found"), ok_reply(0)}));
    run_until_exchanged();
    EXPECT_TRUE(*exchanged_);
    ASSERT_EQ(own_.size(), 3U);
    EXPECT_TRUE(own_[0].ok());
    EXPECT_FALSE(own_[1].ok());
    EXPECT_TRUE(own_[2].ok());
    const OwnError error = own_[1].error(link_->capabilities());
    EXPECT_EQ(error.code, 1213);
    EXPECT_EQ(error.sql_state, "40001");
    EXPECT_EQ(error.message, "Deadlock found");
    EXPECT_TRUE(own_[1].rows(link_->capabilities()).empty());
    EXPECT_EQ(client_got_in_all(), Bytes{});
}

TEST_F(BackendLinkExchange, TheBackendClosingInTheMiddleLeavesWhatWasAnswered) {
    start_exchange({"INSERT", "UPDATE"});
    backend_reads({"INSERT", "UPDATE"});
    auto answered = joined({ok_reply(1), ok_reply(1)});
    answered.pop_back();
    backend_sends(answered);
    backend_closes();
    run_until_exchanged();
    EXPECT_FALSE(*exchanged_);
    ASSERT_EQ(own_.size(), 1U);
    EXPECT_EQ(own_[0].end.affected_rows, 1U);
    EXPECT_TRUE(link_->closed());
    // Not even half a reply of ours reaches the client.
    EXPECT_EQ(client_got_in_all(), Bytes{});
}

TEST_F(BackendLinkExchange, TheBackendClosingBeforeAnyAnswer) {
    start_exchange({"INSERT", "UPDATE"});
    backend_reads({"INSERT", "UPDATE"});
    backend_closes();
    run_until_exchanged();
    EXPECT_FALSE(*exchanged_);
    EXPECT_TRUE(own_.empty());
}

TEST_F(BackendLinkExchange, TheBackendClosingWhileAClientReplyIsDue) {
    expect_query();
    start_exchange({"own"});
    context_.poll();
    backend_closes();
    run_until_exchanged();
    EXPECT_FALSE(*exchanged_);
    EXPECT_TRUE(own_.empty());
}

TEST_F(BackendLinkExchange, AfterTheEndNothingIsExchanged) {
    backend_closes();
    run_until([this] { return pump_ended_; });
    start_exchange({"own"});
    run_until_exchanged();
    EXPECT_FALSE(*exchanged_);
}

TEST_F(BackendLinkExchange, AReplyOfOursWithoutBoundEndsTheSession) {
    start_exchange({"own"});
    backend_reads({"own"});
    const auto reply = rows_reply(std::vector<std::string>(40, std::string(32 * 1024, 'v')));
    ASSERT_GT(reply.size(), std::size_t{1} << 20);
    boost::asio::socket_base::send_buffer_size room{4 * 1024 * 1024};
    backend_.set_option(room);
    backend_.non_blocking(true);
    std::size_t sent = 0;
    run_until([&] {
        boost::system::error_code error;
        if (sent < reply.size()) {
            const auto rest = boost::asio::buffer(reply.data() + sent, reply.size() - sent);
            sent += backend_.write_some(rest, error);
        }
        return exchanged_.has_value();
    });
    EXPECT_FALSE(*exchanged_);
    EXPECT_TRUE(own_.empty());
    EXPECT_TRUE(link_->closed());
    EXPECT_EQ(client_got_in_all(), Bytes{});
}

TEST_F(BackendLinkExchange, TryPrepareClosesWhatItPrepared) {
    start_try_prepare("UPDATE t SET a=?");
    Bytes prepare = frame(0, "\x16UPDATE t SET a=?");
    EXPECT_EQ(backend_got(prepare.size()), prepare);
    backend_sends(prepare_reply(0x01020304));
    run_until_exchanged();
    EXPECT_TRUE(*exchanged_);
    EXPECT_TRUE(own_.at(0).ok());
    const auto close = frame(0, "\x19\x04\x03\x02\x01");
    EXPECT_EQ(backend_got(close.size()), close);
    EXPECT_EQ(observed_, Observed{});
    EXPECT_EQ(client_got_in_all(), Bytes{});
}

TEST_F(BackendLinkExchange, TryPrepareGivesTheBackendsRefusal) {
    start_try_prepare("UPDATE t SET a=1");
    const std::size_t size = frame(0, "\x16UPDATE t SET a=1").size();
    static_cast<void>(backend_got(size));
    backend_sends(err_reply(1142, "UPDATE command denied"));
    run_until_exchanged();
    EXPECT_TRUE(*exchanged_);
    EXPECT_FALSE(own_.at(0).ok());
    EXPECT_EQ(own_[0].error(link_->capabilities()).code, 1142);
    // Nothing was prepared, so nothing is closed: the next bytes are the next exchange.
    start_exchange({"next"});
    backend_reads({"next"});
    backend_sends(ok_reply(0));
    run_until_exchanged();
    EXPECT_TRUE(*exchanged_);
}

TEST_F(BackendLinkExchange, TryPrepareWithoutABackend) {
    start_try_prepare("UPDATE t SET a=1");
    run_until([this] { return backend_.available() > 0; });
    backend_closes();
    run_until_exchanged();
    EXPECT_FALSE(*exchanged_);
}

}  // namespace
}  // namespace proxy::testing
