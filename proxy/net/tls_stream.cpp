#include "proxy/net/tls_stream.hpp"

#include "proxy/net/read_buffer.hpp"

#include <openssl/err.h>
#include <openssl/x509v3.h>

#include <algorithm>
#include <cstring>

namespace proxy {

// What OpenSSL reads from and writes to.
struct TlsStream::Bio {
    ReadBuffer* input = nullptr;
    std::vector<std::uint8_t> output;
};

namespace {

// A burst of sealed records is kept for the next one up to this size.
constexpr std::size_t output_kept = 32 * 1024;

int bio_read(BIO* bio, char* out, int size) {
    auto* ends = static_cast<TlsStream::Bio*>(BIO_get_data(bio));
    BIO_clear_retry_flags(bio);
    if (ends->input == nullptr || ends->input->size() == 0 || size <= 0) {
        BIO_set_retry_read(bio);
        return -1;
    }
    const auto count = std::min(ends->input->size(), static_cast<std::size_t>(size));
    std::memcpy(out, ends->input->data().data(), count);
    ends->input->consume(count);
    return static_cast<int>(count);
}

int bio_write(BIO* bio, const char* bytes, int size) {
    auto* ends = static_cast<TlsStream::Bio*>(BIO_get_data(bio));
    BIO_clear_retry_flags(bio);
    if (size <= 0) return 0;
    ends->output.insert(ends->output.end(), bytes, bytes + size);
    return size;
}

long bio_ctrl(BIO*, int command, long, void*) {
    return command == BIO_CTRL_FLUSH ? 1 : 0;
}

BIO_METHOD* bio_method() {
    static BIO_METHOD* const method = [] {
        BIO_METHOD* made = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "session");
        BIO_meth_set_read(made, bio_read);
        BIO_meth_set_write(made, bio_write);
        BIO_meth_set_ctrl(made, bio_ctrl);
        return made;
    }();
    return method;
}

}  // namespace

TlsStream::TlsStream(SSL_CTX* context, Role role, const std::string& host)
    : bio_(std::make_unique<Bio>()), ssl_(SSL_new(context)) {
    if (!ssl_) return;
    BIO* bio = BIO_new(bio_method());
    BIO_set_data(bio, bio_.get());
    BIO_set_init(bio, 1);
    SSL_set_bio(ssl_.get(), bio, bio);  // owns it from here on
    if (role == Role::server) {
        SSL_set_accept_state(ssl_.get());
    } else {
        SSL_set_connect_state(ssl_.get());
        // What the macro SSL_set_tlsext_host_name does, which is written in C.
        if (!host.empty()) {
            std::string name = host;
            SSL_ctrl(
                ssl_.get(), SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name, name.data()
            );
        }
    }
}

TlsStream::TlsStream(TlsStream&&) noexcept = default;
TlsStream::~TlsStream() = default;

void TlsStream::expect_host(const std::string& host, bool is_address) {
    if (!ssl_) return;
    if (is_address) {
        X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl_.get()), host.c_str());
    } else {
        SSL_set1_host(ssl_.get(), host.c_str());
    }
}

void TlsStream::set_input(ReadBuffer* sealed) noexcept {
    bio_->input = sealed;
}

TlsStream::Outcome TlsStream::outcome_of(int result) {
    switch (SSL_get_error(ssl_.get(), result)) {
        case SSL_ERROR_NONE:
            return Outcome::done;
        case SSL_ERROR_WANT_READ:
        case SSL_ERROR_WANT_WRITE:
            return Outcome::needs_input;
        case SSL_ERROR_ZERO_RETURN:
            return Outcome::closed;
        default:
            break;
    }
    const unsigned long code = ERR_get_error();
    const long verified = SSL_get_verify_result(ssl_.get());
    if (verified != X509_V_OK) {
        problem_ = X509_verify_cert_error_string(verified);
    } else {
        const char* reason = code != 0 ? ERR_reason_error_string(code) : nullptr;
        problem_ = reason != nullptr ? reason : "protocol error";
    }
    ERR_clear_error();
    return Outcome::failed;
}

TlsStream::Outcome TlsStream::handshake() {
    if (!ssl_) {
        problem_ = "out of memory";
        return Outcome::failed;
    }
    ERR_clear_error();
    return outcome_of(SSL_do_handshake(ssl_.get()));
}

TlsStream::Outcome TlsStream::read(std::span<std::uint8_t> out, std::size_t& count) {
    ERR_clear_error();
    count = 0;
    const int result = SSL_read_ex(ssl_.get(), out.data(), out.size(), &count);
    return result == 1 ? Outcome::done : outcome_of(result);
}

TlsStream::Outcome TlsStream::write(std::span<const std::uint8_t> bytes) {
    while (!bytes.empty()) {
        ERR_clear_error();
        std::size_t count = 0;
        const int result = SSL_write_ex(ssl_.get(), bytes.data(), bytes.size(), &count);
        if (result != 1) return outcome_of(result);
        bytes = bytes.subspan(count);
    }
    return Outcome::done;
}

void TlsStream::close_notify() {
    ERR_clear_error();
    if (ssl_ && SSL_is_init_finished(ssl_.get()) == 1) SSL_shutdown(ssl_.get());
    ERR_clear_error();
}

std::span<const std::uint8_t> TlsStream::output() const noexcept {
    return bio_->output;
}

void TlsStream::clear_output() noexcept {
    bio_->output.clear();
    if (bio_->output.capacity() > output_kept) bio_->output.shrink_to_fit();
}

}  // namespace proxy
