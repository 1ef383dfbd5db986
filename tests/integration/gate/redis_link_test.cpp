// The link against a server that is killed, stopped, emptied, full and locked.
#include "proxy/gate/redis_link.hpp"

#include "tests/integration/gate/redis_fixture.hpp"

#include <gtest/gtest.h>
#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/spdlog.h>

#include <sstream>

namespace proxy {
namespace {

using namespace std::chrono_literals;
using testing::numbered_id;

const std::string key = "stock:t_stock:1001:0";
const std::vector<RequestId> none;

// Keeps what is logged meanwhile.
class LogCapture {
public:
    LogCapture() : before_(spdlog::default_logger()) {
        auto sink = std::make_shared<spdlog::sinks::ostream_sink_mt>(text_);
        spdlog::set_default_logger(std::make_shared<spdlog::logger>("capture", sink));
    }
    ~LogCapture() { spdlog::set_default_logger(before_); }
    [[nodiscard]] std::string text() const { return text_.str(); }
    [[nodiscard]] std::size_t count(const std::string& part) const {
        const auto all = text();
        std::size_t found = 0;
        for (auto at = all.find(part); at != std::string::npos; at = all.find(part, at + 1))
            ++found;
        return found;
    }

private:
    std::ostringstream text_;
    std::shared_ptr<spdlog::logger> before_;
};

struct Tally {
    int granted = 0;
    int insufficient = 0;
    int not_sent = 0;
    int refused = 0;
    int unknown = 0;
    int other = 0;
    int clients_done = 0;
    [[nodiscard]] int total() const {
        return granted + insufficient + not_sent + refused + unknown + other;
    }
};

void count(Tally& tally, const RemoteReply& reply) {
    switch (reply.end) {
        case CallEnd::not_sent:
            ++tally.not_sent;
            return;
        case CallEnd::refused:
            ++tally.refused;
            return;
        case CallEnd::unknown:
            ++tally.unknown;
            return;
        case CallEnd::answered:
            break;
    }
    if (reply.bucket.code == BucketCode::done) {
        ++tally.granted;
    } else if (reply.bucket.code == BucketCode::insufficient) {
        ++tally.insufficient;
    } else {
        ++tally.other;
    }
}

Task<> client(RedisGate& gate, Tally& tally, std::uint32_t number, int calls) {
    for (int i = 0; i < calls; ++i) {
        const RequestId id = numbered_id(number << 16 | static_cast<std::uint32_t>(i));
        auto call = gate.reserve(key, id, 1, false);
        const RemoteReply reply = co_await std::move(call);
        count(tally, reply);
    }
    ++tally.clients_done;
}

class RedisLinkTest : public testing::RedisFixture {
protected:
    void start_clients(Tally& tally, int clients, int calls) {
        for (int i = 0; i < clients; ++i) {
            auto task = client(*gate_, tally, static_cast<std::uint32_t>(i), calls);
            spawn(context_.get_executor(), "client", std::move(task));
        }
    }
    RedisOptions impatient() const {
        auto short_timeout = options();
        short_timeout.timeout = 100ms;
        return short_timeout;
    }
};

TEST_F(RedisLinkTest, PipelinesTenThousandCalls) {
    constexpr int clients = 64;
    constexpr int calls = 160;
    ASSERT_TRUE(run(gate_->rebuild(key, 10000, none)));
    Tally tally;
    start_clients(tally, clients, calls);
    ASSERT_TRUE(run_until([&] { return tally.clients_done == clients; }));
    EXPECT_EQ(tally.granted, 10000);
    EXPECT_EQ(tally.insufficient, clients * calls - 10000);
    EXPECT_EQ(tally.total(), clients * calls);
    const auto state = read(key);
    EXPECT_EQ(state.left, 0);
    EXPECT_EQ(state.reservations.size(), 10000U);
    EXPECT_EQ(gate_->link().counters().connects.value(), 1U);
    EXPECT_EQ(gate_->link().queue_length(), 0U);
}

TEST_F(RedisLinkTest, CallsMadeWhileConnectingWait) {
    EXPECT_FALSE(gate_->link().is_connected());
    EXPECT_EQ(reserve(key, numbered_id(1)).bucket.code, BucketCode::missing);
}

TEST_F(RedisLinkTest, KilledInTheMiddleEveryCallerGetsAnAnswer) {
    constexpr int clients = 64;
    constexpr int calls = 200;
    ASSERT_TRUE(run(gate_->rebuild(key, 1000000, none)));
    Tally tally;
    start_clients(tally, clients, calls);
    ASSERT_TRUE(run_until([&] { return tally.granted > 1000; }));
    server_.kill();
    ASSERT_TRUE(run_until([&] { return tally.clients_done == clients; }));
    EXPECT_EQ(tally.total(), clients * calls);
    EXPECT_EQ(tally.other, 0);
    EXPECT_GT(tally.not_sent + tally.unknown, 0);
    EXPECT_EQ(gate_->link().queue_length(), 0U);
    EXPECT_FALSE(gate_->link().is_connected());

    // Up again, and empty: buckets are missing, which is not "sold out".
    server_.start();
    wait_connected();
    EXPECT_EQ(reserve(key, numbered_id(1)).bucket.code, BucketCode::missing);
    EXPECT_FALSE(read(key).exists);
    ASSERT_TRUE(run(gate_->rebuild(key, 5, none)));
    EXPECT_EQ(reserve(key, numbered_id(1)).bucket.left, 4);
}

TEST_F(RedisLinkTest, CallsAreRefusedAtOnceWhileItIsDown) {
    wait_connected();
    server_.kill();
    ASSERT_TRUE(run_until([&] { return gate_->link().counters().connect_failures.value() > 0; }));
    const auto refused_before = gate_->link().counters().refused_down.value();
    // Down, or in one of the attempts between: neither may take until the deadline.
    EXPECT_EQ(reserve(key, numbered_id(1)).end, CallEnd::not_sent);
    EXPECT_GE(gate_->link().counters().refused_down.value(), refused_before);
    EXPECT_TRUE(dirty_.marked.empty());
}

TEST_F(RedisLinkTest, StoppedServerMeansUnknownAndLateRepliesStayInOrder) {
    ASSERT_TRUE(run(gate_->rebuild(key, 10, none)));
    connect(impatient());
    wait_connected();
    server_.stop();
    EXPECT_EQ(reserve(key, numbered_id(1), 1).end, CallEnd::unknown);
    EXPECT_EQ(reserve(key, numbered_id(2), 2).end, CallEnd::unknown);
    RemoteReply released;
    gate_->release(key, numbered_id(1), [&](const RemoteReply& reply) { released = reply; });
    ASSERT_TRUE(run_until([&] { return released.end == CallEnd::unknown; }));
    EXPECT_EQ(gate_->link().queue_length(), 3U) << "their places are kept";
    EXPECT_TRUE(dirty_.marked.empty()) << "that is the switch's part";
    server_.resume();
    ASSERT_TRUE(run_until([&] { return gate_->link().counters().late_replies.value() == 3; }));
    EXPECT_EQ(dirty_.marked, (std::vector<std::string>{key, key, key})) << "only now it is over";
    // They had been run, in order, and the next caller gets its own reply.
    RemoteReply next;
    do {
        next = reserve(key, numbered_id(3), 3);  // the same id: may be asked again
    } while (next.end == CallEnd::unknown);
    EXPECT_EQ(next.bucket.left, 5);
    const auto state = read(key);
    EXPECT_EQ(state.left, 5);
    EXPECT_EQ(state.reservations.size(), 2U);
    EXPECT_EQ(gate_->link().counters().connects.value(), 1U);
}

TEST_F(RedisLinkTest, AServerThatOwesForTooLongIsGivenUp) {
    ASSERT_TRUE(run(gate_->rebuild(key, 10, none)));
    auto short_stall = impatient();
    short_stall.stall_timeout = 300ms;
    connect(short_stall);
    wait_connected();
    server_.stop();
    EXPECT_EQ(reserve(key, numbered_id(1)).end, CallEnd::unknown);
    ASSERT_TRUE(run_until([&] { return !gate_->link().is_connected(); }));
    EXPECT_EQ(dirty_.marked, std::vector<std::string>{key}) << "lost with the connection";
    EXPECT_EQ(gate_->link().queue_length(), 0U);
    server_.resume();
    wait_connected();
    EXPECT_EQ(gate_->link().counters().connects.value(), 2U);
}

TEST_F(RedisLinkTest, AFullQueueRefusesAtOnce) {
    auto narrow = options();
    narrow.queue_length_max = 8;
    connect(narrow);
    wait_connected();
    server_.stop();
    Tally tally;
    start_clients(tally, 12, 1);
    ASSERT_TRUE(run_until([&] { return tally.not_sent == 4; }));
    EXPECT_EQ(tally.total(), 4);
    EXPECT_EQ(gate_->link().counters().refused_full.value(), 4U);
    server_.resume();
    ASSERT_TRUE(run_until([&] { return tally.clients_done == 12; }));
    EXPECT_EQ(tally.other, 8) << "answered, though there is no such bucket";
}

TEST_F(RedisLinkTest, FlushedDataIsMissing) {
    ASSERT_TRUE(run(gate_->rebuild(key, 10, none)));
    command({"FLUSHALL"});
    EXPECT_EQ(reserve(key, numbered_id(1)).bucket.code, BucketCode::missing);
    ASSERT_TRUE(run(gate_->rebuild(key, 10, none)));
    EXPECT_EQ(reserve(key, numbered_id(1)).bucket.left, 9);
}

TEST_F(RedisLinkTest, FlushedScriptsAreLoadedAgainUnseen) {
    constexpr int clients = 64;
    ASSERT_TRUE(run(gate_->rebuild(key, 1000000, none)));
    for (int round = 1; round <= 3; ++round) {
        ASSERT_EQ(command({"SCRIPT", "FLUSH"}).reply.value().text(), "OK");
        Tally tally;
        start_clients(tally, clients, 10);
        ASSERT_TRUE(run_until([&] { return tally.clients_done == clients; }));
        EXPECT_EQ(tally.granted, clients * 10);
        EXPECT_EQ(
            gate_->link().counters().script_reloads.value(), static_cast<std::uint64_t>(round)
        );
    }
    EXPECT_EQ(read(key).left, 1000000 - clients * 10) << "the same ids, taken once";
}

TEST_F(RedisLinkTest, FullMemoryIsARefusalThatChangesNothing) {
    ASSERT_TRUE(run(gate_->rebuild(key, 10, none)));
    ASSERT_EQ(reserve(key, numbered_id(1), 4).bucket.left, 6);
    ASSERT_EQ(reserve(key, numbered_id(2), 1).bucket.left, 5);
    const LogCapture log;
    set("maxmemory-policy", "noeviction");
    set("maxmemory", "1");
    for (int i = 0; i < 5; ++i) {
        EXPECT_EQ(reserve(key, numbered_id(3)).end, CallEnd::refused);
    }
    EXPECT_EQ(log.count("class=out_of_memory"), 1U) << log.text();
    EXPECT_EQ(gate_->link().counters().error_replies.value(), 5U);
    EXPECT_FALSE(run(gate_->rebuild("new", 1, none)));
    // Ends free memory, so they work, and a give-back is whole or not at all.
    RemoteReply released;
    gate_->release(key, numbered_id(1), [&](const RemoteReply& reply) { released = reply; });
    RemoteReply settled;
    gate_->settle(key, numbered_id(2), [&](const RemoteReply& reply) { settled = reply; });
    ASSERT_TRUE(run_until([&] { return settled.end == CallEnd::answered; }));
    EXPECT_EQ(released.end, CallEnd::answered);
    const auto state = read(key);
    EXPECT_EQ(state.left, 9);
    EXPECT_TRUE(state.reservations.empty());
    set("maxmemory", "0");
    EXPECT_EQ(reserve(key, numbered_id(3)).bucket.left, 8);
}

TEST_F(RedisLinkTest, AReplicaRefuses) {
    ASSERT_TRUE(run(gate_->rebuild(key, 10, none)));
    const LogCapture log;
    const auto nobody = std::to_string(testing::free_port());
    ASSERT_EQ(command({"REPLICAOF", "127.0.0.1", nobody}).reply.value().text(), "OK");
    EXPECT_EQ(reserve(key, numbered_id(1)).end, CallEnd::refused);
    EXPECT_FALSE(run(gate_->rebuild(key, 9, none)));
    EXPECT_EQ(log.count("class=readonly"), 1U) << log.text();
    ASSERT_EQ(command({"REPLICAOF", "NO", "ONE"}).reply.value().text(), "OK");
    EXPECT_EQ(reserve(key, numbered_id(1)).bucket.left, 9);
}

TEST_F(RedisLinkTest, StopEndsEveryCall) {
    wait_connected();
    server_.stop();
    Tally tally;
    start_clients(tally, 10, 1);
    ASSERT_TRUE(run_until([&] { return gate_->link().queue_length() == 10; }));
    ASSERT_TRUE(run_until([&] { return gate_->link().counters().queue_length.value() == 10; }));
    gate_->stop();
    ASSERT_TRUE(run_until([&] { return tally.clients_done == 10; }));
    EXPECT_EQ(tally.unknown + tally.not_sent, 10);
    EXPECT_EQ(reserve(key, numbered_id(1)).end, CallEnd::not_sent);
    server_.resume();
}

TEST_F(RedisLinkTest, MayBeDestroyedWithCallsUnderWay) {
    wait_connected();
    server_.stop();
    Tally tally;
    start_clients(tally, 10, 1);
    ASSERT_TRUE(run_until([&] { return gate_->link().queue_length() == 10; }));
    gate_.reset();
    ASSERT_TRUE(run_until([&] { return tally.clients_done == 10; }));
    server_.resume();
}

TEST_F(RedisLinkTest, PingAndRemove) {
    EXPECT_TRUE(run(gate_->ping()));
    ASSERT_TRUE(run(gate_->rebuild(key, 10, none)));
    EXPECT_TRUE(run(gate_->remove(key)));
    EXPECT_FALSE(read(key).exists);
    server_.kill();
    ASSERT_TRUE(run_until([&] { return !gate_->link().is_connected(); }));
    EXPECT_FALSE(run(gate_->ping()));
    BucketState state;
    EXPECT_FALSE(run(gate_->read(key, state)));
    EXPECT_FALSE(run(gate_->rebuild(key, 1, none)));
    EXPECT_FALSE(run(gate_->remove(key)));
}

class RedisPasswordTest : public testing::RedisFixture {
protected:
    RedisPasswordTest() : RedisFixture({"--requirepass", "right"}) {}
    void connect_with(const std::string& username, const std::string& password) {
        auto with = options();
        with.username = username;
        with.password = config::Secret(password);
        connect(with);
    }
};

TEST_F(RedisPasswordTest, RightOneConnects) {
    connect_with("", "right");
    EXPECT_TRUE(run(gate_->ping()));
    connect_with("default", "right");
    EXPECT_TRUE(run(gate_->ping()));
}

TEST_F(RedisPasswordTest, WrongOneIsAClearErrorWithoutTheSecret) {
    const LogCapture log;
    connect_with("", "wrong-secret-word");
    ASSERT_TRUE(run_until([&] { return gate_->link().counters().connect_failures.value() >= 3; }));
    EXPECT_EQ(reserve(key, numbered_id(1)).end, CallEnd::not_sent);
    EXPECT_NE(log.text().find("gate.redis.username and password"), std::string::npos) << log.text();
    EXPECT_EQ(log.text().find("wrong-secret-word"), std::string::npos) << log.text();
    EXPECT_LE(log.count("AUTH was refused"), 1U) << "not once per attempt";
}

TEST_F(RedisPasswordTest, NoneAtAllIsAClearError) {
    const LogCapture log;
    connect(options());
    ASSERT_TRUE(run_until([&] { return gate_->link().counters().connect_failures.value() >= 1; }));
    EXPECT_NE(log.text().find("class=authentication"), std::string::npos) << log.text();
}

class RedisDatabaseTest : public testing::RedisFixture {};

TEST_F(RedisDatabaseTest, IsSelectedAndChecked) {
    auto other = options();
    other.database = 3;
    connect(other);
    ASSERT_TRUE(run(gate_->rebuild(key, 10, none)));
    EXPECT_EQ(command({"EXISTS", key}).reply.value().integer(), 0) << "the control link uses 0";
    EXPECT_TRUE(read(key).exists);
    const LogCapture log;
    other.database = 99;
    connect(other);
    ASSERT_TRUE(run_until([&] { return gate_->link().counters().connect_failures.value() >= 1; }));
    EXPECT_NE(log.text().find("gate.redis.database"), std::string::npos) << log.text();
}

TEST_F(RedisDatabaseTest, NamesAreResolvedAndAnEvictingPolicyIsWarnedOf) {
    set("maxmemory-policy", "allkeys-lru");
    const LogCapture log;
    auto named = options();
    named.host = "localhost";
    named.check_policy = true;
    connect(named);
    EXPECT_TRUE(run(gate_->ping()));
    EXPECT_NE(log.text().find("allkeys-lru"), std::string::npos) << log.text();
}

}  // namespace
}  // namespace proxy
