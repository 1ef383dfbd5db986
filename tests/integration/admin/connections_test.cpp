#include "tests/integration/admin/admin_fixture.hpp"

#include <vector>

namespace {

class AdminConnections : public AdminTest {};

constexpr std::string_view get_health = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n";

TEST_F(AdminConnections, beyond_the_limit_they_wait_for_a_place) {
    limits_.connections_max = 2;
    start();
    auto first = std::make_unique<RawClient>(port_);
    RawClient second(port_);
    first->send(get_health);
    second.send(get_health);
    ASSERT_TRUE(first->receive());
    ASSERT_TRUE(second.receive());
    RawClient third(port_);
    third.send(get_health);
    for (int round = 0; round < 20; ++round) {  // the control context passes by this often
        second.send(get_health);
        ASSERT_TRUE(second.receive());
        EXPECT_EQ(connections(), 2U);
    }
    EXPECT_FALSE(third.is_readable(0));
    first.reset();
    const auto reply = third.receive();
    ASSERT_TRUE(reply);
    EXPECT_EQ(reply->status, 200);
}

TEST_F(AdminConnections, concurrent_scrapes_while_cores_count) {
    start();
    std::atomic<bool> is_done{false};
    std::thread core([&] {
        while (!is_done) {
            metrics_.shard(1).sessions_total.add();
            metrics_.shard(1).gate_wait.record(std::uint64_t{70});
        }
    });
    constexpr int scrapers = 8;
    constexpr int scrapes = 30;
    std::atomic<int> good{0};
    std::vector<std::thread> threads;
    for (int index = 0; index < scrapers; ++index) {
        threads.emplace_back([&] {
            RawClient client(port_);
            std::uint64_t last = 0;
            for (int round = 0; round < scrapes; ++round) {
                client.send("GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n");
                const auto reply = client.receive();
                if (!reply || reply->status != 200) continue;
                const std::string name = "\nstockgate_sessions_total ";
                const std::size_t at = reply->body.find(name);
                if (at == std::string::npos) continue;
                const auto now = std::stod(reply->body.substr(at + name.size()));
                if (now < static_cast<double>(last)) continue;  // a counter never falls
                last = static_cast<std::uint64_t>(now);
                ++good;
            }
        });
    }
    for (std::thread& thread : threads) thread.join();
    is_done = true;
    core.join();
    EXPECT_EQ(good, scrapers * scrapes);
}

TEST_F(AdminConnections, many_that_come_and_go_leave_nothing_behind) {
    start();
    for (int round = 0; round < 300; ++round) {
        RawClient client(port_);
        if (round % 3 != 0) client.send(get_health);
        if (round % 3 != 1) continue;
        EXPECT_TRUE(client.receive());
    }
    EXPECT_TRUE(reaches(0));
}

TEST_F(AdminConnections, stop_closes_waiting_ones_and_frees_the_context) {
    start();
    RawClient idle(port_);
    idle.send(get_health);
    ASSERT_TRUE(idle.receive());
    RawClient partial(port_);
    partial.send("GET /heal");
    ASSERT_TRUE(reaches(2));
    stop_server();  // joins the thread: the context ran out of work by itself
    EXPECT_TRUE(idle.is_closed_by_server());
    EXPECT_TRUE(partial.is_closed_by_server());
    EXPECT_THROW(RawClient again(port_), std::runtime_error);
}

TEST_F(AdminConnections, stop_lets_an_answer_on_its_way_finish) {
    extra_metrics_ = std::string(32 << 20, '#') + "\n";
    start();
    RawClient client(port_);
    client.send("GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n");
    ASSERT_TRUE(client.is_readable(20'000));  // it does not fit the socket's buffers
    std::thread stopping([this] { stop_server(); });
    const auto reply = client.receive();
    stopping.join();
    ASSERT_TRUE(reply);
    EXPECT_GT(reply->body.size(), extra_metrics_.size());
    EXPECT_TRUE(client.is_closed_by_server());
}

TEST(AdminServerLifetime, the_context_may_go_with_connections_open) {
    auto control = std::make_unique<boost::asio::io_context>(1);
    proxy::AdminPorts ports;
    ports.health = [] { return proxy::HealthReport(); };
    auto server =
        std::make_unique<proxy::AdminServer>(control->get_executor(), ports, proxy::AdminLimits());
    const auto port = server->listen({"127.0.0.1", 0});
    ASSERT_TRUE(port);
    RawClient idle(*port);
    RawClient answered(*port);
    answered.send(get_health);
    while (!answered.is_readable(0)) control->run_one();
    EXPECT_EQ(server->connections(), 2U);
    server.reset();  // stops, but nobody runs the context any more
    control.reset();
    EXPECT_TRUE(idle.is_closed_by_server());
}

TEST(AdminServerListen, only_loopback_and_only_once) {
    boost::asio::io_context control(1);
    proxy::AdminServer server(control.get_executor(), proxy::AdminPorts());
    EXPECT_FALSE(server.listen({"0.0.0.0", 0}));
    EXPECT_FALSE(server.listen({"::", 0}));
    EXPECT_FALSE(server.listen({"192.0.2.1", 0}));
    EXPECT_FALSE(server.listen({"example.invalid", 0}));
    const auto port = server.listen({"localhost", 0});
    ASSERT_TRUE(port);
    EXPECT_NE(*port, 0);
    proxy::AdminServer other(control.get_executor(), proxy::AdminPorts());
    EXPECT_FALSE(other.listen({"127.0.0.1", *port}));
    EXPECT_EQ(other.connections(), 0U);
}

}  // namespace
