#include "hex.hpp"
#include "protocol/frame.hpp"
#include "protocol/packets.hpp"

#include <gtest/gtest.h>

namespace protocol {
namespace {

constexpr Capabilities plain{capability::protocol_41, 0};
constexpr Capabilities attributes{capability::protocol_41 | capability::query_attributes, 0};

Bytes query(std::string_view head_hex, std::string_view sql) {
    Bytes bytes = from_hex(head_hex);
    const Bytes text = bytes_of(sql);
    bytes.insert(bytes.end(), text.begin(), text.end());
    return bytes;
}

TEST(QueryText, WithoutAttributesIsAllBehindTheCommand) {
    EXPECT_EQ(query_text(query("03", "select 1"), plain).value(), "select 1");
    EXPECT_EQ(query_text(from_hex("03"), plain).value(), "");
    EXPECT_FALSE(query_text({}, plain).has_value());
    EXPECT_FALSE(query_text(query("16", "select 1"), plain).has_value());
}

TEST(QueryText, LiesBehindTheAttributes) {
    const std::string_view heads[] = {
        "03 00 01",
        // Two attributes, a text "n" and a number "m": executed by MySQL 9.7.
        "03 02 01 00 01 fe00 016e 0300 016d 0378797a 05000000",
        // NULL by its bit takes no bytes.
        "03 01 01 01 01 fe00 016e",
        "03 01 01 00 01 0a00 0164 04da070a11",
        "03 01 01 00 01 0500 00 0000000000001c40",
        // No attribute has a value of nine: the bits take two bytes.
        "03 09 01 ff01 01 fe0000 fe0000 fe0000 fe0000 fe0000 fe0000 fe0000 fe0000 fe0000",
    };
    for (const std::string_view head : heads) {
        const Bytes payload = query(head, "select 42");
        const auto sql = query_text(payload, attributes);
        ASSERT_TRUE(sql.has_value()) << head;
        EXPECT_EQ(*sql, "select 42") << head;
        const std::size_t head_size = payload.size() - 9;
        for (std::size_t size = 0; size < head_size; ++size) {
            EXPECT_FALSE(query_text(std::span(payload).first(size), attributes).has_value())
                << size;
        }
    }
}

TEST(QueryText, RefusesMalformedAttributes) {
    for (const std::string_view head :
         {"03 00 00",                                     // no parameter set
          "03 00 02",                                     // two of them
          "03 fb 01",                                     // NULL for a count
          "03 01 01 00 00",                               // no types
          "03 01 01 00 01 0900 016e 05000000",            // a type that servers do not take
          "03 01 01 00 01 fe00 ff6e",                     // length of the name
          "03 01 01 00 01 fe00 016e feffffffffffffffff",  // length of the value
          "03 fd000001 01 00 01",                         // 65,536 of them
          "03 fe0000000000000080 01 00 01"}) {
        EXPECT_FALSE(query_text(query(head, "x"), attributes).has_value()) << head;
    }
}

TEST(QueryText, ReadsWhatEncodeQueryWrites) {
    for (const Capabilities caps : {plain, attributes}) {
        Bytes frame;
        encode_query(frame, "update t set a = 1", caps);
        EXPECT_EQ(
            query_text(std::span(frame).subspan(frame_header_size), caps).value(),
            "update t set a = 1"
        );
    }
}

}  // namespace
}  // namespace protocol
