#include "proxy/runtime/event.hpp"

#include <boost/asio/deferred.hpp>
#include <boost/asio/execution/outstanding_work.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/prefer.hpp>

#include <cassert>
#include <utility>

namespace proxy {
namespace asio = boost::asio;

template <class Handler>
struct Event::HeldHandler final : Waiter {
    HeldHandler(const asio::any_io_executor& executor, Handler held)
        : work(asio::prefer(executor, asio::execution::outstanding_work.tracked)),
          handler(std::move(held)) {}
    void resume() override { asio::post(work, std::move(handler)); }

    asio::any_io_executor work;  // the loop does not end while somebody waits
    Handler handler;
};

struct Event::Suspend {
    explicit Suspend(Event& owner) : event(&owner) {}
    template <class Handler>
    void operator()(Handler handler) const {
        assert(!event->waiter_);
        event->waiter_ =
            std::make_unique<HeldHandler<Handler>>(event->executor_, std::move(handler));
    }
    Event* event;
};

Task<> Event::wait() {
    while (!pending_) {
        Suspend suspend{*this};
        co_await asio::async_initiate<const asio::deferred_t&, void()>(suspend, asio::deferred);
    }
    pending_ = false;
}

Task<bool> Event::wait_for(std::chrono::milliseconds timeout) {
    const auto deadline = std::chrono::steady_clock::now() + timeout;
    if (!timer_) {
        timer_.emplace(executor_);
        alive_ = std::make_shared<Event*>(this);
    }
    timer_->expires_at(deadline);
    // The timer may have fired, and this object ended, before the handler runs.
    timer_->async_wait([alive = std::weak_ptr<Event*>{alive_}](const auto& cancelled) {
        const auto event = alive.lock();
        if (!cancelled && event) (*event)->wake();
    });
    while (!pending_ && std::chrono::steady_clock::now() < deadline) {
        Suspend suspend{*this};
        co_await asio::async_initiate<const asio::deferred_t&, void()>(suspend, asio::deferred);
    }
    timer_->cancel();
    co_return std::exchange(pending_, false);
}

void Event::notify() {
    pending_ = true;
    wake();
}

void Event::wake() {
    if (!waiter_) return;
    const auto waiter = std::move(waiter_);
    waiter->resume();
}

}  // namespace proxy
