#include "tests/integration/gate/redis_server.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <thread>

namespace proxy::testing {
namespace {

using namespace std::chrono_literals;

class Socket {
public:
    Socket() : descriptor_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
        if (descriptor_ < 0) throw std::runtime_error("socket");
    }
    ~Socket() { ::close(descriptor_); }
    Socket(const Socket&) = delete;
    Socket& operator=(const Socket&) = delete;
    [[nodiscard]] int get() const noexcept { return descriptor_; }

private:
    int descriptor_;
};

sockaddr_in loopback(std::uint16_t port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return address;
}

// PING is answered, by +PONG or by an error such as NOAUTH: it is up.
bool answers(std::uint16_t port) {
    const Socket socket;
    const auto address = loopback(port);
    const auto* generic = reinterpret_cast<const sockaddr*>(&address);
    if (::connect(socket.get(), generic, sizeof address) != 0) return false;
    constexpr char ping[] = "PING\r\n";
    if (::write(socket.get(), ping, sizeof ping - 1) != sizeof ping - 1) return false;
    char first = 0;
    return ::read(socket.get(), &first, 1) == 1 && (first == '+' || first == '-');
}

}  // namespace

std::uint16_t free_port() {
    const Socket socket;
    auto address = loopback(0);
    socklen_t length = sizeof address;
    auto* generic = reinterpret_cast<sockaddr*>(&address);
    if (::bind(socket.get(), generic, sizeof address) != 0 ||
        ::getsockname(socket.get(), generic, &length) != 0) {
        throw std::runtime_error("no free port");
    }
    return ntohs(address.sin_port);
}

RedisServer::RedisServer(std::vector<std::string> arguments) : arguments_(std::move(arguments)) {
    std::string pattern = (std::filesystem::temp_directory_path() / "gate-redis-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("mkdtemp");
    folder_ = pattern;
    port_ = free_port();
    start();
}

RedisServer::~RedisServer() {
    kill();
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
}

void RedisServer::start() {
    launch();
    wait_until_ready();
}

void RedisServer::launch() {
    std::vector<std::string> words{
        "redis-server",
        "--port",
        std::to_string(port_),
        "--bind",
        "127.0.0.1",
        "--dir",
        folder_,
        "--save",
        "",
        "--appendonly",
        "no",
        "--logfile",
        folder_ + "/log"};
    words.insert(words.end(), arguments_.begin(), arguments_.end());
    std::vector<char*> argv;
    for (auto& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    pid_ = ::fork();
    if (pid_ < 0) throw std::runtime_error("fork");
    if (pid_ == 0) {
        // It must not outlive a test that is killed, nor hold its output open.
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        const int nowhere = ::open("/dev/null", O_RDWR);
        if (nowhere >= 0) {
            for (const int standard : {0, 1, 2}) ::dup2(nowhere, standard);
        }
        ::execvp(argv[0], argv.data());
        ::_exit(127);
    }
}

void RedisServer::wait_until_ready() const {
    const auto limit = std::chrono::steady_clock::now() + 30s;
    while (!answers(port_)) {
        int status = 0;
        if (::waitpid(pid_, &status, WNOHANG) == pid_) {
            throw std::runtime_error("redis-server did not start; is it installed?");
        }
        if (std::chrono::steady_clock::now() > limit)
            throw std::runtime_error("redis-server hangs");
        std::this_thread::sleep_for(10ms);
    }
}

void RedisServer::kill() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    int status = 0;
    ::waitpid(pid_, &status, 0);
    pid_ = -1;
}

void RedisServer::stop() {
    ::kill(pid_, SIGSTOP);
    int status = 0;
    if (::waitpid(pid_, &status, WUNTRACED) != pid_ || !WIFSTOPPED(status)) {
        throw std::runtime_error("redis-server did not stop");
    }
}

void RedisServer::resume() {
    ::kill(pid_, SIGCONT);
}

}  // namespace proxy::testing
