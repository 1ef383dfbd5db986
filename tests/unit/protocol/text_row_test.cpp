#include "protocol/text_row.hpp"

#include "captures.hpp"
#include "hex.hpp"

#include <gtest/gtest.h>

namespace protocol {
namespace {

TEST(TextRow, TellsNullFromEmpty) {
    const auto row = decode_text_row(from_hex("0131 fb 00"), 3);
    ASSERT_TRUE(row.has_value());
    EXPECT_EQ(*row, (TextRow{"1", std::nullopt, ""}));
}

TEST(TextRow, MustHaveItsColumnsExactly) {
    EXPECT_EQ(decode_text_row(from_hex("0131"), 2).error(), make_error_code(Errc::incomplete));
    EXPECT_EQ(
        decode_text_row(from_hex("0131fb"), 1).error(), make_error_code(Errc::trailing_bytes)
    );
    EXPECT_EQ(decode_text_row(from_hex("0531"), 1).error(), make_error_code(Errc::incomplete));
    EXPECT_EQ(decode_text_row(from_hex("ff"), 1).error(), make_error_code(Errc::malformed));
    EXPECT_FALSE(decode_text_row(from_hex("0131"), std::size_t{1} << 60).has_value());
}

TEST(ColumnCount, IsNeverZero) {
    EXPECT_EQ(decode_column_count(from_hex("03")).value(), 3U);
    EXPECT_EQ(decode_column_count(from_hex("0301")).value(), 3U);
    EXPECT_EQ(decode_column_count(from_hex("fc0001")).value(), 256U);
    EXPECT_FALSE(decode_column_count(from_hex("00")).has_value());
    EXPECT_FALSE(decode_column_count(from_hex("")).has_value());
    EXPECT_FALSE(decode_column_count(from_hex("fb")).has_value());
    EXPECT_FALSE(decode_column_count(from_hex("030101")).has_value());
}

Bytes reply_of(const std::vector<Capture>& captures, std::string_view name) {
    Bytes reply;
    for (const Capture& capture : captures) {
        if (capture.name != name) continue;
        for (const std::string_view frame : capture.frames) {
            const Bytes bytes = from_hex(frame);
            reply.insert(reply.end(), bytes.begin(), bytes.end());
        }
    }
    EXPECT_FALSE(reply.empty()) << name;
    return reply;
}

TEST(CollectTextRows, ReadsWhatServersSend) {
    const std::vector<TextRow> rows = {{"1", "x"}, {"2", std::nullopt}, {"3", ""}};
    EXPECT_EQ(
        collect_text_rows(
            reply_of(mysql_metadata_captures(), "optional_metadata: select"), optional_metadata
        )
            .value(),
        rows
    );
    EXPECT_EQ(
        collect_text_rows(
            reply_of(
                mysql_metadata_captures(),
                "optional_metadata and deprecate_eof: select without definitions"
            ),
            optional_metadata_and_deprecate_eof
        )
            .value(),
        rows
    );
    EXPECT_EQ(
        collect_text_rows(reply_of(mariadb_captures(), "plain: no rows"), plain).value().size(), 0U
    );
    EXPECT_EQ(
        collect_text_rows(reply_of(mariadb_captures(), "plain: update"), plain).value().size(), 0U
    );
}

TEST(CollectTextRows, RefusesErrorsAndCuts) {
    EXPECT_FALSE(collect_text_rows(
                     reply_of(mariadb_more_captures(), "cache_metadata: error among rows"),
                     cache_metadata
    )
                     .has_value());
    const Bytes reply = reply_of(mariadb_captures(), "plain: select");
    for (std::size_t size = 0; size < reply.size(); ++size) {
        EXPECT_FALSE(collect_text_rows(std::span(reply).first(size), plain).has_value()) << size;
    }
    EXPECT_TRUE(collect_text_rows(reply, plain).has_value());
}

}  // namespace
}  // namespace protocol
