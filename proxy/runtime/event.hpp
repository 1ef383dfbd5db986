#pragma once
// A wake-up between coroutines of one core: `wait` suspends until `notify`. Not a queue and not
// thread-safe; a notify without a waiter is remembered once. One waiter at a time.

#include "proxy/runtime/spawn.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace proxy {

class Event {
public:
    explicit Event(const boost::asio::any_io_executor& executor)
        : timer_(executor, boost::asio::steady_timer::time_point::max()) {}

    Task<> wait();
    // False when `timeout` passed first.
    Task<bool> wait_for(std::chrono::milliseconds timeout);
    void notify();

private:
    boost::asio::steady_timer timer_;
    bool pending_ = false;
};

}  // namespace proxy
