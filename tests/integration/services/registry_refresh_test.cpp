#include "proxy/services/registry_refresh.hpp"

#include "tests/integration/services/services_fixture.hpp"

namespace proxy {
namespace {

class RegistryRefreshTest : public ServicesTest {
protected:
    RegistryRefreshTest() { adopt(1, 100, 4); }
    ~RegistryRefreshTest() override { sql_.try_query("DROP USER IF EXISTS reader@'%'"); }

    RegistryHooks hooks() {
        RegistryHooks hooks;
        hooks.announce = [this](std::vector<std::string> schemas) {
            return announce(std::move(schemas));
        };
        hooks.publish = [this](RegistryView view, const std::vector<std::string>& moved) {
            published_.push_back(std::move(view));
            moved_ = moved;
        };
        return hooks;
    }

    Task<bool> announce(std::vector<std::string> schemas) {
        announced_.push_back(std::move(schemas));
        co_return announce_works_;
    }

    bool refresh() { return run(refresh_.refresh_now()); }

    using Names = std::vector<std::string>;
    std::vector<RegistryView> published_;
    Names moved_;
    std::vector<Names> announced_;
    bool announce_works_ = true;
    RegistryRefresh refresh_{
        context_.get_executor(), pool_, std::chrono::milliseconds{10}, hooks()};
    const std::string skus_ = std::string{test_schema} + ".inventory_sku";
};

TEST_F(RegistryRefreshTest, PublishesOnceAndThenOnlyChanges) {
    EXPECT_EQ(refresh_.current()->version, 0U);
    ASSERT_TRUE(refresh());
    ASSERT_TRUE(refresh());
    ASSERT_EQ(published_.size(), 1U);
    EXPECT_EQ(published_[0]->version, 1U);
    EXPECT_EQ(announced_, std::vector<Names>{Names{test_schema}});
    EXPECT_EQ(moved_, Names{"services_test.t_stock:1"});
    EXPECT_EQ(refresh_.status().skus, 1U);

    sql_.query("UPDATE " + skus_ + " SET epoch=2");
    ASSERT_TRUE(refresh());
    EXPECT_EQ(refresh_.current()->version, 2U);
    EXPECT_EQ(moved_, Names{"services_test.t_stock:1"});
    EXPECT_EQ(refresh_.current()->find(0, "t_stock:1")->epoch, 2U);

    sql_.query("UPDATE " + skus_ + " SET state='paused'");
    ASSERT_TRUE(refresh());
    EXPECT_EQ(refresh_.current()->version, 3U);
    EXPECT_TRUE(moved_.empty());
    // Bookkeeping of the projection is no change.
    sql_.query("UPDATE " + skus_ + " SET projected_stock=5");
    ASSERT_TRUE(refresh());
    EXPECT_EQ(refresh_.current()->version, 3U);
    EXPECT_EQ(announced_.size(), 1U);
}

TEST_F(RegistryRefreshTest, ADrainedSkuAndThenItsTableDisappear) {
    adopt(2, 10, 1);
    ASSERT_TRUE(refresh());
    sql_.query("UPDATE " + skus_ + " SET state='drained' WHERE sku_id='t_stock:1'");
    ASSERT_TRUE(refresh());
    EXPECT_EQ(refresh_.current()->skus.size(), 1U);
    EXPECT_EQ(refresh_.current()->tables.size(), 1U);
    sql_.query("UPDATE " + skus_ + " SET state='drained'");
    ASSERT_TRUE(refresh());
    EXPECT_TRUE(refresh_.current()->skus.empty());
    EXPECT_TRUE(refresh_.current()->tables.empty());
    EXPECT_TRUE(refresh_.current()->rules.empty());
}

TEST_F(RegistryRefreshTest, NothingIsPublishedUnannounced) {
    announce_works_ = false;
    EXPECT_FALSE(refresh());
    EXPECT_TRUE(published_.empty());
    EXPECT_EQ(refresh_.current()->version, 0U);
    announce_works_ = true;
    EXPECT_TRUE(refresh());
    EXPECT_EQ(published_.size(), 1U);
    EXPECT_EQ(announced_.size(), 2U);
}

TEST_F(RegistryRefreshTest, WhatCannotBeReadStays) {
    sql_.query("CREATE USER reader@'%'");
    sql_.query("GRANT SELECT ON " + skus_ + " TO reader@'%'");
    auto account = root_account();
    account.user = "reader";
    SqlPool pool(context_.get_executor(), account, 1);
    RegistryRefresh refresh(context_.get_executor(), pool, std::chrono::milliseconds{10}, hooks());
    ASSERT_TRUE(run(refresh.refresh_now()));
    // The right is taken away: the schema is no longer listed, which proves nothing.
    sql_.query("REVOKE SELECT ON " + skus_ + " FROM reader@'%'");
    EXPECT_FALSE(run(refresh.refresh_now()));
    EXPECT_EQ(refresh.current()->skus.size(), 1U);
    EXPECT_EQ(refresh.current()->version, 1U);
    EXPECT_EQ(refresh.status().failures, 1U);
    EXPECT_NE(refresh.status().last_error, "");
    // Gone for the server is gone.
    sql_.query("GRANT SELECT ON " + skus_ + " TO reader@'%'");
    sql_.query("DROP TABLE " + skus_);
    EXPECT_TRUE(run(refresh.refresh_now()));
    EXPECT_TRUE(refresh.current()->skus.empty());
}

TEST_F(RegistryRefreshTest, ATableThatIsNotUnderstoodIsManagedAndSaidSo) {
    sql_.query("UPDATE " + skus_ + " SET key_columns=''");
    EXPECT_FALSE(refresh());
    EXPECT_EQ(refresh_.current()->skus.size(), 1U);
    EXPECT_EQ(refresh_.current()->find(0, "t_stock:1")->state, SkuState::paused);
    EXPECT_FALSE(refresh_.status().complete);
    EXPECT_FALSE(refresh()) << "for as long as it is so";
    sql_.query("UPDATE " + skus_ + " SET key_columns='sku_id'");
    EXPECT_TRUE(refresh());
    EXPECT_TRUE(refresh_.status().complete);
}

TEST_F(RegistryRefreshTest, EveryCallSeesWhatWasThereBeforeIt) {
    refresh_.start();
    for (unsigned epoch = 2; epoch < 30; ++epoch) {
        sql_.query("UPDATE " + skus_ + " SET epoch=" + std::to_string(epoch));
        // Two callers at once, whatever the loop is doing.
        auto other = refresh_.refresh_now();
        bool ended = false;
        boost::asio::co_spawn(context_, std::move(other), [&ended](std::exception_ptr, bool ok) {
            EXPECT_TRUE(ok);
            ended = true;
        });
        ASSERT_TRUE(refresh());
        EXPECT_EQ(refresh_.current()->find(0, "t_stock:1")->epoch, epoch);
        run_until([&ended] { return ended; }, "the other caller");
    }
    refresh_.stop();
    run_until([this] { return !refresh_.running(); }, "the loop's end");
}

}  // namespace
}  // namespace proxy
