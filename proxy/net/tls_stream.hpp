#pragma once
// One TLS session without a socket: sealed bytes go in and come out through buffers, so that the
// transport under it stays the same as without TLS. Uses OpenSSL; its per-thread error queue is
// cleared before each call, so that one session's trouble never shows up in another's.

#include <openssl/ssl.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace proxy {

class ReadBuffer;

class TlsStream {
public:
    enum class Role : std::uint8_t { server, client };
    // `host`: the name to ask for (SNI); empty for none. Whether the certificate is checked against
    // it is the context's matter (tls_context.hpp).
    TlsStream(SSL_CTX* context, Role role, const std::string& host);
    TlsStream(TlsStream&&) noexcept;
    ~TlsStream();

    // The peer's certificate must be for this name, or for this IP address.
    void expect_host(const std::string& host, bool is_address);

    // Sealed bytes are read from here; must outlive the stream or be replaced.
    void set_input(ReadBuffer* sealed) noexcept;

    enum class Outcome : std::uint8_t { done, needs_input, closed, failed };
    [[nodiscard]] Outcome handshake();
    // Unseals into `out`; `count` is set with `done`.
    [[nodiscard]] Outcome read(std::span<std::uint8_t> out, std::size_t& count);
    // Seals all of `bytes`; the result is in output().
    [[nodiscard]] Outcome write(std::span<const std::uint8_t> bytes);
    void close_notify();

    // Sealed bytes to be sent; clear_output() once they are.
    [[nodiscard]] std::span<const std::uint8_t> output() const noexcept;
    void clear_output() noexcept;
    // Why the last call failed, without bytes of the session.
    [[nodiscard]] const std::string& problem() const noexcept { return problem_; }

    struct Bio;

private:
    [[nodiscard]] Outcome outcome_of(int result);

    struct FreeSsl {
        void operator()(SSL* ssl) const noexcept { SSL_free(ssl); }
    };
    std::unique_ptr<Bio> bio_;
    std::unique_ptr<SSL, FreeSsl> ssl_;
    std::string problem_;
};

}  // namespace proxy
