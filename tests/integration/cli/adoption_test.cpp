// Adoption of SKUs: capacity, registry, keys of every kind, and adopting again.

#include "proxy/cli/adoption.hpp"

#include "shop.hpp"

namespace {

using shop::ShopTest;

class AdoptionTest : public ShopTest {
protected:
    std::string totals(const std::string& sku_id) {
        return value(
            "SELECT GROUP_CONCAT(bucket_total ORDER BY bucket_id) FROM shop.inventory_bucket WHERE "
            "sku_id='" +
            sku_id + '\''
        );
    }
    std::string registry(const std::string& column, const std::string& sku_id = "t_stock:1001") {
        return value(
            "SELECT " + column + " FROM shop.inventory_sku WHERE sku_id='" + sku_id + '\''
        );
    }
};

TEST(SplitCapacity, GivesTheRemainderToTheFirstBuckets) {
    EXPECT_EQ(proxy::split_capacity(10, 4), (std::vector<std::int64_t>{3, 3, 2, 2}));
    EXPECT_EQ(proxy::split_capacity(3, 4), (std::vector<std::int64_t>{1, 1, 1, 0}));
    EXPECT_EQ(proxy::split_capacity(0, 2), (std::vector<std::int64_t>{0, 0}));
    EXPECT_EQ(proxy::split_capacity(8, 1), (std::vector<std::int64_t>{8}));
}

TEST_F(AdoptionTest, SplitsTheStockAndKeepsTheBaseRow) {
    make_stock_table({{1001, 10}, {1002, 3}});
    config_.tables.front().version = "version";
    config_.tables.front().time = {"changed"};
    const auto ran = init();
    EXPECT_EQ(ran.code, proxy::exit_code::ok) << ran.text;
    EXPECT_TRUE(ran.says("init: OK 2 adopted, 0 already adopted, 0 refused")) << ran.text;
    EXPECT_EQ(totals("t_stock:1001"), "3,3,2,2");
    EXPECT_EQ(totals("t_stock:1002"), "1,1,1,0");
    EXPECT_EQ(value("SELECT stock FROM shop.t_stock WHERE sku_id=1001"), "10");
    EXPECT_EQ(
        registry("CONCAT_WS('|',table_name,key_columns,key_types,stock_column,stock_max,"
                 "stock_unsigned,version_column,time_columns,unguarded,mode,buckets,epoch,"
                 "state,adopted_total,drained_total,projected_stock,projected_version)"),
        "t_stock|sku_id|i|stock|4294967295|1|version|changed|error|gated|4|1|active|10|0|10|0"
    );
    EXPECT_EQ(
        value("SELECT COUNT(*) FROM shop.inventory_bucket WHERE epoch<>1 OR sold_stock<>0"), "0"
    );
}

TEST_F(AdoptionTest, IsRepeatable) {
    make_stock_table({{1001, 10}});
    ASSERT_EQ(init().code, proxy::exit_code::ok);
    const auto again = init();
    EXPECT_EQ(again.code, proxy::exit_code::ok) << again.text;
    EXPECT_TRUE(again.says("0 adopted, 1 already adopted")) << again.text;
    EXPECT_EQ(registry("epoch"), "1");
}

TEST_F(AdoptionTest, DryRunChangesNothing) {
    make_stock_table({{1001, 10}});
    ASSERT_EQ(init().code, proxy::exit_code::ok);
    sql("INSERT INTO shop.t_stock (sku_id,stock) VALUES (1002,5)");
    proxy::InitOptions options;
    options.dry_run = true;
    options.skus = {"1002"};
    const auto ran = init(options);
    EXPECT_EQ(ran.code, proxy::exit_code::ok) << ran.text;
    EXPECT_TRUE(ran.says("5 units in 4 buckets")) << ran.text;
    EXPECT_EQ(value("SELECT COUNT(*) FROM shop.inventory_sku"), "1");
    EXPECT_EQ(value("SELECT COUNT(*) FROM shop.inventory_bucket"), "4");
}

TEST_F(AdoptionTest, DryRunBeforeTheLedgerTablesExistChangesNothing) {
    make_stock_table({{1001, 10}});
    proxy::InitOptions options;
    options.dry_run = true;
    const auto ran = init(options);
    EXPECT_EQ(ran.code, proxy::exit_code::ok) << ran.text;
    EXPECT_TRUE(ran.says("10 units in 4 buckets")) << ran.text;
    EXPECT_FALSE(ledger_exists());
}

TEST_F(AdoptionTest, FoldsCaseInsensitiveTextKeys) {
    sql("CREATE TABLE shop.t_item (code VARCHAR(40) CHARACTER SET utf8mb4 COLLATE "
        "utf8mb4_general_ci PRIMARY KEY, amount BIGINT NOT NULL) ENGINE=InnoDB");
    sql("INSERT INTO shop.t_item VALUES ('Ab 1/x',7)");
    configure("t_item", {"code"}, "amount").skus.push_back(sku({"AB 1/X"}));
    const auto ran = init();
    EXPECT_EQ(ran.code, proxy::exit_code::ok) << ran.text;
    EXPECT_EQ(totals("t_item:ab%201%2Fx"), "2,2,2,1");
    EXPECT_EQ(registry("CONCAT(key_types,stock_max)", "t_item:ab%201%2Fx"), "f9223372036854775807");
}

TEST_F(AdoptionTest, KeepsCaseOfBinaryTextKeys) {
    sql("CREATE TABLE shop.t_item (code VARCHAR(40) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin "
        "PRIMARY KEY, amount SMALLINT NOT NULL) ENGINE=InnoDB");
    sql("INSERT INTO shop.t_item VALUES ('a',7),('A',9)");
    auto& table = configure("t_item", {"code"}, "amount");
    table.skus = {sku({"a"}), sku({"A"})};
    table.buckets = 1;
    EXPECT_EQ(init().code, proxy::exit_code::ok);
    EXPECT_EQ(totals("t_item:a"), "7");
    EXPECT_EQ(totals("t_item:A"), "9");
    EXPECT_EQ(registry("CONCAT(key_types,stock_max)", "t_item:a"), "b32767");
}

TEST_F(AdoptionTest, ComposesKeysOfSeveralColumns) {
    sql("CREATE TABLE shop.t_lot (id INT AUTO_INCREMENT PRIMARY KEY, house INT NOT NULL, size "
        "CHAR(4) NOT NULL, stock TINYINT NOT NULL, UNIQUE KEY lot (size,house)) ENGINE=InnoDB "
        "DEFAULT CHARSET=latin1");
    sql("INSERT INTO shop.t_lot (house,size,stock) VALUES (7,'XL',9),(8,'XL',100)");
    configure("t_lot", {"house", "size"}, "stock").skus.push_back(sku({"007", "xl"}));
    const auto ran = init();
    EXPECT_EQ(ran.code, proxy::exit_code::ok) << ran.text;
    EXPECT_EQ(totals("t_lot:7,xl"), "3,2,2,2");
    EXPECT_EQ(registry("CONCAT_WS('|',key_columns,key_types)", "t_lot:7,xl"), "house,size|if");
}

TEST_F(AdoptionTest, TakesOneSkuFromTheCommandLine) {
    make_stock_table({{1001, 10}, {1002, 3}});
    sql("INSERT INTO shop.t_stock (sku_id,stock) VALUES (1003,8)");
    proxy::InitOptions options;
    options.table = "shop.t_stock";
    options.skus = {"1003"};
    EXPECT_EQ(init(options).code, proxy::exit_code::ok);
    EXPECT_EQ(value("SELECT GROUP_CONCAT(sku_id) FROM shop.inventory_sku"), "t_stock:1003");
}

TEST_F(AdoptionTest, AfterADrainGoesOnWithTheSameHistory) {
    make_stock_table({{1001, 10}});
    ASSERT_EQ(init().code, proxy::exit_code::ok);
    sell(0, 3);
    sell(1, 1);
    ASSERT_EQ(drain("1001").code, proxy::exit_code::ok);
    EXPECT_EQ(value("SELECT stock FROM shop.t_stock WHERE sku_id=1001"), "6");
    sql("UPDATE shop.t_stock SET stock=stock+4 WHERE sku_id=1001");
    config_.tables.front().buckets = 6;
    const auto again = init();
    EXPECT_EQ(again.code, proxy::exit_code::ok) << again.text;
    // Shares of 10 in 6 buckets are 2,2,2,2,1,1; the first two have sold 3 and 1.
    EXPECT_EQ(totals("t_stock:1001"), "5,3,2,2,1,1");
    EXPECT_EQ(
        registry("CONCAT_WS('|',epoch,state,buckets,adopted_total,drained_total,"
                 "projected_stock,projected_version)"),
        "3|active|6|20|6|10|2"
    );
    EXPECT_EQ(value("SELECT COUNT(*) FROM shop.inventory_bucket WHERE epoch<>3"), "0");
    EXPECT_EQ(verify().code, proxy::exit_code::ok);
}

TEST_F(AdoptionTest, AfterADrainMayUseFewerBuckets) {
    make_stock_table({{1001, 10}});
    ASSERT_EQ(init().code, proxy::exit_code::ok);
    sell(3, 2);
    ASSERT_EQ(drain("1001").code, proxy::exit_code::ok);
    config_.tables.front().buckets = 2;
    ASSERT_EQ(init().code, proxy::exit_code::ok);
    EXPECT_EQ(totals("t_stock:1001"), "4,4,0,2");
    const auto audit = verify();
    EXPECT_EQ(audit.code, proxy::exit_code::ok) << audit.text;
}

TEST_F(AdoptionTest, ChangesTheUnguardedPolicyOfAllSkusOfATable) {
    make_stock_table({{1001, 10}, {1002, 10}});
    ASSERT_EQ(init().code, proxy::exit_code::ok);
    config_.tables.front().unguarded = config::Unguarded::zero_rows;
    EXPECT_EQ(init().code, proxy::exit_code::ok);
    EXPECT_EQ(value("SELECT COUNT(*) FROM shop.inventory_sku WHERE unguarded='zero_rows'"), "2");
}

TEST_F(AdoptionTest, ForgetsOldKeysOfTheGate) {
    use_redis();
    make_stock_table({{1001, 10}});
    redis_->command({"HSET", "stock:shop.t_stock:1001:0", "left", "999"});
    ASSERT_EQ(init().code, proxy::exit_code::ok);
    EXPECT_EQ(redis_->command({"EXISTS", "stock:shop.t_stock:1001:0"}), "0");
}

TEST_F(AdoptionTest, GoesOnWithoutRedis) {
    use_redis();
    redis_->process().kill_and_wait();
    make_stock_table({{1001, 10}});
    const auto ran = init();
    EXPECT_EQ(ran.code, proxy::exit_code::ok) << ran.text;
    EXPECT_TRUE(ran.says("WARN  Redis")) << ran.text;
}

TEST_F(AdoptionTest, RunsTheApplicationsGrants) {
    make_stock_table({{1001, 10}});
    make_account("application");
    proxy::InitOptions options;
    options.grant_to = {"'application'@'%'"};
    ASSERT_EQ(init(options).code, proxy::exit_code::ok);
    proxy::Database application(
        shop::backend(), proxy::Login{"application", "secret"}, std::chrono::seconds{30}
    );
    ASSERT_FALSE(application.connect());
    EXPECT_FALSE(
        application.query("UPDATE shop.inventory_bucket SET version=version WHERE 1=0").error
    );
    EXPECT_FALSE(
        application.query("DELETE FROM shop.stock_deduct_detail WHERE request_id=X'00'").error
    );
    EXPECT_EQ(application.query("DELETE FROM shop.inventory_bucket").error.code, 1142U);
    sql("DROP USER application@'%'");
}

}  // namespace
