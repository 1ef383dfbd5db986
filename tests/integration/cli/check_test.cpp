// `check`: one line per thing looked at, a hint for each that is wrong, a verdict.

#include "proxy/cli/check_server.hpp"
#include "shop.hpp"

namespace {

using shop::ShopTest;

class CheckTest : public ShopTest {};

TEST_F(CheckTest, PassesWhenAllIsWell) {
    use_redis();
    make_stock_table({{1001, 10}});
    ASSERT_EQ(init().code, proxy::exit_code::ok);
    const auto ran = check();
    EXPECT_EQ(ran.code, proxy::exit_code::ok) << ran.text;
    EXPECT_TRUE(ran.says("maxmemory-policy is noeviction")) << ran.text;
    EXPECT_TRUE(ran.says("the server enforces CHECK")) << ran.text;
    EXPECT_TRUE(ran.says("1 of 1 configured SKUs are adopted")) << ran.text;
    EXPECT_TRUE(ran.says("\ncheck: PASS 0 failures, 0 warnings")) << ran.text;
    EXPECT_EQ(value("SELECT COUNT(*) FROM shop.inventory_bucket"), "4");
}

TEST_F(CheckTest, BeforeInit) {
    make_stock_table({{1001, 10}});
    const auto ran = check();
    EXPECT_EQ(ran.code, proxy::exit_code::finding);
    EXPECT_TRUE(ran.says("0 of 4 ledger tables")) << ran.text;
    EXPECT_TRUE(ran.says("SKU t_stock:1001 is not adopted")) << ran.text;
    EXPECT_FALSE(ledger_exists());
}

TEST_F(CheckTest, MissingRights) {
    make_stock_table({{1001, 10}});
    ASSERT_EQ(init().code, proxy::exit_code::ok);
    make_account("poor");
    sql("GRANT SELECT ON shop.* TO poor@'%'");
    sql("GRANT INSERT ON shop.stock_deduct_detail TO poor@'%'");
    config_.ledger.user = "poor";
    config_.ledger.password = config::Secret{"secret"};
    const auto ran = check();
    sql("DROP USER poor@'%'");
    EXPECT_EQ(ran.code, proxy::exit_code::finding);
    EXPECT_TRUE(ran.says("inventory_bucket: the ledger account lacks INSERT, UPDATE, DELETE"))
        << ran.text;
    EXPECT_TRUE(ran.says("stock_deduct_detail: the ledger account lacks UPDATE, DELETE"))
        << ran.text;
    EXPECT_TRUE(ran.says("the ledger account lacks UPDATE\n")) << ran.text;
    EXPECT_TRUE(ran.says("the server hides whether the table has triggers")) << ran.text;
}

TEST_F(CheckTest, AlteredLedger) {
    make_stock_table({{1001, 10}});
    ASSERT_EQ(init().code, proxy::exit_code::ok);
    sql("ALTER TABLE shop.inventory_bucket DROP COLUMN version");
    sql("ALTER TABLE shop.stock_deduct_detail MODIFY qty INT NOT NULL");
    const auto ran = check();
    EXPECT_TRUE(ran.says("inventory_bucket.version is missing")) << ran.text;
    EXPECT_TRUE(ran.says("stock_deduct_detail.qty is int instead of bigint")) << ran.text;
}

TEST_F(CheckTest, ConstraintThatIsNotThere) {
    make_stock_table({{1001, 10}});
    ASSERT_EQ(init().code, proxy::exit_code::ok);
    sql("ALTER TABLE shop.inventory_bucket DROP CONSTRAINT inventory_bucket_no_oversell");
    const auto ran = check();
    EXPECT_EQ(ran.code, proxy::exit_code::ok) << ran.text;
    EXPECT_TRUE(ran.says("does not enforce the CHECK constraint")) << ran.text;
    EXPECT_EQ(
        value("SELECT COUNT(*) FROM shop.inventory_bucket WHERE sku_id='stockgate:check'"), "0"
    );
}

TEST_F(CheckTest, NamesWhatUsesTheTableInsideTheServer) {
    make_stock_table({{1001, 10}});
    ASSERT_EQ(init().code, proxy::exit_code::ok);
    sql("CREATE VIEW shop.v_stock AS SELECT stock FROM shop.t_stock");
    sql("CREATE PROCEDURE shop.p_sell() UPDATE shop.t_stock SET stock=stock-1");
    sql("CREATE EVENT shop.e_nightly ON SCHEDULE EVERY 1 DAY DO DELETE FROM shop.t_stock");
    const auto ran = check();
    for (const char* name : {"view v_stock", "procedure p_sell", "event e_nightly"}) {
        EXPECT_TRUE(ran.says(std::string{name} + " uses the table inside the server")) << ran.text;
    }
}

TEST_F(CheckTest, HazardsOfTheTable) {
    make_stock_table({{1001, 10}});
    sql("CREATE TRIGGER shop.watch AFTER UPDATE ON shop.t_stock FOR EACH ROW SET @x=1");
    const auto ran = check();
    EXPECT_EQ(ran.code, proxy::exit_code::finding);
    EXPECT_TRUE(ran.says("trigger watch (UPDATE)")) << ran.text;
}

TEST_F(CheckTest, RedisThatMayEvict) {
    use_redis();
    redis_->command({"CONFIG", "SET", "maxmemory-policy", "allkeys-lru"});
    make_stock_table({{1001, 10}});
    ASSERT_EQ(init().code, proxy::exit_code::ok);
    const auto ran = check();
    EXPECT_EQ(ran.code, proxy::exit_code::ok) << ran.text;
    EXPECT_TRUE(ran.says("maxmemory-policy is allkeys-lru")) << ran.text;
}

TEST_F(CheckTest, RedisThatIsDownOrRefuses) {
    use_redis();
    make_stock_table({{1001, 10}});
    ASSERT_EQ(init().code, proxy::exit_code::ok);
    redis_->command({"CONFIG", "SET", "requirepass", "other"});
    const auto ran = check();
    EXPECT_EQ(ran.code, proxy::exit_code::finding);
    EXPECT_TRUE(ran.says("does not answer, or refuses this user or password")) << ran.text;
}

TEST_F(CheckTest, DatabaseThatRefuses) {
    make_stock_table({{1001, 10}});
    config_.ledger.password = config::Secret{"wrong"};
    const auto ran = check();
    EXPECT_EQ(ran.code, proxy::exit_code::cannot_connect);
    EXPECT_TRUE(ran.says("\ncheck: FAIL")) << ran.text;
}

TEST_F(CheckTest, WritesAReport) {
    make_stock_table({{1001, 10}});
    support::TemporaryFolder folder;
    proxy::CheckOptions options;
    options.json_file = (folder.path() / "report.json").string();
    EXPECT_EQ(check(options).code, proxy::exit_code::finding);
    EXPECT_GT(std::filesystem::file_size(options.json_file), 100U);
}

TEST(ServerVersion, IsReadFromWhatServersSay) {
    const auto version = [](const std::string& text) {
        const auto read = proxy::parse_server_version(text);
        return std::to_string(read.major) + '.' + std::to_string(read.minor);
    };
    EXPECT_EQ(version("10.11.6-MariaDB-0+deb12u1"), "10.11");
    EXPECT_EQ(version("5.5.5-10.3.1-MariaDB"), "10.3");
    EXPECT_EQ(version("9.7.4"), "9.7");
    EXPECT_EQ(version("nonsense"), "0.0");
}

}  // namespace
