#pragma once
// A running AdminServer on a free port with its context on a thread of its own, and a client that
// sends exactly the bytes it is told to. Every wait of the client ends after 20 s, so a server that
// hangs fails the test instead of hanging it.

#include "proxy/admin/admin_server.hpp"
#include "proxy/admin/metrics.hpp"

#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

struct HttpReply {
    int status = 0;
    std::map<std::string, std::string> headers;  // names in lower case
    std::string body;
};

class RawClient {
public:
    explicit RawClient(std::uint16_t port);
    ~RawClient();
    RawClient(const RawClient&) = delete;
    RawClient& operator=(const RawClient&) = delete;

    // False once the server has closed.
    bool send(std::string_view bytes);
    void finish_sending();
    // One reply; nullopt if the connection ended before it was complete. A reply to HEAD has no
    // body.
    std::optional<HttpReply> receive(bool is_head = false);
    // True when the server closed: nothing but an end or a reset comes. False after 20 s, or if
    // bytes came.
    bool is_closed_by_server();
    // True when bytes or an end can be read within `wait_ms`.
    bool is_readable(int wait_ms);

private:
    bool fill();

    int socket_ = -1;
    std::string received_;
};

class AdminTest : public testing::Test {
protected:
    AdminTest();
    ~AdminTest() override;

    // Before start().
    proxy::AdminLimits limits_;
    std::string extra_metrics_;

    void start();
    void stop_server();  // as at shutdown; returns when the control context has nothing left to do
    std::size_t connections();
    // True once the server lists that many; false after 20 s.
    bool reaches(std::size_t connections);
    void on_control(const std::function<void()>& action);
    // A request on a connection of its own.
    std::optional<HttpReply> exchange(std::string_view request, bool is_head = false);
    [[nodiscard]] bool is_healthy();

    boost::asio::io_context control_{1};
    proxy::MetricsRegistry metrics_{2, "0.1.0"};
    std::atomic<int> breaker_sets_{0};
    config::BreakerMode mode_ = config::BreakerMode::automatic;  // control thread only
    std::uint16_t port_ = 0;

private:
    std::unique_ptr<proxy::AdminServer> server_;
    std::thread thread_;
};
