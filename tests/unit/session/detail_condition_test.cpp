// A session sends INSERT detail and the UPDATE of the bucket in one write, before it knows whether
// the INSERT worked. If the server made the INSERT a deadlock victim (or a cluster node refused it)
// the transaction is rolled back and the UPDATE, already on its way, runs by itself: with
// autocommit on it would be committed at once, sold units without a detail, which no audit and no
// judge could explain. Only the condition EXISTS(detail) stops it. It looks redundant and must not
// be dropped, weakened, or asked of another id than the one just inserted.
#include "proxy/ledger/ledger_sql.hpp"

#include <gtest/gtest.h>

namespace proxy::ledger_sql {
namespace {

RequestId id_of(std::uint8_t byte) {
    RequestId id;
    id.bytes.fill(byte);
    return id;
}

std::vector<std::string> updates(const Target& target, const RequestId& id) {
    return {
        sell(target, id, 2, 3),
        add_capacity(target, id, 2, 3),
        gather_units(target, id, {{2, 2}, {0, 1}}, 2),
    };
}

TEST(DetailCondition, ClosesEveryUpdateOfABucket) {
    const Target target{"shop", "t_stock:1", 7};
    const RequestId id = id_of(0x5a);
    const std::string condition =
        " AND EXISTS(SELECT 1 FROM `shop`.stock_deduct_detail WHERE request_id=X'" + id.hex() +
        "')";
    for (const auto& update : updates(target, id)) {
        EXPECT_TRUE(update.ends_with(condition)) << update;
        // It must bind as tightly as the others: nothing in front of it may be an alternative.
        EXPECT_EQ(update.find(" OR "), std::string::npos) << update;
        EXPECT_EQ(update.find("||"), std::string::npos) << update;
        EXPECT_NE(update.find(" AND epoch=7 AND "), std::string::npos) << update;
    }
}

TEST(DetailCondition, AsksForTheRowThatWasInserted) {
    const Target target{"shop", "t_stock:1", 7};
    for (const std::uint8_t byte : {std::uint8_t{0x01}, std::uint8_t{0xff}}) {
        const RequestId id = id_of(byte);
        const std::string literal = "X'" + id.hex() + '\'';
        const std::string insert = insert_detail(target, id, 3, 2, DetailStatus::confirmed);
        EXPECT_NE(insert.find(literal), std::string::npos);
        for (const auto& update : updates(target, id)) {
            EXPECT_NE(update.find(literal), std::string::npos) << update;
        }
    }
}

TEST(DetailCondition, NamesTheSchemaOfTheBuckets) {
    const Target target{"we`ird", "t_stock:1", 7};
    for (const auto& update : updates(target, id_of(1))) {
        EXPECT_EQ(update.substr(0, 36), "UPDATE `we``ird`.inventory_bucket SE") << update;
        EXPECT_NE(update.find("FROM `we``ird`.stock_deduct_detail "), std::string::npos) << update;
    }
}

}  // namespace
}  // namespace proxy::ledger_sql
