#include "proxy/session/core_context.hpp"

#include "proxy/session/transaction_tracker.hpp"

namespace proxy {
namespace {

void drop_held(CoreContext& core, const std::vector<Reservation>& reservations) {
    for (const auto& reservation : reservations) {
        for (const auto& held : reservation.held) core.held.drop(held.gate_key);
    }
}

}  // namespace

bool PrivilegeCache::allowed(const std::string& key) const {
    const auto found = until_.find(key);
    return found != until_.end() && std::chrono::steady_clock::now() < found->second;
}

void PrivilegeCache::remember(const std::string& key) {
    if (until_.size() >= size_max) until_.clear();
    until_[key] = std::chrono::steady_clock::now() + lifetime;
}

void hold(CoreContext& core, const Reservation& reservation) {
    for (const auto& held : reservation.held) core.held.take(held.gate_key);
}

void conclude(CoreContext& core, TransactionEnds ends) {
    drop_held(core, ends.settled);
    drop_held(core, ends.given_back);
    drop_held(core, ends.unknown);
    for (const auto& reservation : ends.settled) settle(*core.gate, reservation);
    for (const auto& reservation : ends.given_back) {
        give_back(*core.gate, reservation);
        core.metrics->deductions_rolled_back.add();
    }
    if (!ends.unknown.empty()) {
        core.metrics->deductions_judged.add(ends.unknown.size());
        core.judge->submit(std::move(ends.unknown));
    }
}

}  // namespace proxy
