// Drain: exact, also while transactions book and roll back, and never over somebody else's write.

#include "proxy/ledger/ledger_sql.hpp"
#include "shop.hpp"

#include <atomic>
#include <thread>

namespace {

using shop::ShopTest;
namespace ledger_sql = proxy::ledger_sql;

class DrainTest : public ShopTest {
protected:
    void adopt() {
        make_stock_table({{1001, 10}});
        config_.tables.front().version = "version";
        config_.tables.front().time = {"changed"};
        const auto ran = init();
        ASSERT_EQ(ran.code, proxy::exit_code::ok) << ran.text;
    }
    std::string base(const std::string& column) {
        return value("SELECT " + column + " FROM shop.t_stock WHERE sku_id=1001");
    }
    std::string registry(const std::string& column) {
        return value("SELECT " + column + " FROM shop.inventory_sku WHERE sku_id='t_stock:1001'");
    }
};

TEST_F(DrainTest, MovesTheRemainderBack) {
    adopt();
    sell(0, 2);
    sell(2, 1);
    const auto ran = drain("1001");
    EXPECT_EQ(ran.code, proxy::exit_code::ok) << ran.text;
    EXPECT_TRUE(ran.says("7 units of 4 buckets moved back; stock is now 7")) << ran.text;
    EXPECT_EQ(base("stock"), "7");
    EXPECT_EQ(base("version"), "9");
    EXPECT_NE(base("changed"), "NULL");
    EXPECT_EQ(
        registry("CONCAT_WS('|',state,epoch,adopted_total,drained_total,projected_stock,"
                 "projected_version)"),
        "drained|2|10|7|7|2"
    );
    EXPECT_EQ(
        value("SELECT COUNT(*) FROM shop.inventory_bucket WHERE bucket_total<>sold_stock OR "
              "epoch<>2"),
        "0"
    );
    EXPECT_EQ(verify().code, proxy::exit_code::ok);
}

TEST_F(DrainTest, LeavesTimeAndVersionAloneWhenNothingHappened) {
    adopt();
    ASSERT_EQ(drain("t_stock:1001").code, proxy::exit_code::ok);
    EXPECT_EQ(base("CONCAT_WS('|',stock,version,IFNULL(changed,'never'))"), "10|7|never");
}

TEST_F(DrainTest, FoldsOnlyWhatTheProjectionHasNotFolded) {
    adopt();
    sell(0, 2);
    sql("UPDATE shop.t_stock SET stock=8,version=8 WHERE sku_id=1001");
    sql("UPDATE shop.inventory_sku SET projected_stock=8,projected_version=1");
    sell(1, 1);
    ASSERT_EQ(drain("1001").code, proxy::exit_code::ok);
    EXPECT_EQ(base("CONCAT_WS('|',stock,version)"), "7|9");
}

TEST_F(DrainTest, IsRepeatable) {
    adopt();
    ASSERT_EQ(drain("1001").code, proxy::exit_code::ok);
    const auto again = drain("1001");
    EXPECT_EQ(again.code, proxy::exit_code::ok);
    EXPECT_TRUE(again.says("already drained")) << again.text;
    EXPECT_EQ(registry("epoch"), "2");
}

TEST_F(DrainTest, RefusesWhatSomebodyElseWrote) {
    adopt();
    sell(0, 2);
    sql("UPDATE shop.t_stock SET stock=13 WHERE sku_id=1001");
    const auto ran = drain("1001");
    EXPECT_EQ(ran.code, proxy::exit_code::finding);
    EXPECT_TRUE(ran.says("the base row says 13, the proxies last wrote 10")) << ran.text;
    EXPECT_TRUE(ran.says("the ledger has 8 units left")) << ran.text;
    EXPECT_EQ(base("stock"), "13");
    EXPECT_EQ(registry("state"), "active");
}

TEST_F(DrainTest, AddsWhatSomebodyElseWroteWhenTold) {
    adopt();
    sell(0, 2);
    sql("UPDATE shop.t_stock SET stock=13 WHERE sku_id=1001");
    const auto ran = drain("1001", true);
    EXPECT_EQ(ran.code, proxy::exit_code::ok) << ran.text;
    EXPECT_TRUE(ran.says("their difference of 3 was added")) << ran.text;
    EXPECT_EQ(base("stock"), "11");
    EXPECT_EQ(verify().code, proxy::exit_code::ok);
}

TEST_F(DrainTest, RefusesADifferenceThatWouldMakeItNegative) {
    adopt();
    sell(0, 3);
    sell(1, 3);
    sql("UPDATE shop.t_stock SET stock=1 WHERE sku_id=1001");
    const auto ran = drain("1001", true);
    EXPECT_EQ(ran.code, proxy::exit_code::finding);
    EXPECT_TRUE(ran.says("the stock would be -5")) << ran.text;
}

TEST_F(DrainTest, RefusesWhenTheBaseRowIsGone) {
    adopt();
    sql("DELETE FROM shop.t_stock WHERE sku_id=1001");
    const auto ran = drain("1001");
    EXPECT_EQ(ran.code, proxy::exit_code::finding);
    EXPECT_TRUE(ran.says("names 0 rows")) << ran.text;
}

TEST_F(DrainTest, RefusesWhatTheColumnCannotHold) {
    sql("CREATE TABLE shop.t_stock (sku_id INT PRIMARY KEY, stock TINYINT NOT NULL) ENGINE=InnoDB");
    sql("INSERT INTO shop.t_stock VALUES (1001,100)");
    configure("t_stock", {"sku_id"}, "stock").skus.push_back(sku({"1001"}));
    ASSERT_EQ(init().code, proxy::exit_code::ok);
    sql("UPDATE shop.inventory_bucket SET bucket_total=bucket_total+28 WHERE bucket_id=0");
    const auto ran = drain("1001");
    EXPECT_TRUE(ran.says("128 units do not fit into stock (at most 127)")) << ran.text;
    EXPECT_EQ(base("stock"), "100");
}

TEST_F(DrainTest, UnknownSkuAndNoSku) {
    adopt();
    EXPECT_TRUE(drain("4711").says("key 4711: not in the registry"));
    std::ostringstream out;
    EXPECT_EQ(proxy::run_drain(config_, proxy::DrainOptions{}, out), proxy::exit_code::usage);
}

TEST_F(DrainTest, AllSkusOfATable) {
    make_stock_table({{1001, 10}, {1002, 4}});
    ASSERT_EQ(init().code, proxy::exit_code::ok);
    proxy::DrainOptions options;
    options.all = true;
    std::ostringstream out;
    EXPECT_EQ(proxy::run_drain(config_, options, out), proxy::exit_code::ok) << out.str();
    EXPECT_EQ(value("SELECT COUNT(*) FROM shop.inventory_sku WHERE state='drained'"), "2");
}

TEST_F(DrainTest, ForgetsTheGatesKeys) {
    use_redis();
    adopt();
    redis_->command({"HSET", "stock:shop.t_stock:1001:3", "left", "2"});
    ASSERT_EQ(drain("1001").code, proxy::exit_code::ok);
    EXPECT_EQ(redis_->command({"EXISTS", "stock:shop.t_stock:1001:3"}), "0");
}

TEST_F(DrainTest, FinishesADrainThatWasInterrupted) {
    adopt();
    sql("UPDATE shop.inventory_sku SET state='draining'");
    ASSERT_EQ(drain("1001").code, proxy::exit_code::ok);
    EXPECT_EQ(registry("state"), "drained");
}

TEST_F(DrainTest, ARefusalLiftsTheMarkOfAnInterruptedDrain) {
    adopt();
    sql("UPDATE shop.inventory_sku SET state='draining'");
    sql("UPDATE shop.t_stock SET stock=13 WHERE sku_id=1001");
    EXPECT_EQ(drain("1001").code, proxy::exit_code::finding);
    EXPECT_EQ(registry("state"), "active");
}

// What a proxy's session does with one deduction: the ledger under the epoch it knows; when that is
// over, the base row.
class Buyer {
public:
    explicit Buyer(std::uint8_t number)
        : number_(number),
          database_(shop::backend(), shop::dba(), std::chrono::seconds{30}),
          generator_(number, 0) {}

