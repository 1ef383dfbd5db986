#pragma once
// Capability and status flags, and the one table that says which capabilities we let through.
// Both legs of a session always use the identical set: a bit that we cannot honour is cleared in
// the backend's greeting, so that it never appears in the client's answer.
// Source: MySQL "Capabilities Flags" / MariaDB "Connection: capabilities".

#include <cstdint>
#include <string_view>

namespace protocol {

namespace capability {
inline constexpr std::uint32_t long_password =
    1U << 0;  // MariaDB: CLIENT_MYSQL; clear = MariaDB greeting
inline constexpr std::uint32_t found_rows = 1U << 1;
inline constexpr std::uint32_t long_flag = 1U << 2;
inline constexpr std::uint32_t connect_with_db = 1U << 3;
inline constexpr std::uint32_t no_schema = 1U << 4;
inline constexpr std::uint32_t compress = 1U << 5;
inline constexpr std::uint32_t odbc = 1U << 6;
inline constexpr std::uint32_t local_files = 1U << 7;
inline constexpr std::uint32_t ignore_space = 1U << 8;
inline constexpr std::uint32_t protocol_41 = 1U << 9;
inline constexpr std::uint32_t interactive = 1U << 10;
inline constexpr std::uint32_t ssl = 1U << 11;
inline constexpr std::uint32_t ignore_sigpipe = 1U << 12;
inline constexpr std::uint32_t transactions = 1U << 13;
inline constexpr std::uint32_t reserved = 1U << 14;
inline constexpr std::uint32_t secure_connection = 1U << 15;
inline constexpr std::uint32_t multi_statements = 1U << 16;
inline constexpr std::uint32_t multi_results = 1U << 17;
inline constexpr std::uint32_t ps_multi_results = 1U << 18;
inline constexpr std::uint32_t plugin_auth = 1U << 19;
inline constexpr std::uint32_t connect_attrs = 1U << 20;
inline constexpr std::uint32_t plugin_auth_lenenc_data = 1U << 21;
inline constexpr std::uint32_t can_handle_expired_passwords = 1U << 22;
inline constexpr std::uint32_t session_track = 1U << 23;
inline constexpr std::uint32_t deprecate_eof = 1U << 24;
inline constexpr std::uint32_t optional_resultset_metadata = 1U << 25;
inline constexpr std::uint32_t zstd_compression = 1U << 26;
inline constexpr std::uint32_t query_attributes = 1U << 27;
inline constexpr std::uint32_t multi_factor_authentication = 1U << 28;
inline constexpr std::uint32_t extension = 1U << 29;  // MySQL: kept for a second word
inline constexpr std::uint32_t ssl_verify_server_certificate = 1U << 30;
inline constexpr std::uint32_t remember_options = 1U << 31;
}  // namespace capability

// MariaDB's second word, in the last four of the greeting's reserved bytes, valid only where
// long_password is clear in the greeting.
namespace mariadb_capability {
inline constexpr std::uint32_t progress = 1U << 0;
inline constexpr std::uint32_t com_multi = 1U << 1;
inline constexpr std::uint32_t stmt_bulk_operations = 1U << 2;
inline constexpr std::uint32_t extended_metadata = 1U << 3;
inline constexpr std::uint32_t cache_metadata = 1U << 4;
inline constexpr std::uint32_t bulk_unit_results = 1U << 5;
}  // namespace mariadb_capability

namespace status {
inline constexpr std::uint16_t in_trans = 0x0001;
inline constexpr std::uint16_t autocommit = 0x0002;
inline constexpr std::uint16_t more_results = 0x0008;
inline constexpr std::uint16_t no_good_index_used = 0x0010;
inline constexpr std::uint16_t no_index_used = 0x0020;
inline constexpr std::uint16_t cursor_exists = 0x0040;
inline constexpr std::uint16_t last_row_sent = 0x0080;
inline constexpr std::uint16_t db_dropped = 0x0100;
inline constexpr std::uint16_t no_backslash_escapes = 0x0200;
inline constexpr std::uint16_t metadata_changed = 0x0400;
inline constexpr std::uint16_t query_was_slow = 0x0800;
inline constexpr std::uint16_t ps_out_params = 0x1000;
inline constexpr std::uint16_t in_trans_readonly = 0x2000;
inline constexpr std::uint16_t session_state_changed = 0x4000;
inline constexpr std::uint16_t ansi_quotes = 0x8000;  // MariaDB only
}  // namespace status

// One agreed set. Of the bits that both sides know, the client's answer wins.
struct Capabilities {
    std::uint32_t flags = 0;
    std::uint32_t mariadb_flags = 0;
    [[nodiscard]] bool has(std::uint32_t flag) const noexcept { return (flags & flag) != 0; }
    [[nodiscard]] bool has_mariadb(std::uint32_t flag) const noexcept {
        return (mariadb_flags & flag) != 0;
    }
    bool operator==(const Capabilities&) const = default;
};

// What we let through. Masked: MariaDB progress and com_multi. Not passed on, but made on each leg
// by itself: ssl, compress and zstd_compression. Everything else is framed correctly and passes.
[[nodiscard]] Capabilities passable_capabilities() noexcept;

// The bit that an operator may withhold by name (client.mask); empty for any other name.
[[nodiscard]] Capabilities capability_named(std::string_view name) noexcept;

}  // namespace protocol
