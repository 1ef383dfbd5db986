#pragma once
// Command bytes and what kind of reply each has. Source: MySQL my_command.h, MariaDB COM_ docs.

#include <cstdint>
#include <string_view>

namespace protocol {

enum class Command : std::uint8_t {
    sleep = 0x00,
    quit = 0x01,
    init_db = 0x02,
    query = 0x03,
    field_list = 0x04,
    create_db = 0x05,
    drop_db = 0x06,
    refresh = 0x07,
    shutdown = 0x08,
    statistics = 0x09,
    process_info = 0x0a,
    connect = 0x0b,
    process_kill = 0x0c,
    debug = 0x0d,
    ping = 0x0e,
    time = 0x0f,
    delayed_insert = 0x10,
    change_user = 0x11,
    binlog_dump = 0x12,
    table_dump = 0x13,
    connect_out = 0x14,
    register_slave = 0x15,
    stmt_prepare = 0x16,
    stmt_execute = 0x17,
    stmt_send_long_data = 0x18,
    stmt_close = 0x19,
    stmt_reset = 0x1a,
    set_option = 0x1b,
    stmt_fetch = 0x1c,
    daemon = 0x1d,
    binlog_dump_gtid = 0x1e,
    reset_connection = 0x1f,
    clone = 0x20,
    subscribe_group_replication_stream = 0x21,
    mariadb_stmt_bulk_execute = 0xfa,
};

// The shape of a command's reply: the one table that drives the tracker.
enum class ReplyShape : std::uint8_t {
    none,        // quit, stmt_close, stmt_send_long_data
    ok_or_err,   // one packet: OK, ERR or EOF (ping, init_db, set_option, stmt_reset, ...)
    text,        // statistics: one bare string (or ERR)
    result,      // query, bulk_execute, process_info: OK / ERR / LOCAL INFILE / result sets
    prepare,     // stmt_prepare
    rows,        // stmt_fetch: rows without column definitions
    field_list,  // column definitions until EOF (OK under deprecate_eof)
    auth,        // change_user, and the login itself
    raw,         // binlog dumps, table_dump, clone: the session becomes a byte relay
    unknown,     // a command we do not know: one reply of the `result` shape
    execute,     // stmt_execute: as `result`, but the rows may stay in a cursor
};

[[nodiscard]] ReplyShape reply_shape(std::uint8_t command) noexcept;
// "COM_QUERY", or "COM_0x42" for the unknown (from a static table).
[[nodiscard]] std::string_view command_name(std::uint8_t command) noexcept;

}  // namespace protocol