    void run(const std::atomic<bool>& stop) {
        if (database_.connect()) return;
        for (int i = 0; !stop; ++i) {
            const bool rolls_back = i % 3 == 0;
            if (!buy(rolls_back)) {
                wrong = true;
                return;
            }
        }
    }

    std::int64_t units = 0;
    std::int64_t from_base = 0;
    bool wrong = false;

private:
    bool buy(bool rolls_back) {
        const ledger_sql::Target target{"shop", "t_stock:1001", 1};
        const auto id = generator_.next();
        const unsigned bucket = number_ % 4U;
        if (database_.query("START TRANSACTION").error) return false;
        auto reply = database_.query(
            ledger_sql::insert_detail(target, id, 1, bucket, ledger_sql::DetailStatus::confirmed)
        );
        if (!reply.error) {
            reply = database_.query(ledger_sql::sell(target, id, bucket, 1));
        }
        bool is_base = false;
        if (!reply.error && reply.affected_rows == 0) {
            if (database_.query(ledger_sql::delete_detail(target, id)).error) return false;
            reply = database_.query(
                "UPDATE shop.t_stock SET stock=stock-1 WHERE sku_id=1001 AND stock>=1 AND EXISTS "
                "(SELECT 1 FROM shop.inventory_sku WHERE sku_id='t_stock:1001' AND state='drained')"
            );
            is_base = true;
        }
        const bool booked = !reply.error && reply.affected_rows == 1 && !rolls_back;
        if (database_.query(booked ? "COMMIT" : "ROLLBACK").error) return false;
        if (booked) ++(is_base ? from_base : units);
        return true;
    }

