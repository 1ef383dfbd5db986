#include "tests/support/server_fixture.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <thread>

namespace support {
namespace {

constexpr std::chrono::seconds start_patience{60};
constexpr std::chrono::milliseconds look_again{20};
constexpr int port_attempts_max = 5;  // another process may take a port that was free

sockaddr_in loopback(std::uint16_t port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return address;
}

// True once the server has sent (MariaDB greets) or takes (Redis) a first byte.
bool accepts(std::uint16_t port, bool greets) {
    const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const auto address = loopback(port);
    const auto* generic = reinterpret_cast<const sockaddr*>(&address);
    bool ready = ::connect(socket, generic, sizeof address) == 0;
    if (ready && greets) {
        char byte = 0;
        ready = ::recv(socket, &byte, 1, MSG_WAITALL) == 1;
    }
    ::close(socket);
    return ready;
}

bool wait_until_accepts(ChildProcess& process, std::uint16_t port, bool greets) {
    const auto deadline = std::chrono::steady_clock::now() + start_patience;
    while (std::chrono::steady_clock::now() < deadline) {
        if (!process.is_running()) return false;
        if (accepts(port, greets)) return process.is_running();
        std::this_thread::sleep_for(look_again);
    }
    return false;
}

std::string content_of(const std::filesystem::path& file) {
    std::ifstream in(file);
    return std::string{std::istreambuf_iterator<char>(in), {}};
}

void write_accounts(const std::filesystem::path& file) {
    const std::string account = std::string{DatabaseServer::user} + "@'%'";
    std::ofstream out(file);
    out << "CREATE USER IF NOT EXISTS " << account << " IDENTIFIED BY '" << DatabaseServer::password
        << "';\nGRANT ALL ON *.* TO " << account << " WITH GRANT OPTION;\n";
}

std::filesystem::path mysql9_root() {
    const char* root = std::getenv("STOCKGATE_MYSQL9_ROOT");
    return root ? root : "/var/cache/stockgate/sid";
}

// In the child, between fork and exec: only calls that are safe there.
[[noreturn]] void become(char* const* arguments, const char* log, pid_t parent) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(127);  // it died before the line above
    ::setpgid(0, 0);                          // a Ctrl-C at the terminal is the test's to handle
    const int out = ::open(log, O_WRONLY | O_CREAT | O_APPEND, 0600);
    const int in = ::open("/dev/null", O_RDONLY);
    ::dup2(in, STDIN_FILENO);
    ::dup2(out, STDOUT_FILENO);
    ::dup2(out, STDERR_FILENO);
    ::execvp(arguments[0], arguments);
    ::_exit(127);
}

}  // namespace

TemporaryFolder::TemporaryFolder() : TemporaryFolder(std::filesystem::temp_directory_path()) {}

TemporaryFolder::TemporaryFolder(const std::filesystem::path& parent) {
    std::string name = (parent / "stockgate-test-XXXXXX").string();
    if (!::mkdtemp(name.data())) throw std::runtime_error("no temporary folder");
    path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
}

ChildProcess::~ChildProcess() {
    kill_and_wait();
}

