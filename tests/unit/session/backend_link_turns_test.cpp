// Replies that stop for the client's turn: LOCAL INFILE and authentication.
#include "loopback_link.hpp"

namespace proxy::testing {
namespace {

using protocol::ReplyShape;
using Observed = std::vector<std::string>;

class BackendLinkTurns : public LoopbackLink {
protected:
    // What wait_client_turn() returns, once it does.
    void start_turn() {
        turn_.reset();
        auto task = run_turn();
        spawn(context_.get_executor(), "turn", std::move(task));
    }
    bool run_until_turn() {
        run_until([this] { return turn_.has_value(); });
        return turn_.value_or(false);
    }

    std::optional<bool> turn_;

private:
    Task<> run_turn() {
        const bool turn = co_await link_->wait_client_turn();
        turn_ = turn;
    }
};

const std::string_view auth_switch{"\xfemysql_native_password\0saltsaltsaltsaltsalt\0", 44};

TEST_F(BackendLinkTurns, InfileStopsForTheFileAndGoesOn) {
    const auto request = infile_reply("/tmp/data.csv");
    expect_query();
    backend_sends(request);
    EXPECT_EQ(client_got(request.size()), request);
    run_until([this] { return link_->wants_infile(); });
    // The reply is not over, and whoever waits for its end still waits.
    EXPECT_FALSE(link_->drained());
    EXPECT_EQ(observed_, Observed{});
    start_exchange({"own"});
    context_.poll();
    EXPECT_EQ(backend_.available(), 0U);

    link_->infile_sent();
    EXPECT_FALSE(link_->wants_infile());
    const auto done = ok_reply(12, protocol::status::autocommit, 4);
    backend_sends(done);
    run_until_observed(1);
    EXPECT_EQ(observed_, Observed{"ok 12"});
    // And what comes behind it is in step again.
    EXPECT_EQ(backend_got(query("own").size()), query("own"));
    backend_sends(ok_reply(0));
    run_until_exchanged();
    EXPECT_TRUE(*exchanged_);
    EXPECT_EQ(client_got_in_all(), joined({request, done}));
}

TEST_F(BackendLinkTurns, InfileMayEndBeforeTheFileIsThrough) {
    const auto request = infile_reply("data.csv");
    const auto failure = err_reply(1148, "not allowed");
    expect_query();
    expect_query();
    backend_sends(joined({request, failure}));
    run_until_observed(1);
    EXPECT_EQ(observed_, Observed{"err 1148"});
    link_->infile_sent();  // the session's own end comes later and does no harm
    const auto next = ok_reply(1);
    backend_sends(next);
    run_until_observed(2);
    EXPECT_EQ(client_got_in_all(), joined({request, failure, next}));
}

TEST_F(BackendLinkTurns, AuthenticationTakesTurns) {
    const auto change_method = frame(2, auth_switch);
    const auto more = frame(
        4,
        "\x01"
        "key please"
    );
    const auto done = ok_reply(0, protocol::status::autocommit, 6);
    expect(ReplyShape::auth, 0);
    start_turn();
    backend_sends(change_method);
    EXPECT_TRUE(run_until_turn());
    EXPECT_EQ(client_got(change_method.size()), change_method);
    EXPECT_FALSE(link_->drained());

    // One turn, one packet: the next wait does not return for the turn that was taken.
    start_turn();
    context_.poll();
    EXPECT_FALSE(turn_.has_value());
    backend_sends(more);
    EXPECT_TRUE(run_until_turn());

    start_turn();
    backend_sends(done);
    EXPECT_FALSE(run_until_turn());
    EXPECT_TRUE(link_->drained());
    EXPECT_EQ(observed_, Observed{"ok 0"});
    EXPECT_EQ(client_got_in_all(), joined({change_method, more, done}));
}

TEST_F(BackendLinkTurns, FastAuthenticationGoesOnByItself) {
    // caching_sha2: "fast auth succeeded", then the OK, without the client in between.
    const auto fast = frame(2, "\x01\x03");
    const auto done = ok_reply(0, protocol::status::autocommit, 3);
    for (const bool together : {true, false}) {
        const std::size_t ended = observed_.size();
        expect(ReplyShape::auth, 17);
        start_turn();
        backend_sends(fast);
        if (!together) run_until_taken();
        EXPECT_FALSE(turn_.has_value());
        backend_sends(done);
        EXPECT_FALSE(run_until_turn());
        EXPECT_EQ(observed_.size(), ended + 1);
    }
    EXPECT_EQ(client_got_in_all(), joined({fast, done, fast, done}));
}

TEST_F(BackendLinkTurns, AuthenticationDenied) {
    const auto denied = err_reply(1045, "Access denied");
    expect(ReplyShape::auth, 0);
    start_turn();
    backend_sends(denied);
    EXPECT_FALSE(run_until_turn());
    EXPECT_EQ(observed_, Observed{"err 1045"});
    EXPECT_EQ(client_got_in_all(), denied);
}

TEST_F(BackendLinkTurns, TheBackendClosingEndsTheWaitForATurn) {
    expect(ReplyShape::auth, 0);
    start_turn();
    context_.poll();
    backend_closes();
    EXPECT_FALSE(run_until_turn());
    EXPECT_TRUE(link_->closed());
    EXPECT_EQ(observed_, Observed{});
}

TEST_F(BackendLinkTurns, CommandsBehindALoginAreInStep) {
    const auto change_method = frame(2, auth_switch);
    const auto done = ok_reply(0, protocol::status::autocommit, 4);
    const auto rows = rows_reply({"1"});
    expect(ReplyShape::auth, 0);
    start_turn();
    backend_sends(change_method);
    EXPECT_TRUE(run_until_turn());
    expect_query();
    backend_sends(joined({done, rows}));
    run_until_observed(2);
    EXPECT_EQ(observed_, (Observed{"ok 0", "rows"}));
    EXPECT_EQ(client_got_in_all(), joined({change_method, done, rows}));
}

}  // namespace
}  // namespace proxy::testing
