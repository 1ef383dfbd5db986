#include "tests/integration/services/servers.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <thread>

namespace proxy {
namespace {

std::string setting(const char* name) {
    const char* value = std::getenv(name);
    if (value != nullptr) return value;
    std::fprintf(stderr, "%s is not set: start these tests with run.py\n", name);
    std::exit(2);
}

std::uint16_t port_setting(const char* name) {
    return static_cast<std::uint16_t>(std::stoi(setting(name)));
}

bool is_listening(std::uint16_t port) {
    boost::asio::io_context context;
    boost::asio::ip::tcp::socket socket(context);
    boost::system::error_code error;
    const auto loopback = boost::asio::ip::address_v4::loopback();
    socket.connect({loopback, port}, error);
    return !error;
}

}  // namespace

SqlAccount root_account() {
    SqlAccount account;
    account.host = "127.0.0.1";
    account.port = port_setting("STOCKGATE_TEST_DATABASE_PORT");
    account.user = "root";
    account.timeout = std::chrono::seconds{60};
    return account;
}

Sql::Sql() : link_(context_.get_executor(), root_account()) {
    SqlError error;
    auto task = link_.connect();
    boost::asio::co_spawn(context_, std::move(task), [&error](std::exception_ptr, SqlError result) {
        error = std::move(result);
    });
    context_.run();
    if (error) {
        std::fprintf(stderr, "the test database: %s\n", error.message.c_str());
        std::exit(2);
    }
}

SqlReply Sql::try_query(const std::string& sql) {
    SqlReply reply;
    auto task = link_.query(sql);
    boost::asio::co_spawn(context_, std::move(task), [&reply](std::exception_ptr, SqlReply result) {
        reply = std::move(result);
    });
    context_.restart();
    context_.run();
    return reply;
}

SqlReply Sql::query(const std::string& sql) {
    auto reply = try_query(sql);
    EXPECT_EQ(reply.error.code, 0U) << reply.error.message << " of " << sql;
    return reply;
}

std::string Sql::value(const std::string& sql) {
    const auto reply = query(sql);
    if (reply.rows.size() != 1 || reply.rows[0].empty()) {
        ADD_FAILURE() << reply.rows.size() << " rows of " << sql;
        return "0";
    }
    return reply.rows[0][0].value_or("NULL");
}

void RedisServer::start() {
    const std::string folder = setting("STOCKGATE_TEST_FOLDER");
    const std::string port = setting("STOCKGATE_TEST_REDIS_PORT");
    process_ = ::fork();
    if (process_ == 0) {
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        const int log =
            ::open((folder + "/redis.log").c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
        ::dup2(log, 1);
        ::dup2(log, 2);
        ::execlp(
            "redis-server",
            "redis-server",
            "--bind",
            "127.0.0.1",
            "--port",
            port.c_str(),
            "--dir",
            folder.c_str(),
            "--save",
            "",
            "--maxmemory-policy",
            "noeviction",
            nullptr
        );
        ::_exit(127);
    }
    while (!is_listening(options().port)) {
        if (::waitpid(process_, nullptr, WNOHANG) != 0) {
            std::fprintf(stderr, "redis-server did not start, see %s/redis.log\n", folder.c_str());
            std::exit(2);
        }
        std::this_thread::sleep_for(std::chrono::milliseconds{5});
    }
}

void RedisServer::kill() {
    if (process_ <= 0) return;
    ::kill(process_, SIGKILL);
    ::waitpid(process_, nullptr, 0);
    process_ = -1;
}

RedisOptions RedisServer::options() {
    RedisOptions options;
    options.port = port_setting("STOCKGATE_TEST_REDIS_PORT");
    // Tests may run on a machine that is busy; none of them is about slowness.
    options.timeout = std::chrono::seconds{20};
    options.connect_timeout = std::chrono::seconds{20};
    options.stall_timeout = std::chrono::seconds{30};
    options.reconnect_min = std::chrono::milliseconds{5};
    options.reconnect_max = std::chrono::milliseconds{50};
    return options;
}

}  // namespace proxy

int main(int count, char** arguments) {
    testing::InitGoogleTest(&count, arguments);
    static_cast<void>(proxy::root_account());  // refuses to run without servers
    return RUN_ALL_TESTS();
}
