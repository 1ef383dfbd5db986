#pragma once
// A wake-up between coroutines of one core: `wait` suspends until `notify`. Not a queue and not
// thread-safe; a notify without a waiter is remembered once. One waiter at a time. Waiting costs no
// timer; only wait_for uses one.

#include "proxy/runtime/spawn.hpp"

#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <memory>
#include <optional>

namespace proxy {

class Event {
public:
    explicit Event(const boost::asio::any_io_executor& executor) : executor_(executor) {}
    Event(const Event&) = delete;
    Event& operator=(const Event&) = delete;

    Task<> wait();
    // False when `timeout` passed first.
    Task<bool> wait_for(std::chrono::milliseconds timeout);
    // The waiter goes on from the event loop, not from within this call.
    void notify();

private:
    // A suspended coroutine.
    struct Waiter {
        virtual ~Waiter() = default;
        virtual void resume() = 0;
    };
    template <class Handler>
    struct HeldHandler;
    struct Suspend;

    void wake();

    boost::asio::any_io_executor executor_;
    std::unique_ptr<Waiter> waiter_;
    std::optional<boost::asio::steady_timer> timer_;
    std::shared_ptr<Event*> alive_;
    bool pending_ = false;
};

}  // namespace proxy
