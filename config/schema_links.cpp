#include "config/schema_links.hpp"

#include <array>

namespace config {
namespace {

using Name = std::string_view;

constexpr std::array<Name, 2> truths = {"false", "true"};
constexpr std::array<Name, 3> client_tls_modes = {"off", "optional", "required"};
constexpr std::array<Name, 2> tls_versions = {"TLSv1.2", "TLSv1.3"};
constexpr std::array<Name, 4> backend_tls_modes = {
    "as_client", "disabled", "preferred", "required"};
constexpr std::array<Name, 3> verifications = {"none", "ca", "host"};
constexpr std::array<Name, 2> backend_compressions = {"as_client", "off"};
constexpr std::array<Name, 3> proxy_protocols = {"off", "v1", "v2"};
// Only what a session works without.
constexpr std::array<Name, 10> maskable = {
    "query_attributes",
    "optional_resultset_metadata",
    "session_track",
    "deprecate_eof",
    "local_files",
    "multi_statements",
    "connect_attrs",
    "mariadb_cache_metadata",
    "mariadb_bulk_operations",
    "mariadb_extended_metadata"};

void visit_client_tls(ClientTls& tls, Visitor& visitor) {
    visitor.enter({"tls", "", "TLS between clients and this proxy."});
    choose(
        visitor,
        {"mode", "", "Whether clients are offered TLS, and whether one without it is refused."},
        tls.mode,
        client_tls_modes
    );
    visitor.path(
        {"certificate", "", "PEM file with this proxy's certificate and its chain."},
        tls.certificate
    );
    visitor.path({"key", "", "PEM file with the certificate's private key."}, tls.key);
    visitor.path(
        {"client_ca",
         "",
         "PEM file with the authorities of client certificates; empty to ask for none."},
        tls.client_ca
    );
    choose(
        visitor,
        {"client_certificate_required", "", "Whether a client without certificate is refused."},
        tls.client_certificate_required,
        truths
    );
    choose(
        visitor,
        {"min_version", "", "The oldest version of TLS that a client may use."},
        tls.min_version,
        tls_versions
    );
    visitor.leave();
}

void visit_backend_tls(BackendTls& tls, Visitor& visitor) {
    visitor.enter({"tls", "", "TLS between this proxy and the backend."});
    choose(
        visitor,
        {"mode",
         "",
         "as_client uses TLS for those clients that do; preferred for all where the server has "
         "it."},
        tls.mode,
        backend_tls_modes
    );
    choose(
        visitor,
        {"verify",
         "",
         "ca checks who signed the server's certificate, host also that it is for that host."},
        tls.verify,
        verifications
    );
    visitor.path({"ca", "", "PEM file with the authorities of the server's certificate."}, tls.ca);
    visitor.text(
        {"host", "", "Name expected in that certificate; empty for the one in backend.address."},
        tls.host,
        TextRule::optional_host
    );
    visitor.path(
        {"certificate", "", "PEM file with a certificate to show the server."}, tls.certificate
    );
    visitor.path({"key", "", "PEM file with that certificate's private key."}, tls.key);
    visitor.leave();
}

}  // namespace

void visit_client(Client& client, Visitor& visitor) {
    visitor.enter({"client", "", "The side that clients connect to."});
    visit_client_tls(client.tls, visitor);
    choose(
        visitor,
        {"compression", "", "Whether clients may use the compressed protocol."},
        client.compression,
        truths
    );
    visitor.enter({"proxy_protocol", "", "Load balancers that say who the client is."});
    visitor.networks(
        {"trusted",
         "",
         "Networks whose peers must begin with a PROXY header; from elsewhere it is refused."},
        client.proxy_protocol.trusted,
        {0, 256}
    );
    visitor.leave();
    visitor.choices(
        {"mask", "", "Capabilities of the server that are not offered to clients."},
        client.mask,
        maskable
    );
    visitor.leave();
}

void visit_backend(Backend& backend, Visitor& visitor) {
    visitor.enter({"backend", "", "The database server behind this proxy."});
    visitor.address(
        {"address",
         "",
         "MySQL or MariaDB server that every client connection is relayed to.",
         Presence::required},
        backend.address,
        {false, true}
    );
    visitor.duration(
        {"connect_timeout_ms", "ms", "For opening one connection to the backend."},
        backend.connect_timeout,
        call_range
    );
    visit_backend_tls(backend.tls, visitor);
    choose(
        visitor,
        {"compression", "", "as_client compresses towards the backend when the client does."},
        backend.compression,
        backend_compressions
    );
    choose(
        visitor,
        {"proxy_protocol", "", "Version of the PROXY header that tells the server who connects."},
        backend.proxy_protocol,
        proxy_protocols
    );
    visitor.leave();
}

}  // namespace config
