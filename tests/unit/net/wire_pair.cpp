#include "wire_pair.hpp"

#include <boost/asio/local/connect_pair.hpp>
#include <boost/asio/local/stream_protocol.hpp>

#include <chrono>
#include <random>

namespace proxy::testing {

namespace asio = boost::asio;

WirePair::WirePair() {
    asio::local::stream_protocol::socket left{context_};
    asio::local::stream_protocol::socket right{context_};
    asio::local::connect_pair(left, right);
    near_.emplace(StreamSocket{std::move(left)});
    far_.emplace(StreamSocket{std::move(right)});
}

WirePair::~WirePair() {
    near_->close();
    far_->close();
    context_.restart();
    context_.run_for(std::chrono::seconds{10});
}

void WirePair::run_until(const std::function<bool()>& done) {
    constexpr std::chrono::seconds hang{30};
    context_.restart();
    while (!done()) {
        if (context_.run_one_for(hang) == 0) FAIL() << "nothing happens any more";
    }
}

Task<> WirePair::run_write(Wire& wire, Bytes bytes) {
    const auto rest = wire.write_now(bytes);
    ErrorCode error;
    if (!rest.empty()) error = co_await wire.write(rest);
    if (error) write_error_ = error;
    --writes_under_way_;
}

void WirePair::start_write(Wire& wire, Bytes bytes) {
    ++writes_under_way_;
    auto task = run_write(wire, std::move(bytes));
    spawn(context_.get_executor(), "write", std::move(task));
}

Task<> WirePair::run_tls(Wire& wire, TlsStream stream, std::optional<ErrorCode>& result) {
    const std::span<const std::uint8_t> nothing;
    const ErrorCode error = co_await wire.start_tls(std::move(stream), nothing);
    result = error;
}

void WirePair::start_tls(Wire& wire, TlsStream stream, std::optional<ErrorCode>& result) {
    auto task = run_tls(wire, std::move(stream), result);
    spawn(context_.get_executor(), "tls", std::move(task));
}

Task<> WirePair::run_fill(Wire& wire, ReadBuffer& buffer, std::optional<ErrorCode>& result) {
    const ErrorCode error = co_await wire.fill(buffer);
    result = error;
}

void WirePair::start_fill(Wire& wire, ReadBuffer& buffer, std::optional<ErrorCode>& result) {
    auto task = run_fill(wire, buffer, result);
    spawn(context_.get_executor(), "fill", std::move(task));
}

Task<> WirePair::run_read(Wire& wire, Bytes& out, std::size_t size, ErrorCode& error, bool& ended) {
    ReadBuffer& buffer = &wire == &*near_ ? near_in_ : far_in_;
    while (out.size() < size && !error) {
        if (buffer.size() == 0) error = co_await wire.fill(buffer);
        const auto piece = buffer.data().first(std::min(buffer.size(), size - out.size()));
        out.insert(out.end(), piece.begin(), piece.end());
        buffer.consume(piece.size());
    }
    ended = true;
}

Bytes WirePair::read(Wire& wire, std::size_t size, ErrorCode& error) {
    Bytes out;
    bool ended = false;
    auto task = run_read(wire, out, size, error, ended);
    spawn(context_.get_executor(), "read", std::move(task));
    run_until([&] { return ended; });
    return out;
}

void WirePair::expect_exchange(const Bytes& bytes) {
    ErrorCode error;
    start_write(*near_, bytes);
    EXPECT_EQ(read(*far_, bytes.size(), error), bytes);
    start_write(*far_, bytes);
    EXPECT_EQ(read(*near_, bytes.size(), error), bytes);
    EXPECT_FALSE(error) << error.message();
    EXPECT_FALSE(write_error_) << write_error_.message();
}

Bytes sample(std::size_t size) {
    std::minstd_rand random{7};
    Bytes bytes(size);
    for (auto& byte : bytes) byte = static_cast<std::uint8_t>("stock"[random() % 5]);
    return bytes;
}

}  // namespace proxy::testing
