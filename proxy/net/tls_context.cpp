#include "proxy/net/tls_context.hpp"

#include <openssl/err.h>
#include <openssl/x509v3.h>

namespace proxy {
namespace {

std::string why() {
    const unsigned long code = ERR_get_error();
    ERR_clear_error();
    const char* reason = code != 0 ? ERR_reason_error_string(code) : nullptr;
    return reason != nullptr ? reason : "cannot be used";
}

// Empty on success.
std::string use_certificate(
    SSL_CTX* context, const std::string& certificate, const std::string& key
) {
    ERR_clear_error();
    if (SSL_CTX_use_certificate_chain_file(context, certificate.c_str()) != 1)
        return certificate + ": " + why();
    if (SSL_CTX_use_PrivateKey_file(context, key.c_str(), SSL_FILETYPE_PEM) != 1)
        return key + ": " + why();
    if (SSL_CTX_check_private_key(context) != 1)
        return key + ": is not the key of the certificate " + certificate;
    return {};
}

std::string trust(SSL_CTX* context, const std::string& authorities) {
    ERR_clear_error();
    if (SSL_CTX_load_verify_file(context, authorities.c_str()) != 1)
        return authorities + ": " + why();
    return {};
}

void set_rules(SSL_CTX* context) {
    SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
    // Renegotiation is how a peer makes the other side work; TLS 1.3 has none.
    SSL_CTX_set_options(
        context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION | SSL_OP_IGNORE_UNEXPECTED_EOF
    );
    // An idle session holds no record buffers.
    SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
}

bool is_address(const std::string& host) {
    return host.find(':') != std::string::npos ||
           host.find_first_not_of("0123456789.") == std::string::npos;
}

}  // namespace

TlsContext::Loaded TlsContext::load_server(const config::ClientTls& tls) {
    auto made = std::make_shared<TlsContext>();
    made->context_.reset(SSL_CTX_new(TLS_server_method()));
    SSL_CTX* context = made->context_.get();
    if (context == nullptr) return {nullptr, "out of memory"};
    set_rules(context);
    if (tls.min_version == config::TlsVersion::v1_3)
        SSL_CTX_set_min_proto_version(context, TLS1_3_VERSION);
    std::string wrong = use_certificate(context, tls.certificate, tls.key);
    if (wrong.empty() && !tls.client_ca.empty()) {
        wrong = trust(context, tls.client_ca);
        // The list tells clients with several certificates which one to show.
        SSL_CTX_set_client_CA_list(context, SSL_load_client_CA_file(tls.client_ca.c_str()));
        const int required =
            tls.client_certificate_required ? SSL_VERIFY_FAIL_IF_NO_PEER_CERT : SSL_VERIFY_NONE;
        SSL_CTX_set_verify(context, SSL_VERIFY_PEER | required, nullptr);
    }
    // Resumption needs a name for the sessions that clients may resume here.
    static constexpr unsigned char name[] = "stockgate";
    SSL_CTX_set_session_id_context(context, name, sizeof name - 1);
    if (!wrong.empty()) return {nullptr, std::move(wrong)};
    return {std::move(made), {}};
}

TlsContext::Loaded TlsContext::load_client(const config::BackendTls& tls, const std::string& host) {
    using Verify = config::BackendTls::Verify;
    auto made = std::make_shared<TlsContext>();
    made->role_ = TlsStream::Role::client;
    made->context_.reset(SSL_CTX_new(TLS_client_method()));
    SSL_CTX* context = made->context_.get();
    if (context == nullptr) return {nullptr, "out of memory"};
    set_rules(context);
    std::string wrong;
    if (!tls.certificate.empty()) wrong = use_certificate(context, tls.certificate, tls.key);
    if (wrong.empty() && !tls.ca.empty()) wrong = trust(context, tls.ca);
    if (tls.verify != Verify::none) SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nullptr);
    made->host_ = tls.host.empty() ? host : tls.host;
    made->verifies_host_ = tls.verify == Verify::host;
    if (!wrong.empty()) return {nullptr, std::move(wrong)};
    return {std::move(made), {}};
}

TlsStream TlsContext::new_stream() const {
    const bool literal = is_address(host_);
    TlsStream stream{context_.get(), role_, literal ? std::string{} : host_};
    if (verifies_host_) stream.expect_host(host_, literal);
    return stream;
}

}  // namespace proxy
