#include "proxy/sql/socket_wait.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace proxy {

namespace asio = boost::asio;
using Descriptor = asio::posix::stream_descriptor;
using std::chrono::steady_clock;

namespace {

constexpr auto as_tuple_awaitable = asio::as_tuple(asio::use_awaitable);

}  // namespace

struct SocketWait::State {
    explicit State(const asio::any_io_executor& executor) : descriptor(executor), timer(executor) {}

    // The socket's owner may have replaced it since the last wait.
    bool watch(int socket) {
        if (descriptor.is_open() && descriptor.native_handle() == socket) return true;
        let_go();
        if (socket < 0) return false;
        boost::system::error_code error;
        descriptor.assign(socket, error);
        return !error;
    }
    void let_go() {
        if (descriptor.is_open()) descriptor.release();
    }

    Descriptor descriptor;
    asio::steady_timer timer;
    steady_clock::time_point deadline = steady_clock::time_point::max();
    bool timed_out = false;
};

SocketWait::SocketWait(const asio::any_io_executor& executor)
    : state_(std::make_shared<State>(executor)) {}

SocketWait::~SocketWait() {
    stop_deadline();
    let_go();
}

void SocketWait::start_deadline(steady_clock::time_point deadline) {
    state_->deadline = deadline;
    state_->timed_out = false;
    state_->timer.expires_at(deadline);
    state_->timer.async_wait([state = state_](boost::system::error_code error) {
        // A later call may have moved the deadline while this callback was queued.
        if (error || steady_clock::now() < state->deadline) return;
        state->timed_out = true;
        boost::system::error_code ignored;
        state->descriptor.cancel(ignored);
    });
}

void SocketWait::stop_deadline() noexcept {
    state_->deadline = steady_clock::time_point::max();
    state_->timer.cancel();
}

Task<SocketWait::Ready> SocketWait::wait(int socket, bool read, bool write) {
    using namespace asio::experimental::awaitable_operators;
    const auto state = state_;  // this object may be gone when the wait ends
    Ready ready;
    if (state->timed_out || !state->watch(socket)) co_return ready;
    boost::system::error_code error;
    bool is_write = write;
    if (read && write) {
        auto either = co_await (
            state->descriptor.async_wait(Descriptor::wait_read, as_tuple_awaitable) ||
            state->descriptor.async_wait(Descriptor::wait_write, as_tuple_awaitable)
        );
        is_write = either.index() == 1;
        error = is_write ? std::get<0>(std::get<1>(either)) : std::get<0>(std::get<0>(either));
    } else {
        auto [failed] = co_await state->descriptor.async_wait(
            write ? Descriptor::wait_write : Descriptor::wait_read, as_tuple_awaitable
        );
        error = failed;
    }
    if (error || state->timed_out) co_return ready;
    ready.read = !is_write;
    ready.write = is_write;
    co_return ready;
}

void SocketWait::let_go() noexcept {
    state_->let_go();
}

}  // namespace proxy
