#include "protocol/command.hpp"

#include "protocol/capabilities.hpp"

#include <gtest/gtest.h>

namespace protocol {
namespace {

struct Row {
    std::uint8_t command;
    std::string_view name;
    ReplyShape shape;
};

TEST(Command, HasAShapeAndAName) {
    const Row rows[] = {
        {0x01, "COM_QUIT", ReplyShape::none},
        {0x02, "COM_INIT_DB", ReplyShape::ok_or_err},
        {0x03, "COM_QUERY", ReplyShape::result},
        {0x04, "COM_FIELD_LIST", ReplyShape::field_list},
        {0x09, "COM_STATISTICS", ReplyShape::text},
        {0x0a, "COM_PROCESS_INFO", ReplyShape::result},
        {0x0c, "COM_PROCESS_KILL", ReplyShape::ok_or_err},
        {0x0d, "COM_DEBUG", ReplyShape::ok_or_err},
        {0x0e, "COM_PING", ReplyShape::ok_or_err},
        {0x11, "COM_CHANGE_USER", ReplyShape::auth},
        {0x12, "COM_BINLOG_DUMP", ReplyShape::raw},
        {0x13, "COM_TABLE_DUMP", ReplyShape::raw},
        {0x16, "COM_STMT_PREPARE", ReplyShape::prepare},
        {0x17, "COM_STMT_EXECUTE", ReplyShape::execute},
        {0x18, "COM_STMT_SEND_LONG_DATA", ReplyShape::none},
        {0x19, "COM_STMT_CLOSE", ReplyShape::none},
        {0x1a, "COM_STMT_RESET", ReplyShape::ok_or_err},
        {0x1b, "COM_SET_OPTION", ReplyShape::ok_or_err},
        {0x1c, "COM_STMT_FETCH", ReplyShape::rows},
        {0x1e, "COM_BINLOG_DUMP_GTID", ReplyShape::raw},
        {0x1f, "COM_RESET_CONNECTION", ReplyShape::ok_or_err},
        {0x20, "COM_CLONE", ReplyShape::raw},
        {0xfa, "COM_STMT_BULK_EXECUTE", ReplyShape::result},
        {0x00, "COM_SLEEP", ReplyShape::unknown},
        {0x42, "COM_0x42", ReplyShape::unknown},
        {0xfe, "COM_0xfe", ReplyShape::unknown},
    };
    for (const Row& row : rows) {
        EXPECT_EQ(reply_shape(row.command), row.shape) << row.name;
        EXPECT_EQ(command_name(row.command), row.name);
    }
}

TEST(Capabilities, MasksWhatBreaksFraming) {
    const Capabilities passable = passable_capabilities();
    for (const std::uint32_t flag :
         {capability::ssl,
          capability::compress,
          capability::zstd_compression,
          capability::extension}) {
        EXPECT_FALSE(passable.has(flag)) << flag;
    }
    EXPECT_EQ(
        passable.flags,
        ~(capability::ssl | capability::compress | capability::zstd_compression |
          capability::extension)
    );
    EXPECT_EQ(
        passable.mariadb_flags,
        mariadb_capability::stmt_bulk_operations | mariadb_capability::extended_metadata |
            mariadb_capability::cache_metadata | mariadb_capability::bulk_unit_results
    );
}

}  // namespace
}  // namespace protocol
