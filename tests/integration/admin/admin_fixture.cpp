#include "tests/integration/admin/admin_fixture.hpp"

#include <arpa/inet.h>
#include <boost/asio/post.hpp>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <future>
#include <stdexcept>

namespace {

constexpr int patience_ms = 20'000;

std::string lower(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(), [](unsigned char byte) {
        return static_cast<char>(std::tolower(byte));
    });
    return text;
}

}  // namespace

RawClient::RawClient(std::uint16_t port) : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    sockaddr generic{};
    static_assert(sizeof generic == sizeof address);
    std::copy_n(
        reinterpret_cast<const char*>(&address), sizeof address, reinterpret_cast<char*>(&generic)
    );
    if (socket_ < 0 || ::connect(socket_, &generic, sizeof generic) != 0) {
        if (socket_ >= 0) ::close(socket_);
        throw std::runtime_error("no connection to the admin server");
    }
}

RawClient::~RawClient() {
    ::close(socket_);
}

bool RawClient::send(std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (sent <= 0) return false;
        bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
}

void RawClient::finish_sending() {
    ::shutdown(socket_, SHUT_WR);
}

bool RawClient::is_readable(int wait_ms) {
    pollfd waiting{socket_, POLLIN, 0};
    return ::poll(&waiting, 1, wait_ms) == 1;
}

bool RawClient::fill() {
    char bytes[16 * 1024];
    if (!is_readable(patience_ms)) return false;
    const ssize_t count = ::recv(socket_, bytes, sizeof bytes, 0);
    if (count <= 0) return false;
    received_.append(bytes, static_cast<std::size_t>(count));
    return true;
}

std::optional<HttpReply> RawClient::receive(bool is_head) {
    std::size_t end = 0;
    while ((end = received_.find("\r\n\r\n")) == std::string::npos) {
        if (!fill()) return std::nullopt;
    }
    const std::string head = received_.substr(0, end + 2);
    received_.erase(0, end + 4);
    HttpReply reply;
    reply.status = std::stoi(head.substr(head.find(' ') + 1, 3));
    for (std::size_t begin = head.find("\r\n") + 2; begin < head.size();) {
        const std::size_t line_end = head.find("\r\n", begin);
        const std::size_t colon = head.find(':', begin);
        reply.headers[lower(head.substr(begin, colon - begin))] =
            head.substr(colon + 2, line_end - colon - 2);
        begin = line_end + 2;
    }
    if (is_head || reply.status == 100) return reply;
    const std::size_t length = std::stoul(reply.headers["content-length"]);
    while (received_.size() < length) {
        if (!fill()) return std::nullopt;
    }
    reply.body = received_.substr(0, length);
    received_.erase(0, length);
    return reply;
}

bool RawClient::is_closed_by_server() {
    if (!received_.empty() || !is_readable(patience_ms)) return false;
    char byte = 0;
    return ::recv(socket_, &byte, 1, 0) <= 0;
}

AdminTest::AdminTest() = default;

AdminTest::~AdminTest() {
    if (thread_.joinable()) stop_server();
}

void AdminTest::start() {
    proxy::AdminPorts ports;
    ports.version = "0.1.0";
    ports.health = [] {
        proxy::HealthReport report;
        report.status = proxy::HealthReport::Status::ok;
        return report;
    };
    ports.metrics_text = [this] { return metrics_.render() + extra_metrics_; };
    ports.breaker_status = [this] {
        proxy::BreakerReport report;
        report.mode = mode_;
        return report;
    };
    ports.set_breaker = [this](config::BreakerMode mode) {
        mode_ = mode;
        ++breaker_sets_;
    };
    ports.skus = [] { return std::vector<proxy::SkuReport>(2); };
    server_ =
        std::make_unique<proxy::AdminServer>(control_.get_executor(), std::move(ports), limits_);
    const auto port = server_->listen({"127.0.0.1", 0});
    ASSERT_TRUE(port.has_value());
    port_ = *port;
    thread_ = std::thread([this] { control_.run(); });
}

void AdminTest::stop_server() {
    boost::asio::post(control_, [this] { server_->stop(); });
    thread_.join();
}

void AdminTest::on_control(const std::function<void()>& action) {
    std::promise<void> done;
    boost::asio::post(control_, [&] {
        action();
        done.set_value();
    });
    done.get_future().wait();
}

std::size_t AdminTest::connections() {
    std::size_t count = 0;
    on_control([&] { count = server_->connections(); });
    return count;
}

bool AdminTest::reaches(std::size_t wanted) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(patience_ms);
    while (connections() != wanted) {
        if (std::chrono::steady_clock::now() > end) return false;
        std::this_thread::yield();
    }
    return true;
}

std::optional<HttpReply> AdminTest::exchange(std::string_view request, bool is_head) {
    RawClient client(port_);
    client.send(request);
    return client.receive(is_head);
}

bool AdminTest::is_healthy() {
    const auto reply = exchange("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
    return reply && reply->status == 200;
}
