#pragma once
// One side of a session: a stream socket (TCP or Unix) and the layers on it, TLS and MySQL's
// compressed packets, so that callers see plain MySQL bytes. Owned by its session, used on its core
// only, by one reader and one writer at a time. Errors come back as codes; nothing throws on the
// data path. Without layers a read or a write is one system call and no copy.

#include "protocol/compressed.hpp"
#include "proxy/net/read_buffer.hpp"
#include "proxy/net/relay_socket.hpp"
#include "proxy/net/tls_stream.hpp"
#include "proxy/runtime/spawn.hpp"

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace proxy {

using ErrorCode = boost::system::error_code;

class Wire {
public:
    explicit Wire(StreamSocket socket);
    Wire(Wire&&) noexcept;
    Wire& operator=(Wire&&) = delete;
    ~Wire();

    // Latency before all: no Nagle; keepalive so that a vanished peer ends the session at last.
    void set_options() noexcept;
    // Reads what is there into the buffer; eof and reset are error codes.
    Task<ErrorCode> fill(ReadBuffer& buffer);
    // Hands over what the socket takes at once and returns what is left for write().
    [[nodiscard]] std::span<const std::uint8_t> write_now(std::span<const std::uint8_t> bytes
    ) noexcept;
    Task<ErrorCode> write(std::span<const std::uint8_t> bytes);

    // `already_read`: what the peer sent behind its request to change over. On failure
    // `tls_problem` says why.
    Task<ErrorCode> start_tls(TlsStream tls, std::span<const std::uint8_t> already_read);
    void start_compression(
        protocol::Compression algorithm, int level, std::span<const std::uint8_t> already_read
    );
    [[nodiscard]] bool is_compressed() const noexcept { return packed_ != nullptr; }
    // How compressed packets are numbered is the session's to know. The next byte written begins a
    // command, which counts from 0 and has a packet of its own; or the reply to one of several
    // commands that came at once; or answers what was read last (a reply, file data,
    // authentication).
    void begin_command() noexcept;
    void begin_pipelined_reply() noexcept;
    void follow_peer() noexcept;

    // The peer sees the end of the stream; with TLS also its close_notify.
    void shutdown_send() noexcept;
    void close() noexcept;
    [[nodiscard]] bool is_open() const noexcept { return socket_.is_open(); }
    // The peer has closed, or reset, or sent nothing yet: looks without taking anything.
    [[nodiscard]] bool peer_has_closed() noexcept;
    // To be called about twice a second while a read waits: an end of stream that came together
    // with the last bytes is noticed only here (relay_socket.hpp). Looks only after a read since.
    void look_for_end() noexcept;
    // The next read looks before it waits: for when an end is likely to have come with the bytes
    // just read.
    void expect_end() noexcept { looks_first_ = true; }
    [[nodiscard]] bool has_tls() const noexcept { return tls_ != nullptr; }
    [[nodiscard]] bool is_unix() const noexcept { return is_unix_; }
    [[nodiscard]] const std::string& tls_problem() const noexcept { return tls_problem_; }
    [[nodiscard]] StreamSocket& socket() noexcept { return socket_; }

    // Since when a write has waited for the peer to take bytes; empty when none waits.
    [[nodiscard]] std::optional<std::chrono::steady_clock::time_point> blocked_since() const {
        return blocked_since_;
    }

private:
    struct Packed;

    Task<ErrorCode> fill_plain(ReadBuffer& buffer);
    [[nodiscard]] bool read_now(ReadBuffer& buffer);
    Task<ErrorCode> fill_tls(ReadBuffer& buffer);
    Task<ErrorCode> fill_packed(ReadBuffer& buffer);
    Task<ErrorCode> write_plain(std::span<const std::uint8_t> bytes);
    Task<ErrorCode> write_secure(std::span<const std::uint8_t> bytes);
    Task<ErrorCode> flush_tls();

    RelaySocket socket_;
    bool is_unix_ = false;
    // Set once reading has failed. Asio would wait for an event that has been and gone if it were
    // asked to read again behind the end of the stream.
    ErrorCode read_end_;
    bool read_lately_ = false;
    bool looks_first_ = false;
    std::unique_ptr<TlsStream> tls_;
    std::unique_ptr<ReadBuffer> sealed_in_;  // what TLS has not taken yet
    std::unique_ptr<Packed> packed_;
    std::string tls_problem_;
    std::optional<std::chrono::steady_clock::time_point> blocked_since_;
};

}  // namespace proxy
