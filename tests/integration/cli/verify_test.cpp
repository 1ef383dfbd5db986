// The auditor finds what is wrong, says where, and does not cry wolf.

#include "proxy/cli/acknowledgements.hpp"
#include "proxy/cli/gate_audit.hpp"
#include "shop.hpp"

#include <fstream>

namespace {

using shop::ShopTest;

class VerifyTest : public ShopTest {
protected:
    void open_shop(bool with_redis = false) {
        if (with_redis) use_redis();
        make_stock_table({{1001, 10}, {1002, 8}});
        const auto ran = init();
        ASSERT_EQ(ran.code, proxy::exit_code::ok) << ran.text;
        sell(0, 2);
        sell(0, 1);
        sell(1, 1);
    }
    void fill_gate() {
        const int left[] = {0, 2, 2, 2};
        for (int bucket = 0; bucket < 4; ++bucket) {
            redis_->command({"HSET", key(bucket), "left", std::to_string(left[bucket])});
        }
    }
    static std::string key(int bucket) {
        return "stock:shop.t_stock:1001:" + std::to_string(bucket);
    }
    void expect_pass(const shop::Ran& ran) {
        EXPECT_EQ(ran.code, proxy::exit_code::ok) << ran.text;
        EXPECT_TRUE(ran.says("\nverify: PASS 2 SKUs, 4 units sold, 0 findings")) << ran.text;
    }
    void expect_fail(const shop::Ran& ran, const std::string& words) {
        EXPECT_EQ(ran.code, proxy::exit_code::finding) << ran.text;
        EXPECT_TRUE(ran.says("FAIL  shop." + words)) << ran.text;
        EXPECT_TRUE(ran.says("\nverify: FAIL ")) << ran.text;
    }
};

TEST_F(VerifyTest, PassesOnAHealthyLedger) {
    open_shop();
    expect_pass(verify());
}

TEST_F(VerifyTest, PassesWhereNothingWasAdopted) {
    make_stock_table({});
    const auto ran = verify();
    EXPECT_EQ(ran.code, proxy::exit_code::ok);
    EXPECT_TRUE(ran.says("shop has no ledger tables")) << ran.text;
}

TEST_F(VerifyTest, MissingDetail) {
    open_shop();
    sql("DELETE FROM shop.stock_deduct_detail WHERE qty=2");
    expect_fail(
        verify(), "t_stock:1001: bucket 0: sold_stock is 3, its confirmed details add up to 1"
    );
}

TEST_F(VerifyTest, ExtraDetail) {
    open_shop();
    sql("INSERT INTO shop.stock_deduct_detail (request_id,sku_id,qty,bucket_id) VALUES "
        "(X'AA','t_stock:1002',5,2)");
    expect_fail(
        verify(), "t_stock:1002: bucket 2: sold_stock is 0, its confirmed details add up to 5"
    );
}

TEST_F(VerifyTest, SoldStockEditedByHand) {
    open_shop();
    sql("UPDATE shop.inventory_bucket SET sold_stock=2 WHERE sku_id='t_stock:1001' AND bucket_id=1"
    );
    expect_fail(
        verify(), "t_stock:1001: bucket 1: sold_stock is 2, its confirmed details add up to 1"
    );
}

TEST_F(VerifyTest, TotalEditedByHand) {
    open_shop();
    sql("UPDATE shop.inventory_bucket SET bucket_total=9 WHERE sku_id='t_stock:1002' AND "
        "bucket_id=1");
    expect_fail(
        verify(),
        "t_stock:1002: bucket totals add up to 15, but 8 adopted - 0 drained + 0 returned = 8"
    );
}

TEST_F(VerifyTest, OversoldBucket) {
    open_shop();
    sql("ALTER TABLE shop.inventory_bucket DROP CONSTRAINT inventory_bucket_no_oversell");
    sell(0, 4);
    expect_fail(
        verify(), "t_stock:1001: bucket 0: sold_stock 7 is not within 0 and bucket_total 3"
    );
}

TEST_F(VerifyTest, WrongEpochAndMissingBucket) {
    open_shop();
    sql("UPDATE shop.inventory_bucket SET epoch=9 WHERE sku_id='t_stock:1002' AND bucket_id=2");
    sql("DELETE FROM shop.inventory_bucket WHERE sku_id='t_stock:1002' AND bucket_id=3");
    const auto ran = verify();
    expect_fail(ran, "t_stock:1002: bucket 2: epoch 9, the registry says 1");
    expect_fail(ran, "t_stock:1002: bucket 3: its row is missing");
}

TEST_F(VerifyTest, Orphans) {
    open_shop();
    sql("INSERT INTO shop.stock_deduct_detail (request_id,sku_id,qty,bucket_id) VALUES "
        "(X'AA','t_stock:77',5,2),(X'AB','t_stock:1001',5,44)");
    sql("INSERT INTO shop.inventory_bucket (sku_id,bucket_id,epoch,bucket_total) VALUES "
        "('t_x:1',0,1,5)");
    const auto ran = verify();
    expect_fail(ran, "t_stock:77 bucket 2: 1 details of an unknown SKU");
    expect_fail(ran, "t_stock:1001: 1 details of bucket 44, which does not exist");
    expect_fail(ran, "t_x:1: 1 bucket rows, but not in the registry");
}

TEST_F(VerifyTest, DetailsOfNoUnitsAndOfUnknownStatus) {
    open_shop();
    sql("INSERT INTO shop.stock_deduct_detail (request_id,sku_id,qty,bucket_id,status) VALUES "
        "(X'AA','t_stock:1001',0,2,1),(X'AB','t_stock:1001',1,2,9)");
    const auto ran = verify();
    expect_fail(ran, "t_stock:1001: bucket 2: 1 details of 0 units or less");
    expect_fail(ran, "t_stock:1001: bucket 2: 1 details with the unknown status 9");
}

TEST_F(VerifyTest, ReturnsAddCapacityAndTombstonesCountForNothing) {
    open_shop();
    sql("INSERT INTO shop.stock_deduct_detail (request_id,sku_id,qty,bucket_id,status) VALUES "
        "(X'AA','t_stock:1001',5,2,3),(X'AB','t_stock:1001',77,2,2)");
    sql("UPDATE shop.inventory_bucket SET bucket_total=bucket_total+5 WHERE sku_id='t_stock:1001' "
        "AND "
        "bucket_id=2");
    const auto ran = verify();
    expect_pass(ran);
    EXPECT_TRUE(ran.says("1 deductions were cancelled by the judge")) << ran.text;
}

TEST_F(VerifyTest, BaseRowWrittenPastTheProxiesIsNoted) {
    open_shop();
    sql("UPDATE shop.t_stock SET stock=99 WHERE sku_id=1001");
    const auto ran = verify();
    expect_pass(ran);
    EXPECT_TRUE(ran.says("the base row says 99, the proxies last wrote 10")) << ran.text;
}

TEST_F(VerifyTest, BaseRowGone) {
    open_shop();
    sql("DELETE FROM shop.t_stock WHERE sku_id=1002");
    expect_fail(verify(), "t_stock:1002: its base row is gone");
}

TEST_F(VerifyTest, GateInBalance) {
    open_shop(true);
    fill_gate();
    redis_->command({"HSET", key(2), "left", "1", "r:000102030405060708090A0B0C0D0E0F", "1"});
    const auto ran = verify();
    expect_pass(ran);
    EXPECT_FALSE(ran.says("SKIPPED")) << ran.text;
}

TEST_F(VerifyTest, GateEdited) {
    open_shop(true);
    fill_gate();
    redis_->command({"HSET", key(1), "left", "5"});
    expect_fail(
        verify(),
        "t_stock:1001: bucket 1: the gate has 5 units (left and reserved), the ledger can "
        "sell 2"
    );
}

TEST_F(VerifyTest, ReservationThatTheLedgerHasBooked) {
    open_shop(true);
    fill_gate();
    redis_->command({"HSET", key(3), "r:000102030405060708090A0B0C0D0E0F", "1"});
    expect_fail(verify(), "t_stock:1001: bucket 3: the gate has 3 units");
}

TEST_F(VerifyTest, GateKeyDeleted) {
    open_shop(true);
    fill_gate();
    redis_->command({"DEL", key(2)});
    const auto ran = verify();
    expect_pass(ran);
    EXPECT_TRUE(ran.says("note: shop.t_stock:1001: 1 of 4 buckets have no key at the gate"))
        << ran.text;
}

TEST_F(VerifyTest, GateNotReachable) {
    open_shop(true);
    redis_->process().kill_and_wait();
    const auto ran = verify();
    expect_pass(ran);
    EXPECT_TRUE(ran.says("gate SKIPPED (Redis at 127.0.0.1:")) << ran.text;
}

TEST_F(VerifyTest, GateLeftOut) {
    open_shop(true);
    fill_gate();
    redis_->command({"HSET", key(1), "left", "5"});
    proxy::VerifyOptions options;
    options.no_gate = true;
    expect_pass(verify(options));
}

TEST_F(VerifyTest, DatabaseNotReachable) {
    make_stock_table({});
    config_.ledger.password = config::Secret{"wrong"};
    const auto ran = verify();
    EXPECT_EQ(ran.code, proxy::exit_code::cannot_connect);
    EXPECT_TRUE(ran.says("verify: FAIL nothing was verified")) << ran.text;
}

TEST_F(VerifyTest, WritesAReport) {
    open_shop();
    support::TemporaryFolder folder;
    proxy::VerifyOptions options;
    options.json_file = (folder.path() / "report.json").string();
    expect_pass(verify(options));
    std::ifstream file(options.json_file);
    std::string text;
    std::getline(file, text);
    EXPECT_EQ(text.rfind(R"({"verdict":"PASS","gate":"skipped",)", 0), 0U) << text;
    EXPECT_NE(
        text.find(R"("sku_id":"t_stock:1001","state":"active","buckets":4,"total":10,"sold":4,)"
                  R"("remainder":6,"details":3,"detail_units":4)"),
        std::string::npos
    ) << text;
}

TEST_F(VerifyTest, ComparesWithWhatClientsWereTold) {
    open_shop();
    support::TemporaryFolder folder;
    proxy::VerifyOptions options;
    options.acks_file = (folder.path() / "acks").string();
    std::ofstream(options.acks_file)
        << "# two clients\nsold t_stock:1001 2 1\nsold t_stock:1001 1 1\n";
    auto ran = verify(options);
    expect_pass(ran);
    EXPECT_TRUE(
        ran.says("acknowledged 3 units in 2 deductions, booked 4 in 3; 1 units booked whose "
                 "answer no client has")
    ) << ran.text;
    std::ofstream(options.acks_file) << "sold t_stock:1001 5 3\n";
    ran = verify(options);
    EXPECT_EQ(ran.code, proxy::exit_code::finding);
    EXPECT_TRUE(ran.says("clients were told of 5 units in 3 deductions, booked are 4 in 3"))
        << ran.text;
    std::ofstream(options.acks_file) << "sold t_stock:1001 many\n";
    EXPECT_EQ(verify(options).code, proxy::exit_code::usage);
}

TEST(JudgeReadings, BelievesOnlyASteadyDifference) {
    using proxy::GateReading;
    using proxy::GateVerdict;
    const auto judge = [](const std::vector<GateReading>& readings) {
        return proxy::judge_readings(readings);
    };
    EXPECT_EQ(judge({{true, 5, 5}}), GateVerdict::equal);
    EXPECT_EQ(judge({{true, 4, 5}, {true, 5, 5}}), GateVerdict::equal);
    EXPECT_EQ(judge({{true, 4, 5}, {true, 4, 5}, {true, 4, 5}}), GateVerdict::differs);
    EXPECT_EQ(judge({{true, 4, 5}, {true, 3, 5}, {true, 4, 5}}), GateVerdict::moving);
    EXPECT_EQ(judge({{true, 4, 6}, {true, 4, 5}, {true, 4, 5}}), GateVerdict::moving);
    EXPECT_EQ(judge({{true, 4, 5}, {true, 4, 5}, {false, 0, 5}}), GateVerdict::missing);
    EXPECT_EQ(judge({}), GateVerdict::missing);
}

}  // namespace
