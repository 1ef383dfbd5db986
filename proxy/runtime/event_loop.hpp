#pragma once
// One event loop on one thread of its own. The only place that makes threads. The loop keeps
// running until `stop`; objects that live on it must be destroyed after `join` and before the loop
// itself.

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>

#include <thread>

namespace proxy {

class EventLoop {
public:
    EventLoop() : work_(boost::asio::make_work_guard(io_)) {}
    ~EventLoop() { join(); }
    EventLoop(const EventLoop&) = delete;
    EventLoop& operator=(const EventLoop&) = delete;

    void start();
    void stop() { io_.stop(); }
    void join();
    [[nodiscard]] boost::asio::io_context& io() noexcept { return io_; }

private:
    boost::asio::io_context io_{1};
    boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_;
    std::thread thread_;
};

}  // namespace proxy
