// The text of the ledger's statements, as a server will read them.

#include "proxy/ledger/ledger_sql.hpp"

#include <gtest/gtest.h>

namespace {

using namespace proxy::ledger_sql;

const Target target{"shop", "t_stock:1001", 7};

proxy::RequestId id() {
    proxy::RequestId made;
    made.bytes.fill(0xAB);
    return made;
}

const std::string hex = "X'ABABABABABABABABABABABABABABABAB'";
const std::string has_detail =
    " AND EXISTS(SELECT 1 FROM `shop`.stock_deduct_detail WHERE request_id=" + hex + ")";

TEST(LedgerSql, QuotesNames) {
    EXPECT_EQ(quote_name("shop"), "`shop`");
    EXPECT_EQ(quote_name("a`b"), "`a``b`");
    EXPECT_EQ(quote_name(""), "``");
}

TEST(LedgerSql, InsertsDetails) {
    EXPECT_EQ(
        insert_detail(target, id(), 3, 12, DetailStatus::confirmed),
        "INSERT INTO `shop`.stock_deduct_detail (request_id,sku_id,qty,bucket_id,status) VALUES (" +
            hex + ",'t_stock:1001',3,12,1)"
    );
    EXPECT_NE(
        insert_detail(target, id(), 3, 12, DetailStatus::cancelled).find(",12,2)"),
        std::string::npos
    );
    EXPECT_NE(
        insert_detail(target, id(), 3, 12, DetailStatus::returned).find(",12,3)"), std::string::npos
    );
}

TEST(LedgerSql, DeletesDetailsByTheirIdAlone) {
    EXPECT_EQ(
        delete_detail(target, id()),
        "DELETE FROM `shop`.stock_deduct_detail WHERE request_id=" + hex
    );
}

TEST(LedgerSql, SellsWhatFitsUnderTheEpochWithItsDetail) {
    EXPECT_EQ(
        sell(target, id(), 12, 3),
        "UPDATE `shop`.inventory_bucket SET sold_stock=sold_stock+3,version=version+1 WHERE "
        "sku_id='t_stock:1001' AND epoch=7 AND bucket_id=12 AND bucket_total-sold_stock>=3" +
            has_detail
    );
}

TEST(LedgerSql, AddsCapacityUnderTheEpochWithItsDetail) {
    EXPECT_EQ(
        add_capacity(target, id(), 12, 3),
        "UPDATE `shop`.inventory_bucket SET bucket_total=bucket_total+3,version=version+1 WHERE "
        "sku_id='t_stock:1001' AND epoch=7 AND bucket_id=12" +
            has_detail
    );
}

TEST(LedgerSql, ReadsRemaindersInOneOrder) {
    EXPECT_EQ(
        remainders(target),
        "SELECT bucket_id, bucket_total-sold_stock FROM `shop`.inventory_bucket WHERE "
        "sku_id='t_stock:1001' AND epoch=7 ORDER BY bucket_id"
    );
    EXPECT_EQ(remainders_for_update(target), remainders(target) + " FOR UPDATE");
}

TEST(LedgerSql, GathersIntoOneBucket) {
    const std::vector<Part> parts{{2, 4}, {0, 3}, {5, 1}};
    EXPECT_EQ(
        gather_units(target, id(), parts, 0),
        "UPDATE `shop`.inventory_bucket SET bucket_total=CASE bucket_id WHEN 2 THEN bucket_total-4 "
        "WHEN 5 THEN bucket_total-1 WHEN 0 THEN bucket_total+5 ELSE bucket_total END WHERE "
        "sku_id='t_stock:1001' AND epoch=7 AND bucket_id IN (2,0,5)" +
            has_detail
    );
}

}  // namespace
