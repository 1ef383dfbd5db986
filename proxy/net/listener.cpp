#include "proxy/net/listener.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ip/v6_only.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <netinet/in.h>
#include <spdlog/spdlog.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace proxy {

namespace asio = boost::asio;
using tcp = asio::ip::tcp;

namespace {

// Out of file descriptors: accepting again at once would only spin.
constexpr std::chrono::milliseconds pause_after_error{100};
constexpr int backlog = 4096;

}  // namespace

Listener::Listener(const asio::any_io_executor& control, ListenerHooks hooks)
    : executor_(control), hooks_(std::move(hooks)), acceptor_(control) {}

std::string Listener::listen(const config::Address& address) {
    std::string wrong = address.is_unix() ? listen_unix(address.path) : listen_tcp(address);
    if (!wrong.empty()) return wrong;
    auto task = accept_all();
    spawn(executor_, "listener", std::move(task));
    return {};
}

std::string Listener::listen_tcp(const config::Address& address) {
    boost::system::error_code error;
    tcp::resolver resolver{executor_};
    const auto found =
        resolver.resolve(address.host, std::to_string(address.port), tcp::resolver::passive, error);
    if (error || found.empty()) return "cannot look up the address: " + error.message();
    const tcp::endpoint endpoint = found.begin()->endpoint();
    acceptor_.open(endpoint.protocol(), error);
    if (!error) acceptor_.set_option(tcp::acceptor::reuse_address{true}, error);
    if (!error && endpoint.protocol() == tcp::v6())
        acceptor_.set_option(asio::ip::v6_only{true}, error);
    if (!error) acceptor_.bind(endpoint, error);
    if (!error) acceptor_.listen(backlog, error);
    return error ? error.message() : std::string{};
}

std::string Listener::listen_unix(const std::string& path) {
    using local = asio::local::stream_protocol;
    const local::endpoint endpoint{path};
    boost::system::error_code error;
    struct stat found {};
    if (::lstat(path.c_str(), &found) == 0) {
        if (!S_ISSOCK(found.st_mode)) return "the path exists and is no socket; remove it";
        local::socket other{executor_};
        other.connect(endpoint, error);
        if (!error) return "another process listens there";
        ::unlink(path.c_str());
    }
    acceptor_.open(local{}, error);
    if (!error) acceptor_.bind(endpoint, error);
    // Who may log in is the database's decision, as on its own socket.
    if (!error && ::chmod(path.c_str(), 0777) != 0)
        error.assign(errno, boost::system::system_category());
    if (!error) acceptor_.listen(backlog, error);
    if (error) return error.message();
    path_ = path;
    return {};
}

std::uint16_t Listener::port() const {
    boost::system::error_code error;
    const auto endpoint = acceptor_.local_endpoint(error);
    if (error || !path_.empty()) return 0;
    // Both families keep the port in the same place.
    sockaddr_in address{};
    std::memcpy(&address, endpoint.data(), std::min(sizeof address, endpoint.size()));
    return ntohs(address.sin_port);
}

void Listener::stop() {
    boost::system::error_code ignored;
    acceptor_.close(ignored);
    if (!path_.empty()) ::unlink(path_.c_str());
    path_.clear();
}

Task<> Listener::accept_all() {
    while (acceptor_.is_open()) {
        asio::generic::stream_protocol::socket socket{hooks_.choose_loop()};
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
