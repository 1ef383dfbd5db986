// The texts and codes that applications and operators see, and that they survive the wire.
#include "proxy/session/replies.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace proxy {
namespace {

struct Row {
    OwnError error;
    std::uint16_t code;
    std::string_view sql_state;
    std::string_view message;
};

std::vector<Row> rows() {
    return {
        {replies::refused("DELETE of a hot SKU"), 1235, "42000", "Stockgate: DELETE of a hot SKU"},
        {replies::unreadable_packet("COM_QUERY"),
         1835,
         "HY000",
         "Stockgate: malformed packet: COM_QUERY"},
        {replies::backend_unreachable("db:3306", "Connection refused"),
         1053,
         "08S01",
         "Stockgate: cannot connect to the database at db:3306: Connection refused"},
        {replies::ssl_not_offered(),
         1043,
         "08S01",
         "Stockgate: TLS was requested, but this listener does not offer it; connect without TLS"},
        {replies::too_many_connections(),
         1040,
         "08004",
         "Stockgate: too many connections (limits.connections_max)"},
        {replies::shutting_down(), 1053, "08S01", "Stockgate: server shutdown in progress"},
        {replies::ledger_unreachable("timed out"),
         1205,
         "HY000",
         "Stockgate: the ledger could not be asked (timed out); try restarting transaction"},
        {replies::sku_paused("t_stock:1001"),
         1235,
         "42000",
         "Stockgate: t_stock:1001 is paused, being adopted or being drained; try again in a "
         "moment"},
        {replies::below_zero("shop", "t_stock", "stock", 3),
         1690,
         "22003",
         "BIGINT UNSIGNED value is out of range in '(`shop`.`t_stock`.`stock` - 3)'"},
        {replies::below_zero("s", "t", "c", std::numeric_limits<std::int64_t>::max()),
         1690,
         "22003",
         "BIGINT UNSIGNED value is out of range in '(`s`.`t`.`c` - 9223372036854775807)'"},
        {replies::above_maximum("stock"),
         1264,
         "22003",
         "Out of range value for column 'stock' at row 1"},
    };
}

TEST(Replies, HaveTheirCodesAndTexts) {
    for (const auto& row : rows()) {
        EXPECT_EQ(row.error.code, row.code) << row.message;
        EXPECT_EQ(row.error.sql_state, row.sql_state) << row.message;
        EXPECT_EQ(row.error.message, row.message);
    }
}

TEST(Replies, SurviveTheWire) {
    protocol::Capabilities caps;
    caps.flags = protocol::capability::protocol_41;
    for (const auto& row : rows()) {
        protocol::ErrPacket sent;
        sent.code = row.error.code;
        sent.sql_state = row.error.sql_state;
        sent.message = row.error.message;
        std::vector<std::uint8_t> frame;
        protocol::encode_err(frame, 1, sent, caps);
        const auto received = protocol::decode_err(std::span{frame}.subspan(4), caps);
        ASSERT_TRUE(received) << row.message;
        EXPECT_EQ(received->code, row.code);
        EXPECT_EQ(received->sql_state, row.sql_state);
        EXPECT_EQ(received->message, row.message);
    }
}

TEST(Replies, TellTheCountsOfAnUpdate) {
    EXPECT_EQ(replies::update_info(0, 0), "Rows matched: 0  Changed: 0  Warnings: 0");
    EXPECT_EQ(replies::update_info(1, 1), "Rows matched: 1  Changed: 1  Warnings: 0");
    EXPECT_EQ(replies::update_info(12, 7), "Rows matched: 12  Changed: 7  Warnings: 0");
}

}  // namespace
}  // namespace proxy
