#include "protocol/command.hpp"

#include <array>

namespace protocol {

namespace {

struct Row {
    Command command;
    std::string_view name;
    ReplyShape shape;
};

// Commands that exist in a header but that no server executes (sleep, connect, time, ...) answer as
// unknown ones do: with one ERR.
constexpr Row rows[] = {
    {Command::sleep, "COM_SLEEP", ReplyShape::unknown},
    {Command::quit, "COM_QUIT", ReplyShape::none},
    {Command::init_db, "COM_INIT_DB", ReplyShape::ok_or_err},
    {Command::query, "COM_QUERY", ReplyShape::result},
    {Command::field_list, "COM_FIELD_LIST", ReplyShape::field_list},
    {Command::create_db, "COM_CREATE_DB", ReplyShape::ok_or_err},
    {Command::drop_db, "COM_DROP_DB", ReplyShape::ok_or_err},
    {Command::refresh, "COM_REFRESH", ReplyShape::ok_or_err},
    {Command::shutdown, "COM_SHUTDOWN", ReplyShape::ok_or_err},
    {Command::statistics, "COM_STATISTICS", ReplyShape::text},
    {Command::process_info, "COM_PROCESS_INFO", ReplyShape::result},
    {Command::connect, "COM_CONNECT", ReplyShape::unknown},
    {Command::process_kill, "COM_PROCESS_KILL", ReplyShape::ok_or_err},
    {Command::debug, "COM_DEBUG", ReplyShape::ok_or_err},
    {Command::ping, "COM_PING", ReplyShape::ok_or_err},
    {Command::time, "COM_TIME", ReplyShape::unknown},
    {Command::delayed_insert, "COM_DELAYED_INSERT", ReplyShape::unknown},
    {Command::change_user, "COM_CHANGE_USER", ReplyShape::auth},
    {Command::binlog_dump, "COM_BINLOG_DUMP", ReplyShape::raw},
    {Command::table_dump, "COM_TABLE_DUMP", ReplyShape::raw},
    {Command::connect_out, "COM_CONNECT_OUT", ReplyShape::unknown},
    {Command::register_slave, "COM_REGISTER_SLAVE", ReplyShape::ok_or_err},
    {Command::stmt_prepare, "COM_STMT_PREPARE", ReplyShape::prepare},
    {Command::stmt_execute, "COM_STMT_EXECUTE", ReplyShape::execute},
    {Command::stmt_send_long_data, "COM_STMT_SEND_LONG_DATA", ReplyShape::none},
    {Command::stmt_close, "COM_STMT_CLOSE", ReplyShape::none},
    {Command::stmt_reset, "COM_STMT_RESET", ReplyShape::ok_or_err},
    {Command::set_option, "COM_SET_OPTION", ReplyShape::ok_or_err},
    {Command::stmt_fetch, "COM_STMT_FETCH", ReplyShape::rows},
    {Command::daemon, "COM_DAEMON", ReplyShape::unknown},
    {Command::binlog_dump_gtid, "COM_BINLOG_DUMP_GTID", ReplyShape::raw},
    {Command::reset_connection, "COM_RESET_CONNECTION", ReplyShape::ok_or_err},
    {Command::clone, "COM_CLONE", ReplyShape::raw},
    {Command::subscribe_group_replication_stream,
     "COM_SUBSCRIBE_GROUP_REPLICATION_STREAM",
     ReplyShape::raw},
    {Command::mariadb_stmt_bulk_execute, "COM_STMT_BULK_EXECUTE", ReplyShape::result},
};

constexpr std::array<ReplyShape, 256> shapes = [] {
    std::array<ReplyShape, 256> result{};
    result.fill(ReplyShape::unknown);
    for (const Row& row : rows) result[static_cast<std::uint8_t>(row.command)] = row.shape;
    return result;
}();

// "COM_0x00" and so on, for the bytes without a name.
constexpr std::size_t hex_name_size = 8;
constexpr std::array<char, 256 * hex_name_size> hex_names = [] {
    constexpr std::string_view digits = "0123456789abcdef";
    std::array<char, 256 * hex_name_size> result{};
    for (std::size_t command = 0; command < 256; ++command) {
        const char name[hex_name_size] = {
            'C', 'O', 'M', '_', '0', 'x', digits[command >> 4], digits[command & 0xf]};
        for (std::size_t i = 0; i < hex_name_size; ++i) {
            result[command * hex_name_size + i] = name[i];
        }
    }
    return result;
}();

constexpr std::array<std::string_view, 256> names = [] {
    std::array<std::string_view, 256> result{};
    for (std::size_t command = 0; command < 256; ++command) {
        result[command] = {hex_names.data() + command * hex_name_size, hex_name_size};
    }
    for (const Row& row : rows) result[static_cast<std::uint8_t>(row.command)] = row.name;
    return result;
}();

}  // namespace

ReplyShape reply_shape(std::uint8_t command) noexcept {
    return shapes[command];
}

std::string_view command_name(std::uint8_t command) noexcept {
    return names[command];
}

}  // namespace protocol
