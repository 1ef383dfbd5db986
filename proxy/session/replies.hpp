#pragma once
// Every ERR and OK that the proxy itself writes, in one table. Pure.

#include "protocol/packets.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace proxy {

struct OwnError {
    std::uint16_t code = 0;
    std::string sql_state;
    std::string message;
};

namespace replies {

// Our refusals use ER_NOT_SUPPORTED_YET: drivers treat it as an error of the statement, not of the
// connection.
[[nodiscard]] OwnError refused(std::string_view reason);
[[nodiscard]] OwnError unreadable_packet(std::string_view reason);
[[nodiscard]] OwnError backend_unreachable(std::string_view address, std::string_view reason);
[[nodiscard]] OwnError ssl_not_offered();
[[nodiscard]] OwnError proxy_header(std::string_view peer, std::string_view problem);
[[nodiscard]] OwnError proxy_header_from_stranger(std::string_view peer);
// The words of a server with require_secure_transport.
[[nodiscard]] OwnError secure_transport_required();
[[nodiscard]] OwnError backend_without_tls();
// The client would send its password as it is, and the backend leg is not secure.
[[nodiscard]] OwnError password_would_leak();
// The server expects the password as it is, and the client leg is not secure.
[[nodiscard]] OwnError password_needs_secure_client();
[[nodiscard]] OwnError too_many_connections();
[[nodiscard]] OwnError shutting_down();
[[nodiscard]] OwnError ledger_unreachable(std::string_view reason);
[[nodiscard]] OwnError sku_paused(std::string_view sku_id);
// What an UNSIGNED column gives when it would go below zero.
[[nodiscard]] OwnError below_zero(
    std::string_view schema, std::string_view table, std::string_view column, std::int64_t units
);
[[nodiscard]] OwnError above_maximum(std::string_view column);

// The info text of an UPDATE.
[[nodiscard]] std::string update_info(std::uint64_t matched, std::uint64_t changed);

}  // namespace replies
}  // namespace proxy
