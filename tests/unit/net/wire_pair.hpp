#pragma once
// Two wires with one connection between them, on an io_context that the test drives. Each call runs
// the loop until the coroutine it starts has ended; its deadline only turns a hang into a failure.

#include "proxy/net/wire.hpp"

#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>

#include <optional>

namespace proxy::testing {

using Bytes = std::vector<std::uint8_t>;

class WirePair : public ::testing::Test {
protected:
    WirePair();
    ~WirePair() override;

    // What was started and not awaited yet goes on meanwhile.
    void start_write(Wire& wire, Bytes bytes);
    void start_tls(Wire& wire, TlsStream stream, std::optional<ErrorCode>& result);
    void start_fill(Wire& wire, ReadBuffer& buffer, std::optional<ErrorCode>& result);
    void run_until(const std::function<bool()>& done);
    // Reads until `size` bytes are there or reading fails, which `error` then says.
    Bytes read(Wire& wire, std::size_t size, ErrorCode& error);
    // The same for both directions: `bytes` arrive as they were sent.
    void expect_exchange(const Bytes& bytes);

    boost::asio::io_context context_;
    std::optional<Wire> near_;
    std::optional<Wire> far_;
    std::size_t writes_under_way_ = 0;
    ErrorCode write_error_;

private:
    Task<> run_write(Wire& wire, Bytes bytes);
    Task<> run_read(Wire& wire, Bytes& out, std::size_t size, ErrorCode& error, bool& ended);
    Task<> run_fill(Wire& wire, ReadBuffer& buffer, std::optional<ErrorCode>& result);
    Task<> run_tls(Wire& wire, TlsStream stream, std::optional<ErrorCode>& result);

    ReadBuffer near_in_;
    ReadBuffer far_in_;
};

// Bytes that compress neither to nothing nor not at all.
[[nodiscard]] Bytes sample(std::size_t size);

}  // namespace proxy::testing
