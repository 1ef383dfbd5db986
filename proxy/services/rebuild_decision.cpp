#include "proxy/services/rebuild_decision.hpp"

namespace proxy {

ReservationFate fate_of(const ReservationFacts& facts) noexcept {
    if (facts.status) return ReservationFate::decided;
    if (facts.ours) return facts.live ? ReservationFate::keep : ReservationFate::left_over;
    return facts.owner_known ? ReservationFate::keep : ReservationFate::orphaned;
}

std::vector<RequestId> reservations_to_drop(const std::vector<ReservationFacts>& facts) {
    std::vector<RequestId> dropped;
    for (const auto& fact : facts) {
        if (fate_of(fact) != ReservationFate::keep) dropped.push_back(fact.reservation.id);
    }
    return dropped;
}

}  // namespace proxy
