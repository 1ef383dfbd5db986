#include "proxy/net/listener.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/v6_only.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <spdlog/spdlog.h>

namespace proxy {

namespace asio = boost::asio;
using tcp = asio::ip::tcp;

namespace {

// Out of file descriptors: accepting again at once would only spin.
constexpr std::chrono::milliseconds pause_after_error{100};

}  // namespace

Listener::Listener(const asio::any_io_executor& control, ListenerHooks hooks)
    : executor_(control), hooks_(std::move(hooks)), acceptor_(control) {}

std::string Listener::listen(const config::Address& address) {
    boost::system::error_code error;
    tcp::resolver resolver{executor_};
    const auto found =
        resolver.resolve(address.host, std::to_string(address.port), tcp::resolver::passive, error);
    if (error || found.empty()) return "cannot look up the address: " + error.message();
    const tcp::endpoint endpoint = found.begin()->endpoint();
    acceptor_.open(endpoint.protocol(), error);
    if (!error) acceptor_.set_option(tcp::acceptor::reuse_address{true}, error);
    if (!error && endpoint.protocol() == tcp::v6())
        acceptor_.set_option(boost::asio::ip::v6_only{true}, error);
    if (!error) acceptor_.bind(endpoint, error);
    if (!error) acceptor_.listen(4096, error);
    if (error) return error.message();
    auto task = accept_all();
    spawn(executor_, "listener", std::move(task));
    return {};
}

std::uint16_t Listener::port() const {
    boost::system::error_code error;
    const auto endpoint = acceptor_.local_endpoint(error);
    return error ? std::uint16_t{0} : endpoint.port();
}

void Listener::stop() {
    boost::system::error_code ignored;
    acceptor_.close(ignored);
}

Task<> Listener::accept_all() {
    while (acceptor_.is_open()) {
        tcp::socket socket{hooks_.choose_loop()};
        const auto [error] =
            co_await acceptor_.async_accept(socket, asio::as_tuple(asio::use_awaitable));
        if (error == asio::error::operation_aborted) co_return;
        if (error) {
            spdlog::warn("event=accept_failed error=\"{}\"", error.message());
            asio::steady_timer timer{executor_, pause_after_error};
            co_await timer.async_wait(asio::as_tuple(asio::use_awaitable));
            continue;
        }
        hooks_.accepted(std::move(socket));
    }
}

}  // namespace proxy
