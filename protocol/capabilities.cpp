#include "protocol/capabilities.hpp"

namespace protocol {

namespace {

enum class Word : std::uint8_t { common, mariadb };

struct Entry {
    Word word;
    std::uint32_t flag;
    bool passes;
};

// The one table. A bit that is not listed, or does not pass, is cleared in the greeting.
constexpr Entry table[] = {
    {Word::common, capability::long_password, true},
    {Word::common, capability::found_rows, true},
    {Word::common, capability::long_flag, true},
    {Word::common, capability::connect_with_db, true},
    {Word::common, capability::no_schema, true},
    {Word::common, capability::compress, false},  // each leg has its own, see login.cpp
    {Word::common, capability::odbc, true},
    {Word::common, capability::local_files, true},
    {Word::common, capability::ignore_space, true},
    {Word::common, capability::protocol_41, true},
    {Word::common, capability::interactive, true},
    {Word::common, capability::ssl, false},  // each leg has its own
    {Word::common, capability::ignore_sigpipe, true},
    {Word::common, capability::transactions, true},
    {Word::common, capability::reserved, true},
    {Word::common, capability::secure_connection, true},
    {Word::common, capability::multi_statements, true},
    {Word::common, capability::multi_results, true},
    {Word::common, capability::ps_multi_results, true},
    {Word::common, capability::plugin_auth, true},
    {Word::common, capability::connect_attrs, true},
    {Word::common, capability::plugin_auth_lenenc_data, true},
    {Word::common, capability::can_handle_expired_passwords, true},
    {Word::common, capability::session_track, true},
    {Word::common, capability::deprecate_eof, true},
    {Word::common, capability::optional_resultset_metadata, true},
    {Word::common, capability::zstd_compression, false},
    {Word::common, capability::query_attributes, true},
    {Word::common, capability::multi_factor_authentication, true},
    {Word::common, capability::extension, false},  // MariaDB: the former progress bit
    // Options inside client libraries; servers set them and nothing on the wire depends on them.
    {Word::common, capability::ssl_verify_server_certificate, true},
    {Word::common, capability::remember_options, true},
    {Word::mariadb, mariadb_capability::progress, false},   // ERR-shaped packets between rows
    {Word::mariadb, mariadb_capability::com_multi, false},  // several commands in one packet
    {Word::mariadb, mariadb_capability::stmt_bulk_operations, true},
    {Word::mariadb, mariadb_capability::extended_metadata, true},
    {Word::mariadb, mariadb_capability::cache_metadata, true},
    {Word::mariadb, mariadb_capability::bulk_unit_results, true},
};

constexpr Capabilities sum_of_table() noexcept {
    Capabilities sum;
    for (const Entry& entry : table) {
        if (!entry.passes) continue;
        (entry.word == Word::common ? sum.flags : sum.mariadb_flags) |= entry.flag;
    }
    return sum;
}

}  // namespace

Capabilities passable_capabilities() noexcept {
    static constexpr Capabilities sum = sum_of_table();
    return sum;
}

Capabilities capability_named(std::string_view name) noexcept {
    struct Named {
        std::string_view name;
        Capabilities capability;
    };
    static constexpr Named names[] = {
        {"query_attributes", {capability::query_attributes, 0}},
        {"optional_resultset_metadata", {capability::optional_resultset_metadata, 0}},
        {"session_track", {capability::session_track, 0}},
        {"deprecate_eof", {capability::deprecate_eof, 0}},
        {"local_files", {capability::local_files, 0}},
        {"multi_statements", {capability::multi_statements, 0}},
        {"connect_attrs", {capability::connect_attrs, 0}},
        {"mariadb_cache_metadata", {0, mariadb_capability::cache_metadata}},
        {"mariadb_bulk_operations", {0, mariadb_capability::stmt_bulk_operations}},
        {"mariadb_extended_metadata", {0, mariadb_capability::extended_metadata}},
    };
    for (const Named& named : names) {
        if (named.name == name) return named.capability;
    }
    return {};
}

}  // namespace protocol
