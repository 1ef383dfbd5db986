#include "proxy/net/relay_socket.hpp"

#include <boost/asio/execution/context.hpp>
#include <boost/asio/query.hpp>

namespace proxy {

#if BOOST_VERSION / 100 == 1081 && defined(BOOST_ASIO_HAS_EPOLL)

RelaySocket::RelaySocket(StreamSocket socket)
    : StreamSocket(std::move(socket)),
      reactor_(&boost::asio::use_service<Reactor>(
          boost::asio::query(get_executor(), boost::asio::execution::context)
      )) {}

void RelaySocket::interrupt_read() {
    auto& implementation = impl_.get_implementation();
    reactor_->cancel_ops_by_key(
        implementation.socket_, implementation.reactor_data_, Reactor::read_op, nullptr
    );
}

#else

RelaySocket::RelaySocket(StreamSocket socket) : StreamSocket(std::move(socket)) {}

// Asio has noticed the end by itself.
void RelaySocket::interrupt_read() {}

#endif

}  // namespace proxy
