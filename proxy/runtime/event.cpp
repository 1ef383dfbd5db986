#include "proxy/runtime/event.hpp"

namespace proxy {
namespace asio = boost::asio;

Task<> Event::wait() {
    while (!pending_) {
        timer_.expires_at(asio::steady_timer::time_point::max());
        co_await timer_.async_wait(asio::as_tuple(asio::use_awaitable));
    }
    pending_ = false;
}

Task<bool> Event::wait_for(std::chrono::milliseconds timeout) {
    const auto deadline = std::chrono::steady_clock::now() + timeout;
    while (!pending_) {
        if (std::chrono::steady_clock::now() >= deadline) co_return false;
        timer_.expires_at(deadline);
        co_await timer_.async_wait(asio::as_tuple(asio::use_awaitable));
    }
    pending_ = false;
    co_return true;
}

void Event::notify() {
    pending_ = true;
    timer_.cancel();
}

}  // namespace proxy
