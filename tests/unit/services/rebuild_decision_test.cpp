#include "proxy/services/rebuild_decision.hpp"

#include <gtest/gtest.h>

namespace proxy {
namespace {

ReservationFacts facts(std::optional<int> status, bool ours, bool live, bool owner_known) {
    ReservationFacts facts;
    facts.status = status;
    facts.ours = ours;
    facts.live = live;
    facts.owner_known = owner_known;
    return facts;
}

struct Case {
    const char* name;
    ReservationFacts facts;
    ReservationFate fate;
};

TEST(RebuildDecision, Fates) {
    const std::vector<Case> cases{
        {"ours, held", facts({}, true, true, false), ReservationFate::keep},
        {"ours, held, our heartbeat known", facts({}, true, true, true), ReservationFate::keep},
        {"ours, not held", facts({}, true, false, true), ReservationFate::left_over},
        {"another's, alive", facts({}, false, false, true), ReservationFate::keep},
        {"another's, dead", facts({}, false, false, false), ReservationFate::orphaned},
        // A detail row decides, whoever holds what: the remainder has it already.
        {"booked and still held", facts(1, true, true, true), ReservationFate::decided},
        {"booked by another", facts(1, false, false, true), ReservationFate::decided},
        {"booked by a dead one", facts(1, false, false, false), ReservationFate::decided},
        {"cancelled and still held", facts(2, true, true, true), ReservationFate::decided},
        {"returned", facts(3, false, false, true), ReservationFate::decided},
    };
    for (const auto& one : cases) EXPECT_EQ(fate_of(one.facts), one.fate) << one.name;
}

TEST(RebuildDecision, DropsAllButTheKept) {
    std::vector<ReservationFacts> all;
    for (std::uint8_t i = 0; i < 4; ++i) {
        auto one = facts({}, true, i % 2 == 0, true);
        one.reservation.id.bytes[0] = i;
        all.push_back(one);
    }
    const auto dropped = reservations_to_drop(all);
    ASSERT_EQ(dropped.size(), 2U);
    EXPECT_EQ(dropped[0], all[1].reservation.id);
    EXPECT_EQ(dropped[1], all[3].reservation.id);
}

}  // namespace
}  // namespace proxy
