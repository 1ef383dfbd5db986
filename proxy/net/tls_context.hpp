#pragma once
// Certificates, keys and rules of TLS on each side, as loaded from the files that the configuration
// names. A context is immutable and shared: sessions keep the one they began with, so that
// reloading certificates disturbs nobody. Loading reads files and is for the control context only.

#include "config/config.hpp"
#include "proxy/net/tls_stream.hpp"

#include <memory>
#include <string>

namespace proxy {

class TlsContext {
public:
    // For the side that clients connect to.
    struct Loaded {
        std::shared_ptr<const TlsContext> context;
        std::string wrong;  // empty on success: the file and what is wrong with it
    };
    [[nodiscard]] static Loaded load_server(const config::ClientTls& tls);
    // For the backend side; `host` is where we connect to.
    [[nodiscard]] static Loaded load_client(const config::BackendTls& tls, const std::string& host);

    [[nodiscard]] TlsStream new_stream() const;

private:
    struct FreeContext {
        void operator()(SSL_CTX* context) const noexcept { SSL_CTX_free(context); }
    };
    std::unique_ptr<SSL_CTX, FreeContext> context_;
    TlsStream::Role role_ = TlsStream::Role::server;
    std::string host_;            // SNI
    bool verifies_host_ = false;  // the certificate must be for host_
};

}  // namespace proxy
