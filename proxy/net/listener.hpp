#pragma once
// Accepts clients on one address and gives each to the core with the fewest sessions. One acceptor,
// not SO_REUSEPORT: database connections live long, and hashing them would load the cores unevenly.
// Lives on the control context.

#include "config/address.hpp"
#include "proxy/runtime/spawn.hpp"

#include <boost/asio/ip/tcp.hpp>

#include <functional>
#include <string>

namespace proxy {

struct ListenerHooks {
    // The loop that a new socket will live on.
    std::function<boost::asio::io_context&()> choose_loop;
    std::function<void(boost::asio::ip::tcp::socket)> accepted;
};

class Listener {
public:
    Listener(const boost::asio::any_io_executor& control, ListenerHooks hooks);

    // Empty on success, else what is wrong; binds and begins to accept.
    [[nodiscard]] std::string listen(const config::Address& address);
    [[nodiscard]] std::uint16_t port() const;
    void stop();

private:
    Task<> accept_all();

    boost::asio::any_io_executor executor_;
    ListenerHooks hooks_;
    boost::asio::ip::tcp::acceptor acceptor_;
};

}  // namespace proxy
