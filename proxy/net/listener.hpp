#pragma once
// Accepts clients on one address and gives each to the core with the fewest sessions. One acceptor,
// not SO_REUSEPORT: database connections live long, and hashing them would load the cores unevenly.
// A Unix socket's file is made here and removed by stop(); one that a dead process left behind is
// replaced, one that somebody answers on is not. Lives on the control context.

#include "config/address.hpp"
#include "proxy/runtime/spawn.hpp"

#include <boost/asio/basic_socket_acceptor.hpp>
#include <boost/asio/generic/stream_protocol.hpp>

#include <functional>
#include <string>

namespace proxy {

struct ListenerHooks {
    // The loop that a new socket will live on.
    std::function<boost::asio::io_context&()> choose_loop;
    std::function<void(boost::asio::generic::stream_protocol::socket)> accepted;
};

class Listener {
public:
    Listener(const boost::asio::any_io_executor& control, ListenerHooks hooks);

    // Empty on success, else what is wrong; binds and begins to accept.
    [[nodiscard]] std::string listen(const config::Address& address);
    [[nodiscard]] std::uint16_t port() const;
    void stop();

private:
    using Acceptor = boost::asio::basic_socket_acceptor<boost::asio::generic::stream_protocol>;

    [[nodiscard]] std::string listen_tcp(const config::Address& address);
    [[nodiscard]] std::string listen_unix(const std::string& path);
    Task<> accept_all();

    boost::asio::any_io_executor executor_;
    ListenerHooks hooks_;
    Acceptor acceptor_;
    std::string path_;  // of the Unix socket; empty for TCP
};

}  // namespace proxy
