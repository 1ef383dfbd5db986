#include "proxy/sql/sql_link.hpp"

namespace proxy {

SqlAccount backend_account(const config::Backend& backend) {
    using Mode = config::BackendTls::Mode;
    SqlAccount account;
    account.host = backend.address.host;
    account.port = backend.address.port;
    account.socket = backend.address.path;
    // No client's choice is followed here: as_client means none of our own.
    account.use_tls = backend.tls.mode == Mode::required ||
                      (backend.tls.mode == Mode::preferred && !backend.address.is_unix());
    account.tls_ca = backend.tls.ca;
    account.tls_certificate = backend.tls.certificate;
    account.tls_key = backend.tls.key;
    account.verify_host = backend.tls.verify == config::BackendTls::Verify::host;
    return account;
}

}  // namespace proxy
