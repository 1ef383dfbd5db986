#include "proxy/session/replies.hpp"

namespace proxy::replies {
namespace {

OwnError make(std::uint16_t code, const char* sql_state, std::string message) {
    OwnError error;
    error.code = code;
    error.sql_state = sql_state;
    error.message = std::move(message);
    return error;
}

}  // namespace

OwnError refused(std::string_view reason) {
    return make(1235, "42000", "Stockgate: " + std::string{reason});
}

OwnError unreadable_packet(std::string_view reason) {
    return make(1835, "HY000", "Stockgate: malformed packet: " + std::string{reason});
}

// Never a code from 2000 to 2999: those are the client libraries' own, and some take an ERR packet
// with one for a malformed packet.
OwnError backend_unreachable(std::string_view address, std::string_view reason) {
    return make(
        1053,
        "08S01",
        "Stockgate: cannot connect to the database at " + std::string{address} + ": " +
            std::string{reason}
    );
}

OwnError ssl_not_offered() {
    return make(
        1043,
        "08S01",
        "Stockgate: TLS was requested, but this listener does not offer it; connect without TLS"
    );
}

OwnError proxy_header(std::string_view peer, std::string_view problem) {
    return make(
        1156,
        "08S01",
        "Stockgate: no usable PROXY protocol header from " + std::string{peer} + ": " +
            std::string{problem} +
            "; let the load balancer send one, or take its address out of "
            "client.proxy_protocol.trusted"
    );
}

OwnError proxy_header_from_stranger(std::string_view peer) {
    return make(
        1156,
        "08S01",
        "Stockgate: a PROXY protocol header from " + std::string{peer} +
            ", which is not in client.proxy_protocol.trusted"
    );
}

OwnError secure_transport_required() {
    return make(
        3159,
        "HY000",
        "Connections using insecure transport are prohibited while "
        "--require_secure_transport=ON."
    );
}

OwnError backend_without_tls() {
    return make(
        1043,
        "08S01",
        "Stockgate: backend.tls.mode is required, but the database does not offer TLS"
    );
}

OwnError password_would_leak() {
    return make(
        1045,
        "28000",
        "Stockgate: this login needs the password itself, which must not go to the database over "
        "an unencrypted connection; set backend.tls.mode to as_client or required"
    );
}

OwnError password_needs_secure_client() {
    return make(
        1045,
        "28000",
        "Stockgate: this login needs the password itself; connect with TLS (client.tls), or set "
        "backend.tls.mode to as_client"
    );
}

OwnError too_many_connections() {
    return make(1040, "08004", "Stockgate: too many connections (limits.connections_max)");
}

OwnError shutting_down() {
    return make(1053, "08S01", "Stockgate: server shutdown in progress");
}

OwnError ledger_unreachable(std::string_view reason) {
    return make(
        1205,
        "HY000",
        "Stockgate: the ledger could not be asked (" + std::string{reason} +
            "); try restarting transaction"
    );
}

OwnError sku_paused(std::string_view sku_id) {
    return make(
        1235,
        "42000",
        "Stockgate: " + std::string{sku_id} +
            " is paused, being adopted or being drained; try again in a "
            "moment"
    );
}

OwnError below_zero(
    std::string_view schema, std::string_view table, std::string_view column, std::int64_t units
) {
    return make(
        1690,
        "22003",
        "BIGINT UNSIGNED value is out of range in '(`" + std::string{schema} + "`.`" +
            std::string{table} + "`.`" + std::string{column} + "` - " + std::to_string(units) + ")'"
    );
}

OwnError above_maximum(std::string_view column) {
    return make(
        1264, "22003", "Out of range value for column '" + std::string{column} + "' at row 1"
    );
}

std::string update_info(std::uint64_t matched, std::uint64_t changed) {
    return "Rows matched: " + std::to_string(matched) + "  Changed: " + std::to_string(changed) +
           "  Warnings: 0";
}

}  // namespace proxy::replies