    std::uint8_t number_;
    proxy::Database database_;
    proxy::RequestIdGenerator generator_;
};

TEST_F(DrainTest, IsExactWhileTransactionsRun) {
    make_stock_table({{1001, 100000}});
    ASSERT_EQ(init().code, proxy::exit_code::ok);
    std::atomic<bool> stop{false};
    std::vector<std::unique_ptr<Buyer>> buyers;
    std::vector<std::thread> threads;
    for (std::uint8_t number = 0; number < 6; ++number) {
        buyers.push_back(std::make_unique<Buyer>(number));
        threads.emplace_back(&Buyer::run, buyers.back().get(), std::cref(stop));
    }
    while (value("SELECT COUNT(*)>=50 FROM shop.stock_deduct_detail") != "1") {
        std::this_thread::yield();
    }
    const auto ran = drain("1001");
    while (ran.code == proxy::exit_code::ok &&
           value("SELECT stock<(SELECT drained_total FROM shop.inventory_sku)-20 FROM shop.t_stock"
           ) != "1") {
        std::this_thread::yield();
    }
    stop = true;
    for (auto& thread : threads) thread.join();
    ASSERT_EQ(ran.code, proxy::exit_code::ok) << ran.text;
    std::int64_t units = 0;
    std::int64_t from_base = 0;
    for (const auto& buyer : buyers) {
        EXPECT_FALSE(buyer->wrong);
        units += buyer->units;
        from_base += buyer->from_base;
    }
    EXPECT_EQ(value("SELECT SUM(sold_stock) FROM shop.inventory_bucket"), std::to_string(units));
    EXPECT_EQ(base("stock"), std::to_string(100000 - units - from_base));
    EXPECT_EQ(registry("drained_total"), std::to_string(100000 - units));
    const auto audit = verify();
    EXPECT_EQ(audit.code, proxy::exit_code::ok) << audit.text;
}

}  // namespace
