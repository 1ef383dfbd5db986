#pragma once
// One side of a session: a TCP socket, and a read buffer that hands out contiguous bytes. Owned by
// its session, used on its core only. Errors come back as codes; nothing throws on the data path.

#include "proxy/runtime/spawn.hpp"

#include <boost/asio/ip/tcp.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace proxy {

using ErrorCode = boost::system::error_code;

// Bytes read and not yet consumed, always contiguous. Grows only when a packet must be seen whole,
// up to the caller's bound.
class ReadBuffer {
public:
    static constexpr std::size_t size_default = 16 * 1024;

    [[nodiscard]] std::span<std::uint8_t> data() noexcept {
        return {bytes_.data() + begin_, end_ - begin_};
    }
    [[nodiscard]] std::size_t size() const noexcept { return end_ - begin_; }
    void consume(std::size_t count) noexcept;
    // Room for at least `size` bytes in all from data().begin() on, existing bytes kept.
    void reserve(std::size_t size);
    // Room to read into, never empty.
    [[nodiscard]] std::span<std::uint8_t> space();
    void filled(std::size_t count) noexcept { end_ += count; }

private:
    std::vector<std::uint8_t> bytes_;
    std::size_t begin_ = 0;
    std::size_t end_ = 0;
};

class Wire {
public:
    explicit Wire(boost::asio::ip::tcp::socket socket) : socket_(std::move(socket)) {}

    // Latency before all: no Nagle; keepalive so that a vanished peer ends the session at last.
    void set_options() noexcept;
    // Reads what is there into the buffer; eof and reset are error codes.
    Task<ErrorCode> fill(ReadBuffer& buffer);
    Task<ErrorCode> write(std::span<const std::uint8_t> bytes);
    void shutdown_send() noexcept;
    void close() noexcept;
    [[nodiscard]] bool is_open() const noexcept { return socket_.is_open(); }
    [[nodiscard]] boost::asio::ip::tcp::socket& socket() noexcept { return socket_; }

private:
    boost::asio::ip::tcp::socket socket_;
    // Set once reading has failed. Asio would wait for an event that has been and gone if it were
    // asked to read again behind the end of the stream.
    ErrorCode read_end_;
};

}  // namespace proxy
