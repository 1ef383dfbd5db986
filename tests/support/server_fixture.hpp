#pragma once
// Private servers for integration tests: each lives in a temporary folder of its own, listens on a
// free loopback port, and dies with the test process, whatever way that ends. Nothing here touches
// a server that it did not start. Use from the main thread: the kernel ends a server when the
// thread that started it is gone. Failures to start throw: a test cannot go on without.

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace support {

// A folder of its own below another one, removed with everything in it.
class TemporaryFolder {
public:
    TemporaryFolder();  // below the system's temporary folder
    explicit TemporaryFolder(const std::filesystem::path& parent);
    ~TemporaryFolder();
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
    [[nodiscard]] const std::filesystem::path& path() const { return path_; }

private:
    std::filesystem::path path_;
};

// A child process; killed by its id when this object goes.
class ChildProcess {
public:
    ChildProcess() = default;
    ~ChildProcess();
    ChildProcess(const ChildProcess&) = delete;
    ChildProcess& operator=(const ChildProcess&) = delete;

    void start(const std::vector<std::string>& command, const std::filesystem::path& log);
    [[nodiscard]] bool is_running();
    // The exit code; 128 + the signal's number when one ended it.
    int wait();
    void kill_and_wait();  // SIGKILL
    void pause();          // SIGSTOP: the server hangs, its sockets stay open
    void resume();

private:
    pid_t pid_ = -1;
};

// A loopback port that nobody listens on at this moment.
[[nodiscard]] std::uint16_t free_port();

class DatabaseServer {
public:
    // An account with all rights, made at the first start.
    static constexpr const char* user = "dba";
    static constexpr const char* password = "dba-secret";

    virtual ~DatabaseServer() = default;
    DatabaseServer(const DatabaseServer&) = delete;
    DatabaseServer& operator=(const DatabaseServer&) = delete;
    [[nodiscard]] std::uint16_t port() const { return port_; }
    ChildProcess& process() { return process_; }

protected:
    DatabaseServer() = default;
    // Until it accepts, on another port each time.
    void start(const std::vector<std::string>& command, const std::filesystem::path& log);
    void install(const std::vector<std::string>& command, const std::filesystem::path& log);

private:
    std::uint16_t port_ = 0;
    ChildProcess process_;
};

class MariaDbServer final : public DatabaseServer {
public:
    MariaDbServer();

private:
    TemporaryFolder folder_;
};

// MySQL 9 from the chroot that tests/support/mysql9.sh makes; needs root.
class Mysql9Server final : public DatabaseServer {
public:
    [[nodiscard]] static bool is_installed();
    Mysql9Server();

private:
    TemporaryFolder folder_;  // inside the chroot
};

class RedisServer {
public:
    explicit RedisServer(std::vector<std::string> arguments = {});
    [[nodiscard]] std::uint16_t port() const { return port_; }
    ChildProcess& process() { return process_; }
    // One command, the reply as redis-cli prints it.
    std::string command(const std::vector<std::string>& words) const;

private:
    TemporaryFolder folder_;
    std::uint16_t port_ = 0;
    ChildProcess process_;
};

}  // namespace support
