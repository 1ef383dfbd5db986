#pragma once
// Waits until somebody else's socket is ready, or a deadline passes. The socket stays its owner's:
// it is only watched here, and let go before its owner closes it. One core, one wait at a time; the
// object may die while a wait or a timer callback is queued.

#include "proxy/runtime/spawn.hpp"

#include <boost/asio/any_io_executor.hpp>

#include <chrono>
#include <memory>

namespace proxy {

class SocketWait {
public:
    explicit SocketWait(const boost::asio::any_io_executor& executor);
    ~SocketWait();
    SocketWait(const SocketWait&) = delete;
    SocketWait& operator=(const SocketWait&) = delete;

    void start_deadline(std::chrono::steady_clock::time_point deadline);
    void stop_deadline() noexcept;

    struct Ready {
        bool read = false;
        bool write = false;
        // Neither: the deadline passed, the task was cancelled, or the socket cannot be watched.
        [[nodiscard]] bool any() const noexcept { return read || write; }
    };
    // For whichever of the two is asked for and comes first.
    Task<Ready> wait(int socket, bool read, bool write);
    // Must be called before the socket is closed.
    void let_go() noexcept;

private:
    struct State;
    std::shared_ptr<State> state_;
};

}  // namespace proxy
