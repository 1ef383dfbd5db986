#include "proxy/gate/rebuild_targets.hpp"

namespace proxy {

std::vector<GateMaintenance*> RebuildTargets::now() const {
    if (redis_ == nullptr) return {local_};
    switch (breaker_->view().phase) {
        case BreakerPhase::closed:
            return {redis_};
        case BreakerPhase::rebuilding:
            return {local_, redis_};
        case BreakerPhase::open:
        case BreakerPhase::half_open:
            break;
    }
    return {local_};
}

GateMaintenance& RebuildTargets::serving() const noexcept {
    return redis_ != nullptr && breaker_->allow() ? *redis_ : *local_;
}

}  // namespace proxy
