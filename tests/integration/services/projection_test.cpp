#include "proxy/services/projection.hpp"

#include "tests/integration/services/services_fixture.hpp"

#include <atomic>
#include <thread>

namespace proxy {
namespace {

class ProjectionTest : public ServicesTest {
protected:
    ProjectionTest() { adopt(1, 100, 4); }

    std::unique_ptr<Projection> projection() {
        return std::make_unique<Projection>(
            context_.get_executor(),
            pool_,
            std::chrono::milliseconds{10},
            [view = registry()] { return view; }
        );
    }

    static void sell(Sql& sql, const RequestId& id, unsigned bucket, std::int64_t units) {
        const auto name = sku(1);
        sql.query("BEGIN");
        sql.query(ledger_sql::insert_detail(
            target(name), id, units, bucket, ledger_sql::DetailStatus::confirmed
        ));
        sql.query(ledger_sql::sell(target(name), id, bucket, units));
        sql.query("COMMIT");
    }

    bool project(Projection& projection) { return run(projection.project_now()); }
    std::int64_t base(const std::string& column) {
        return sql_.number("SELECT " + column + " FROM " + table_ + " WHERE sku_id=1");
    }

    const std::string table_ = std::string{test_schema} + ".t_stock";
};

TEST_F(ProjectionTest, StockVersionAndTimeFollowTheLedger) {
    sql_.query("SET GLOBAL time_zone='+05:30'");
    auto service = projection();
    ASSERT_TRUE(project(*service));
    EXPECT_EQ(service->status().projected, 0U) << "nothing moved yet";
    sell(sql_, new_id(), 1, 3);
    sell(sql_, new_id(), 2, 4);
    ASSERT_TRUE(project(*service));
    EXPECT_EQ(base("stock"), 93);
    EXPECT_EQ(base("version"), 2);
    // In the server's own time zone, as an application would have written it.
    EXPECT_LT(
        base("ABS(TIMESTAMPDIFF(SECOND,changed_at,UTC_TIMESTAMP()+INTERVAL 330 MINUTE))"), 600
    );
    sql_.query("SET GLOBAL time_zone='SYSTEM'");
    ASSERT_TRUE(project(*service));
    EXPECT_EQ(base("version"), 2) << "only once";
    EXPECT_EQ(service->status().projected, 1U);
    EXPECT_EQ(service->status().alarmed, 0U);
}

TEST_F(ProjectionTest, AWritePastTheGateIsAlarmedAndKept) {
    auto service = projection();
    sell(sql_, new_id(), 1, 3);
    sql_.query("UPDATE " + table_ + " SET stock=stock+7 WHERE sku_id=1");
    ASSERT_TRUE(project(*service));
    ASSERT_TRUE(project(*service));
    EXPECT_EQ(base("stock"), 107);
    EXPECT_EQ(base("version"), 0);
    EXPECT_EQ(service->status().alarmed, 1U);
    EXPECT_EQ(service->status().alarms, 1U);
    sql_.query("UPDATE " + table_ + " SET stock=stock+1 WHERE sku_id=1");
    ASSERT_TRUE(project(*service));
    EXPECT_EQ(service->status().alarms, 2U) << "another figure is news";
    // Put right by an operator.
    sql_.query("UPDATE " + table_ + " SET stock=100 WHERE sku_id=1");
    ASSERT_TRUE(project(*service));
    EXPECT_EQ(base("stock"), 97);
    EXPECT_EQ(service->status().alarmed, 0U);
}

TEST_F(ProjectionTest, AMissingBaseRowIsAlarmed) {
    auto service = projection();
    sell(sql_, new_id(), 1, 3);
    sql_.query("DELETE FROM " + table_);
    ASSERT_TRUE(project(*service));
    EXPECT_EQ(service->status().alarmed, 1U);
}

TEST_F(ProjectionTest, ALockedRowIsLeftForTheNextRound) {
    adopt(2, 50, 1);
    auto service = projection();
    sell(sql_, new_id(), 1, 3);
    Sql holder;
    holder.query("BEGIN");
    holder.query("UPDATE " + table_ + " SET note='held' WHERE sku_id=1");
    ASSERT_TRUE(project(*service));
    EXPECT_EQ(service->status().skipped, 1U);
    EXPECT_EQ(base("stock"), 100);
    holder.query("COMMIT");
    ASSERT_TRUE(project(*service));
    EXPECT_EQ(base("stock"), 97);
    EXPECT_EQ(sql_.value("SELECT note FROM " + table_ + " WHERE sku_id=1"), "held");
}

TEST_F(ProjectionTest, ADrainedSkuIsNotOurs) {
    auto service = projection();
    sell(sql_, new_id(), 1, 3);
    sql_.query(std::string{"UPDATE "} + test_schema + ".inventory_sku SET state='drained'");
    ASSERT_TRUE(project(*service));
    EXPECT_EQ(base("stock"), 100);
}

// Two proxies project while clients sell: each booking is counted into the version exactly once,
// the figure never rises (nothing is returned here), and at the end it is the remainder.
TEST_F(ProjectionTest, TwoAtOnce) {
    auto first = projection();
    auto second = projection();
    std::vector<RequestId> ids;
    for (int i = 0; i < 60; ++i) ids.push_back(new_id());
    std::atomic<bool> sold{false};
    std::thread client([&] {
        Sql sql;
        for (std::size_t i = 0; i < ids.size(); ++i) {
            sell(sql, ids[i], static_cast<unsigned>(i % 4), 1);
        }
        sold = true;
    });
    first->start();
    second->start();
    std::int64_t last = 100;
    bool fell = true;
    const auto watch = [&] {
        const auto now = base("stock");
        fell = fell && now <= last;
        last = now;
        return sold.load();
    };
    run_until(watch, "the sales");
    client.join();
    run_until([&] { return base("stock") == 40; }, "the last figure");
    EXPECT_TRUE(fell);
    EXPECT_EQ(base("version"), 60);
    EXPECT_EQ(first->status().alarms + second->status().alarms, 0U);
    first->stop();
    second->stop();
    run_until([&] { return !first->running() && !second->running(); }, "the loops' end");
}

}  // namespace
}  // namespace proxy
