// How the ends of reservations reach the gate, the judge and the list of held buckets.
#include "proxy/session/core_context.hpp"

#include "proxy/session/transaction_tracker.hpp"

#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>

namespace proxy {
namespace {

using Calls = std::vector<std::string>;

std::string name_of(const RequestId& id) {
    return std::to_string(static_cast<int>(id.bytes[15]));
}

std::string name_of(GateTicket ticket) {
    return (ticket.local ? "local" : "redis") + std::to_string(ticket.generation);
}

class RecordingGate final : public Gate {
public:
    Calls calls;

    Task<ReserveReply> reserve(const std::string& key, RequestId, std::int64_t, bool) override {
        calls.push_back("reserve " + key);
        co_return ReserveReply{};
    }
    void settle(const std::string& key, RequestId id, GateTicket ticket) override {
        calls.push_back("settle " + key + ' ' + name_of(id) + ' ' + name_of(ticket));
    }
    void release(const std::string& key, RequestId id, GateTicket ticket) override {
        calls.push_back("release " + key + ' ' + name_of(id) + ' ' + name_of(ticket));
    }
    void credit(const std::string& key, std::int64_t units) override {
        calls.push_back("credit " + key + ' ' + std::to_string(units));
    }
};

Reservation reservation(std::uint8_t number, const std::vector<std::string>& gate_keys) {
    Reservation made;
    made.id.bytes[15] = number;
    made.schema = "shop";
    made.sku_id = "t_stock:1";
    made.bucket = 3;
    made.units = 4;
    std::uint32_t generation = 1;
    for (const auto& gate_key : gate_keys) {
        Reservation::Held held;
        held.gate_key = gate_key;
        held.units = 1;
        held.ticket.local = generation % 2 == 0;
        held.ticket.generation = generation++;
        made.held.push_back(std::move(held));
    }
    return made;
}

// The judge's task is started by `submit` but never runs here: the context is not run.
class CoreContextTest : public testing::Test {
protected:
    CoreContextTest() {
        core_.executor = context_.get_executor();
        core_.gate = &gate_;
        core_.sql = &pool_;
        core_.judge = &judge_;
        core_.metrics = &metrics_;
    }

    boost::asio::io_context context_;
    SqlPool pool_{context_.get_executor(), SqlAccount{}, 1};
    RecordingGate gate_;
    Judge judge_{context_.get_executor(), pool_, gate_};
    SessionMetrics metrics_;
    CoreContext core_;
};

TEST_F(CoreContextTest, SettlesAllThatAReservationHolds) {
    TransactionEnds ends;
    ends.settled.push_back(reservation(1, {"a", "b"}));
    ends.settled.push_back(reservation(2, {"c"}));
    conclude(core_, std::move(ends));
    EXPECT_EQ(gate_.calls, (Calls{"settle a 1 redis1", "settle b 1 local2", "settle c 2 redis1"}));
    EXPECT_EQ(metrics_.deductions_rolled_back.value(), 0U);
    EXPECT_EQ(metrics_.deductions_judged.value(), 0U);
    EXPECT_EQ(judge_.waiting(), 0U);
}

TEST_F(CoreContextTest, ReleasesWhatIsGivenBack) {
    TransactionEnds ends;
    ends.given_back.push_back(reservation(1, {"a", "b"}));
    conclude(core_, std::move(ends));
    EXPECT_EQ(gate_.calls, (Calls{"release a 1 redis1", "release b 1 local2"}));
    EXPECT_EQ(metrics_.deductions_rolled_back.value(), 1U);
}

TEST_F(CoreContextTest, CreditsAReturnOnlyWhenItCommitted) {
    Reservation back = reservation(1, {});
    back.is_return = true;
    TransactionEnds rolled_back;
    rolled_back.given_back.push_back(back);
    conclude(core_, std::move(rolled_back));
    EXPECT_EQ(gate_.calls, Calls{});
    TransactionEnds committed;
    committed.settled.push_back(back);
    conclude(core_, std::move(committed));
    EXPECT_EQ(gate_.calls, Calls{"credit stock:shop.t_stock:1:3 4"});
}

TEST_F(CoreContextTest, LeavesTheUnknownToTheJudge) {
    TransactionEnds ends;
    ends.unknown.push_back(reservation(1, {"a"}));
    ends.unknown.push_back(reservation(2, {"b"}));
    conclude(core_, std::move(ends));
    EXPECT_EQ(gate_.calls, Calls{});
    EXPECT_EQ(judge_.waiting(), 2U);
    EXPECT_EQ(metrics_.deductions_judged.value(), 2U);
    EXPECT_EQ(metrics_.deductions_rolled_back.value(), 0U);
}

TEST_F(CoreContextTest, NothingEndedDoesNothing) {
    conclude(core_, TransactionEnds{});
    EXPECT_EQ(gate_.calls, Calls{});
    EXPECT_EQ(judge_.waiting(), 0U);
}

TEST_F(CoreContextTest, EveryEndFreesTheBuckets) {
    for (const auto of :
         {&TransactionEnds::settled, &TransactionEnds::given_back, &TransactionEnds::unknown}) {
        const auto held = reservation(1, {"a", "b"});
        hold(core_, held);
        EXPECT_TRUE(core_.held.contains("a"));
        EXPECT_TRUE(core_.held.contains("b"));
        TransactionEnds ends;
        (ends.*of).push_back(held);
        conclude(core_, std::move(ends));
        EXPECT_FALSE(core_.held.contains("a"));
        EXPECT_FALSE(core_.held.contains("b"));
    }
}

TEST(HeldBuckets, AreCounted) {
    HeldBuckets held;
    EXPECT_FALSE(held.contains("a"));
    held.take("a");
    held.take("a");
    held.drop("a");
    EXPECT_TRUE(held.contains("a"));
    held.drop("a");
    EXPECT_FALSE(held.contains("a"));
    // Dropping what nobody holds must not wrap around and hold it for ever.
    held.drop("a");
    EXPECT_FALSE(held.contains("a"));
    held.take("a");
    EXPECT_TRUE(held.contains("a"));
    held.drop("a");
    EXPECT_FALSE(held.contains("a"));
}

TEST(PrivilegeCache, KnowsWhatItWasTold) {
    PrivilegeCache cache;
    EXPECT_FALSE(cache.allowed("u\nUPDATE"));
    cache.remember("u\nUPDATE");
    EXPECT_TRUE(cache.allowed("u\nUPDATE"));
    EXPECT_FALSE(cache.allowed("v\nUPDATE"));
}

TEST(PrivilegeCache, IsBounded) {
    PrivilegeCache cache;
    for (std::size_t i = 0; i < PrivilegeCache::size_max; ++i) cache.remember(std::to_string(i));
    EXPECT_TRUE(cache.allowed("0"));
    EXPECT_TRUE(cache.allowed(std::to_string(PrivilegeCache::size_max - 1)));
    // Full: all is asked again rather than that memory grows with what clients send.
    cache.remember("one more");
    EXPECT_TRUE(cache.allowed("one more"));
    EXPECT_FALSE(cache.allowed("0"));
    EXPECT_FALSE(cache.allowed(std::to_string(PrivilegeCache::size_max - 1)));
}

}  // namespace
}  // namespace proxy
