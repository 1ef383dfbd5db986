#include "proxy/services/pace.hpp"

namespace proxy {

Task<bool> Pace::rest(std::chrono::milliseconds pause) {
    if (!stopped_) co_await wake_.wait_for(pause);
    co_return !stopped_;
}

void Pace::stop() {
    stopped_ = true;
    wake_.notify();
}

}  // namespace proxy
