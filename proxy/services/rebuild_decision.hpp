#pragma once
// Which reservations of a bucket are still somebody's, and which are left-overs that a rebuild
// drops. Pure: rebuild.cpp gathers the facts, under the ledger's row lock (there is why that is
// enough).

#include "proxy/gate/gate.hpp"

#include <optional>
#include <vector>

namespace proxy {

struct ReservationFacts {
    GateReservation reservation;
    std::optional<int> status;  // of its committed detail row, if there is one
    bool ours = false;          // reserved by this process
    bool live = false;          // ours, and a session or batch still holds it
    bool owner_known = false;   // another proxy's, and that proxy has its heartbeat row
};

enum class ReservationFate : std::uint8_t {
    keep,       // its deduction may still be booked
    decided,    // its detail row is there: booked (1, 3) or never will be (2)
    left_over,  // ours, but nobody here knows it any more
    orphaned,   // its proxy is dead
};

[[nodiscard]] ReservationFate fate_of(const ReservationFacts& facts) noexcept;

[[nodiscard]] std::vector<RequestId> reservations_to_drop(const std::vector<ReservationFacts>& facts
);

}  // namespace proxy
