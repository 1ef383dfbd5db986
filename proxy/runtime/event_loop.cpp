#include "proxy/runtime/event_loop.hpp"

#include <spdlog/spdlog.h>

namespace proxy {

void EventLoop::start() {
    thread_ = std::thread{[this] {
        // A handler that throws is a bug of ours; the loop and its other sessions go on.
        for (;;) {
            try {
                io_.run();
                return;
            } catch (const std::exception& error) {
                spdlog::critical("event=loop_exception error=\"{}\"", error.what());
            }
        }
    }};
}

void EventLoop::join() {
    if (thread_.joinable()) thread_.join();
}

}  // namespace proxy
