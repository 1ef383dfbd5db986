#pragma once
// The rhythm of one background loop: rest between rounds, be woken early, be told to stop. Owned by
// the service whose loop it is; one loop may rest at a time; control context only.

#include "proxy/runtime/event.hpp"

#include <chrono>

namespace proxy {

class Pace {
public:
    explicit Pace(const boost::asio::any_io_executor& executor) : wake_(executor) {}

    // False once stopped: the loop then ends. GCC-12: not in the condition of the loop, where the
    // awaited task is destroyed twice; into a variable.
    Task<bool> rest(std::chrono::milliseconds pause);
    // Ends the current or the next rest at once.
    void hurry() { wake_.notify(); }
    void stop();
    [[nodiscard]] bool stopped() const noexcept { return stopped_; }

private:
    Event wake_;
    bool stopped_ = false;
};

}  // namespace proxy
