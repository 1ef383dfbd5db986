#pragma once
// A stream socket whose reads cost one system call each. Asio tries a read before it waits, so a
// session that has just answered pays for a call that can only say "nothing there"; where system
// calls are dear that is a quarter of the cost of a query. Here a read that took less than its
// buffer holds counts as having emptied the socket, and the next one waits for the event alone.
//
// What that cannot see is a peer's end of stream that came in the same moment as its last bytes:
// there is no further event for it. So whoever reads this way must look for the end now and then
// (peer_has_closed) and then call interrupt_read().
//
// Built on Asio's reactor as it is in the version named below; another version gets Asio's own
// read, which costs the extra call and is right by itself.

#include <boost/asio/buffer.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/recycling_allocator.hpp>
#include <boost/version.hpp>
#include <sys/socket.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>

namespace proxy {

using StreamSocket = boost::asio::generic::stream_protocol::socket;

class RelaySocket : public StreamSocket {
public:
    explicit RelaySocket(StreamSocket socket);

    // Completes with (error, bytes read) as async_read_some does. One read at a time.
    template <class Token>
    auto async_receive_once(std::span<std::uint8_t> room, Token&& token);
    // The waiting read ends with operation_aborted; writes go on.
    void interrupt_read();

private:
#if BOOST_VERSION / 100 == 1081 && defined(BOOST_ASIO_HAS_EPOLL)
    template <class Handler>
    class ReceiveOp;
    struct Start;
    using Reactor = boost::asio::detail::epoll_reactor;

    Reactor* reactor_;
#endif
};

#if BOOST_VERSION / 100 == 1081 && defined(BOOST_ASIO_HAS_EPOLL)

template <class Handler>
class RelaySocket::ReceiveOp final : public boost::asio::detail::reactor_op {
public:
    ReceiveOp(int socket, std::span<std::uint8_t> room, Handler handler)
        : reactor_op({}, &ReceiveOp::do_perform, &ReceiveOp::do_complete),
          socket_(socket),
          room_(room),
          handler_(std::move(handler)) {}

    static ReceiveOp* make(int socket, std::span<std::uint8_t> room, Handler handler) {
        boost::asio::recycling_allocator<ReceiveOp> memory;
        return std::construct_at(memory.allocate(1), socket, room, std::move(handler));
    }

private:
    static status do_perform(reactor_op* base) {
        auto* op = static_cast<ReceiveOp*>(base);
        constexpr bool is_stream = true;
        const bool ended = boost::asio::detail::socket_ops::non_blocking_recv1(
            op->socket_,
            op->room_.data(),
            op->room_.size(),
            MSG_DONTWAIT,
            is_stream,
            op->ec_,
            op->bytes_transferred_
        );
        if (!ended) return not_done;
        return op->bytes_transferred_ < op->room_.size() ? done_and_exhausted : done;
    }

    static void do_complete(
        void* owner,
        boost::asio::detail::operation* base,
        const boost::system::error_code& /*error*/,
        std::size_t /*size*/
    ) {
        auto* op = static_cast<ReceiveOp*>(base);
        const auto error = op->ec_;
        const std::size_t count = op->bytes_transferred_;
        // The memory is free before the handler runs, which will want the same for its next read.
        Handler handler = std::move(op->handler_);
        boost::asio::recycling_allocator<ReceiveOp> memory;
        std::destroy_at(op);
        memory.deallocate(op, 1);
        if (owner != nullptr) std::move(handler)(error, count);
    }

    int socket_;
    std::span<std::uint8_t> room_;
    Handler handler_;
};

struct RelaySocket::Start {
    template <class Handler>
    void operator()(Handler&& handler, RelaySocket* self, std::span<std::uint8_t> room) const {
        using Op = ReceiveOp<std::decay_t<Handler>>;
        auto& implementation = self->impl_.get_implementation();
        auto* op = Op::make(implementation.socket_, room, std::forward<Handler>(handler));
        constexpr bool is_continuation = true;
        constexpr bool may_try_at_once = true;
        self->reactor_->start_op(
            Reactor::read_op,
            implementation.socket_,
            implementation.reactor_data_,
            op,
            is_continuation,
            may_try_at_once
        );
    }
};

template <class Token>
auto RelaySocket::async_receive_once(std::span<std::uint8_t> room, Token&& token) {
    return boost::asio::async_initiate<Token, void(boost::system::error_code, std::size_t)>(
        Start{}, token, this, room
    );
}

#else

template <class Token>
auto RelaySocket::async_receive_once(std::span<std::uint8_t> room, Token&& token) {
    return async_read_some(
        boost::asio::buffer(room.data(), room.size()), std::forward<Token>(token)
    );
}

#endif

}  // namespace proxy