void ChildProcess::start(
    const std::vector<std::string>& command, const std::filesystem::path& log
) {
    std::vector<std::string> words = command;
    std::vector<char*> arguments;
    for (auto& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    const pid_t parent = ::getpid();
    pid_ = ::fork();
    if (pid_ < 0) throw std::runtime_error("fork failed");
    if (pid_ == 0) become(arguments.data(), log.c_str(), parent);
}

bool ChildProcess::is_running() {
    if (pid_ <= 0) return false;
    int status = 0;
    if (::waitpid(pid_, &status, WNOHANG) == 0) return true;
    pid_ = -1;
    return false;
}

int ChildProcess::wait() {
    int status = 0;
    if (pid_ <= 0 || ::waitpid(pid_, &status, 0) != pid_) return -1;
    pid_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

void ChildProcess::kill_and_wait() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    wait();
}

void ChildProcess::pause() {
    if (pid_ > 0) ::kill(pid_, SIGSTOP);
}

void ChildProcess::resume() {
    if (pid_ > 0) ::kill(pid_, SIGCONT);
}

std::uint16_t free_port() {
    const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    auto address = loopback(0);
    socklen_t size = sizeof address;
    auto* generic = reinterpret_cast<sockaddr*>(&address);
    const bool bound =
        ::bind(socket, generic, size) == 0 && ::getsockname(socket, generic, &size) == 0;
    ::close(socket);
    if (!bound) throw std::runtime_error("no free port");
    return ntohs(address.sin_port);
}

void DatabaseServer::install(
    const std::vector<std::string>& command, const std::filesystem::path& log
) {
    process_.start(command, log);
    if (process_.wait() != 0) throw std::runtime_error(command.front() + ": " + content_of(log));
}

void DatabaseServer::start(
    const std::vector<std::string>& command, const std::filesystem::path& log
) {
    for (int attempt = 1; attempt <= port_attempts_max; ++attempt) {
        port_ = free_port();
        auto words = command;
        words.push_back("--port=" + std::to_string(port_));
        process_.start(words, log);
        if (wait_until_accepts(process_, port_, true)) return;
        process_.kill_and_wait();
    }
    throw std::runtime_error(command.front() + " did not start: " + content_of(log));
}

MariaDbServer::MariaDbServer() {
    const auto& folder = folder_.path();
    write_accounts(folder / "accounts.sql");
    install(
        {"mariadb-install-db",
         "--no-defaults",
         "--user=root",
         "--datadir=" + (folder / "data").string(),
         "--auth-root-authentication-method=normal",
         "--skip-test-db",
         "--skip-name-resolve"},
        folder / "install.log"
    );
    start(
        {"mariadbd",
         "--no-defaults",
         "--user=root",
         "--datadir=" + (folder / "data").string(),
         "--socket=" + (folder / "socket").string(),
         "--pid-file=" + (folder / "pid").string(),
         "--init-file=" + (folder / "accounts.sql").string(),
         "--bind-address=127.0.0.1",
         "--skip-name-resolve",
         "--innodb-buffer-pool-size=32M",
         "--innodb-log-file-size=16M"},
        folder / "server.log"
    );
}

bool Mysql9Server::is_installed() {
    return ::geteuid() == 0 && std::filesystem::exists(mysql9_root() / ".stockgate-mysql9");
}

Mysql9Server::Mysql9Server() : folder_(mysql9_root() / "srv") {
    const auto& folder = folder_.path();
    const auto inside = std::filesystem::path("/srv") / folder.filename();
    write_accounts(folder / "accounts.sql");
    // As root: a change of user would make the kernel forget to end it with the test.
    const std::vector<std::string> server{
        "chroot",
        mysql9_root().string(),
        "mysqld",
        "--no-defaults",
        "--user=root",
        "--datadir=" + (inside / "data").string(),
        "--socket=" + (inside / "socket").string(),
        "--pid-file=" + (inside / "pid").string(),
        "--bind-address=127.0.0.1",
        "--mysqlx=0",
        "--skip-name-resolve",
        "--innodb-buffer-pool-size=64M",
        "--innodb-redo-log-capacity=32M",
    };
    auto first = server;
    first.push_back("--initialize-insecure");
    install(first, folder / "install.log");
    auto again = server;
    again.push_back("--init-file=" + (inside / "accounts.sql").string());
    start(again, folder / "server.log");
}

RedisServer::RedisServer(std::vector<std::string> arguments) {
    const auto log = folder_.path() / "redis.log";
    for (int attempt = 1; attempt <= port_attempts_max; ++attempt) {
        port_ = free_port();
        std::vector<std::string> command{
            "redis-server",
            "--port",
            std::to_string(port_),
            "--bind",
            "127.0.0.1",
            "--save",
            "",
            "--appendonly",
            "no",
            "--dir",
            folder_.path().string()};
        command.insert(command.end(), arguments.begin(), arguments.end());
        process_.start(command, log);
        if (wait_until_accepts(process_, port_, false)) return;
        process_.kill_and_wait();
    }
    throw std::runtime_error("redis-server did not start: " + content_of(log));
}

std::string RedisServer::command(const std::vector<std::string>& words) const {
    std::vector<std::string> line{"redis-cli", "-h", "127.0.0.1", "-p", std::to_string(port_)};
    line.insert(line.end(), words.begin(), words.end());
    const auto output = folder_.path() / "reply";
    std::filesystem::remove(output);
    ChildProcess client;
    client.start(line, output);
    if (client.wait() != 0) throw std::runtime_error("redis-cli failed");
    auto reply = content_of(output);
    while (!reply.empty() && reply.back() == '\n') reply.pop_back();
    return reply;
}

}  // namespace support
