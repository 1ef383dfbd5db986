#pragma once
// A private redis-server for one test: loopback, a free port, a folder of its own, nothing saved.
// Signals go to its process id only; the destructor kills it and removes the folder.

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

namespace proxy::testing {

class RedisServer {
public:
    // Waits until it answers; throws when it does not start.
    explicit RedisServer(std::vector<std::string> arguments = {});
    ~RedisServer();
    RedisServer(const RedisServer&) = delete;
    RedisServer& operator=(const RedisServer&) = delete;

    [[nodiscard]] std::uint16_t port() const noexcept { return port_; }

    void kill();    // SIGKILL, and waits for its end
    void start();   // again, on the same port, empty
    void stop();    // SIGSTOP, and waits until it has stopped
    void resume();  // SIGCONT

private:
    void launch();
    void wait_until_ready() const;

    std::vector<std::string> arguments_;
    std::string folder_;
    std::uint16_t port_ = 0;
    pid_t pid_ = -1;
};

// A free loopback port at the moment of the call.
[[nodiscard]] std::uint16_t free_port();

}  // namespace proxy::testing
