#include "proxy/admin/admin_server.hpp"

#include "proxy/admin/http_connection.hpp"
#include "proxy/runtime/event.hpp"
#include "proxy/runtime/spawn.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <spdlog/spdlog.h>

#include <unordered_set>
#include <utility>

namespace proxy {
namespace asio = boost::asio;
using asio::ip::tcp;

struct AdminServer::State {
    State(const asio::any_io_executor& control, AdminPorts bound, const AdminLimits& set)
        : executor(control),
          ports(std::move(bound)),
          limits(set),
          acceptor(control),
          wake_acceptor(control) {}

    asio::any_io_executor executor;
    AdminPorts ports;
    AdminLimits limits;
    tcp::acceptor acceptor;
    Event wake_acceptor;  // a connection ended, or stop
    std::unordered_set<std::shared_ptr<HttpConnection>> connections;
    bool is_stopping = false;
};

namespace {

// Out of descriptors or memory: trying again at once would only burn the processor.
constexpr std::chrono::milliseconds accept_pause{100};

boost::system::error_code open(tcp::acceptor& acceptor, const tcp::endpoint& endpoint) {
    boost::system::error_code error;
    acceptor.open(endpoint.protocol(), error);
    if (!error) acceptor.set_option(tcp::acceptor::reuse_address(true), error);
    if (!error) acceptor.bind(endpoint, error);
    if (!error) acceptor.listen(asio::socket_base::max_listen_connections, error);
    return error;
}

}  // namespace

// The tasks need State, which nobody outside may see.
struct AdminServerTasks {
    using State = AdminServer::State;

    // Takes the connection off the list however its task ends.
    class Listed {
    public:
        Listed(State& state, std::shared_ptr<HttpConnection> connection)
            : state_(state), connection_(std::move(connection)) {}
        ~Listed() {
            state_.connections.erase(connection_);
            state_.wake_acceptor.notify();
        }
        Listed(const Listed&) = delete;
        Listed& operator=(const Listed&) = delete;

    private:
        State& state_;
        std::shared_ptr<HttpConnection> connection_;
    };

    static Task<> serve(std::shared_ptr<State> state, std::shared_ptr<HttpConnection> connection) {
        const Listed listed(*state, connection);
        co_await connection->run();
    }

    static Task<> accept(std::shared_ptr<State> state) {
        while (!state->is_stopping) {
            if (state->connections.size() >= state->limits.connections_max) {
                co_await state->wake_acceptor.wait();
                continue;
            }
            auto [error, socket] =
                co_await state->acceptor.async_accept(asio::as_tuple(asio::use_awaitable));
            if (state->is_stopping) break;
            if (error) {
                spdlog::warn("event=admin_accept_failed error=\"{}\"", error.message());
                co_await state->wake_acceptor.wait_for(accept_pause);
                continue;
            }
            auto connection =
                std::make_shared<HttpConnection>(std::move(socket), state->ports, state->limits);
            state->connections.insert(connection);
            auto task = serve(state, std::move(connection));
            spawn(state->executor, "admin_connection", std::move(task));
        }
    }
};

AdminServer::AdminServer(const asio::any_io_executor& control, AdminPorts ports, AdminLimits limits)
    : state_(std::make_shared<State>(control, std::move(ports), limits)) {}

AdminServer::~AdminServer() {
    stop();
}

boost::system::result<std::uint16_t> AdminServer::listen(const config::Address& address) {
    boost::system::error_code error;
    // The name is not looked up: a resolver could say anything.
    const std::string host = address.host == "localhost" ? "127.0.0.1" : address.host;
    const auto ip = asio::ip::make_address(host, error);
    if (error) return error;
    if (!ip.is_loopback()) return make_error_code(asio::error::access_denied);
    error = open(state_->acceptor, tcp::endpoint(ip, address.port));
    if (error) {
        boost::system::error_code ignored;
        state_->acceptor.close(ignored);
        return error;
    }
    const tcp::endpoint bound = state_->acceptor.local_endpoint(error);
    if (error) return error;
    auto task = AdminServerTasks::accept(state_);
    spawn(state_->executor, "admin_accept", std::move(task));
    spdlog::info("event=admin_listening address={} port={}", host, bound.port());
    return bound.port();
}

void AdminServer::stop() {
    if (state_->is_stopping) return;
    state_->is_stopping = true;
    boost::system::error_code ignored;
    state_->acceptor.close(ignored);
    state_->wake_acceptor.notify();
    for (const auto& connection : state_->connections) connection->stop();
}

std::size_t AdminServer::connections() const noexcept {
    return state_->connections.size();
}

}  // namespace proxy
