// What the two ends of a reservation tell the gate, for each kind of reservation.
#include "proxy/ledger/judge.hpp"

#include <gtest/gtest.h>

namespace proxy {
namespace {

class RecordingGate final : public Gate {
public:
    std::vector<std::string> calls;

    Task<ReserveReply> reserve(const std::string&, RequestId, std::int64_t, bool) override {
        co_return ReserveReply{};
    }
    void settle(const std::string& key, RequestId id, GateTicket ticket) override {
        calls.push_back("settle " + key + ' ' + text(id, ticket));
    }
    void release(const std::string& key, RequestId id, GateTicket ticket) override {
        calls.push_back("release " + key + ' ' + text(id, ticket));
    }
    void credit(const std::string& key, std::int64_t units) override {
        calls.push_back("credit " + key + ' ' + std::to_string(units));
    }

private:
    static std::string text(RequestId id, GateTicket ticket) {
        return std::to_string(id.bytes[15]) + " generation " + std::to_string(ticket.generation);
    }
};

using Calls = std::vector<std::string>;

Reservation deduction() {
    Reservation reservation;
    reservation.id.bytes[15] = 7;
    reservation.schema = "shop";
    reservation.sku_id = "t_stock:1";
    reservation.bucket = 2;
    reservation.units = 3;
    return reservation;
}

Reservation::Held held(std::string key, std::int64_t units, std::uint32_t generation) {
    Reservation::Held part;
    part.gate_key = std::move(key);
    part.units = units;
    part.ticket.generation = generation;
    return part;
}

TEST(Ends, ADeductionThatGatheredEndsInEveryBucketItHolds) {
    auto reservation = deduction();
    reservation.held.push_back(held("stock:shop.t_stock:1:2", 2, 4));
    reservation.held.push_back(held("stock:shop.t_stock:1:5", 1, 5));
    RecordingGate gate;
    settle(gate, reservation);
    EXPECT_EQ(
        gate.calls,
        (Calls{
            "settle stock:shop.t_stock:1:2 7 generation 4",
            "settle stock:shop.t_stock:1:5 7 generation 5"})
    );
    gate.calls.clear();
    give_back(gate, reservation);
    EXPECT_EQ(
        gate.calls,
        (Calls{
            "release stock:shop.t_stock:1:2 7 generation 4",
            "release stock:shop.t_stock:1:5 7 generation 5"})
    );
}

TEST(Ends, ADeductionThatHoldsNothingTellsNothing) {
    RecordingGate gate;
    settle(gate, deduction());
    give_back(gate, deduction());
    EXPECT_EQ(gate.calls, Calls{});
}

TEST(Ends, AReturnIsCreditedToItsBucketOnlyWhenItWasCommitted) {
    auto reservation = deduction();
    reservation.is_return = true;
    RecordingGate gate;
    give_back(gate, reservation);
    EXPECT_EQ(gate.calls, Calls{});
    settle(gate, reservation);
    EXPECT_EQ(gate.calls, Calls{"credit stock:shop.t_stock:1:2 3"});
}

}  // namespace
}  // namespace proxy
