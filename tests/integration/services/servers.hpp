#pragma once
// The servers that the tests of this folder use. The database is started by run.py, which says
// where in the environment; Redis is a child process of the test that needs it, on a fixed port so
// that it can come back. Blocking, any one thread per object; a failure ends the process with a
// message.

#include "proxy/gate/redis_options.hpp"
#include "proxy/sql/sql_link.hpp"

#include <boost/asio/io_context.hpp>
#include <sys/types.h>

#include <string>

namespace proxy {

[[nodiscard]] SqlAccount root_account();

// One connection, one statement at a time.
class Sql {
public:
    Sql();
    // The statement must succeed.
    SqlReply query(const std::string& sql);
    SqlReply try_query(const std::string& sql);
    // The first column of the only row.
    std::string value(const std::string& sql);
    std::int64_t number(const std::string& sql) { return std::stoll(value(sql)); }
    [[nodiscard]] SqlLink& link() noexcept { return link_; }

private:
    boost::asio::io_context context_;
    SqlLink link_;
};

class RedisServer {
public:
    RedisServer() = default;
    ~RedisServer() { kill(); }
    RedisServer(const RedisServer&) = delete;
    RedisServer& operator=(const RedisServer&) = delete;

    // Empty: it keeps nothing over a restart.
    void start();
    void kill();  // SIGKILL, and waits
    [[nodiscard]] static RedisOptions options();

private:
    pid_t process_ = -1;
};

}  // namespace proxy
