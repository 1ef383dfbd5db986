#include "proxy/services/projection_plan.hpp"

#include <gtest/gtest.h>

namespace proxy {
namespace {

// Wrote 100 at version 5; the ledger is at 90 and version 8.
ProjectionFacts facts() {
    ProjectionFacts facts;
    facts.state = "active";
    facts.base_stock = {"100"};
    facts.projected_stock = 100;
    facts.projected_version = 5;
    facts.remainder = 90;
    facts.versions = 8;
    return facts;
}

TEST(ProjectionPlan, WritesOverWhatWasWritten) {
    const auto plan = plan_projection(facts());
    EXPECT_EQ(plan.action, ProjectionAction::write);
    EXPECT_EQ(plan.version_delta, 3U);
    EXPECT_EQ(plan.base, 100);
}

TEST(ProjectionPlan, NeverOverAnythingElse) {
    for (const char* stock : {"99", "101", "90", "0", "-1"}) {
        auto changed = facts();
        changed.base_stock = {stock};
        EXPECT_EQ(plan_projection(changed).action, ProjectionAction::changed) << stock;
    }
}

TEST(ProjectionPlan, OnlyWhatIsOurs) {
    for (const char* state : {"draining", "drained", "", "other"}) {
        auto other = facts();
        other.state = state;
        EXPECT_EQ(plan_projection(other).action, ProjectionAction::nothing) << state;
    }
    auto paused = facts();
    paused.state = "paused";
    EXPECT_EQ(plan_projection(paused).action, ProjectionAction::write);
}

TEST(ProjectionPlan, UpToDate) {
    auto same = facts();
    same.versions = 5;
    same.remainder = 100;
    EXPECT_EQ(plan_projection(same).action, ProjectionAction::nothing);
}

TEST(ProjectionPlan, AnotherProxyWasFaster) {
    auto older = facts();
    older.versions = 4;
    EXPECT_EQ(plan_projection(older).action, ProjectionAction::nothing);
}

TEST(ProjectionPlan, SoldAndReturnedMovesTheVersionOnly) {
    auto back = facts();
    back.remainder = 100;
    const auto plan = plan_projection(back);
    EXPECT_EQ(plan.action, ProjectionAction::write);
    EXPECT_EQ(plan.version_delta, 3U);
}

TEST(ProjectionPlan, BaseRowsThatAreNotOne) {
    auto none = facts();
    none.base_stock.clear();
    EXPECT_EQ(plan_projection(none).action, ProjectionAction::missing);
    none.base_stock = {"100", "100"};
    EXPECT_EQ(plan_projection(none).action, ProjectionAction::missing);
    none.base_stock = {std::nullopt};
    EXPECT_EQ(plan_projection(none).action, ProjectionAction::unreadable);
    none.base_stock = {"100.0"};
    EXPECT_EQ(plan_projection(none).action, ProjectionAction::unreadable);
}

TEST(ProjectionPlan, NeverWrittenBefore) {
    auto first = facts();
    first.projected_stock.reset();
    EXPECT_EQ(plan_projection(first).action, ProjectionAction::write_first);
    first.base_stock = {"90"};
    EXPECT_EQ(plan_projection(first).action, ProjectionAction::write);
    // Nothing was sold, so the two must agree.
    first.versions = first.projected_version;
    first.base_stock = {"91"};
    EXPECT_EQ(plan_projection(first).action, ProjectionAction::changed);
}

TEST(ProjectionPlan, Alarms) {
    EXPECT_TRUE(is_alarm(ProjectionAction::changed));
    EXPECT_TRUE(is_alarm(ProjectionAction::missing));
    EXPECT_TRUE(is_alarm(ProjectionAction::unreadable));
    EXPECT_FALSE(is_alarm(ProjectionAction::write));
    EXPECT_FALSE(is_alarm(ProjectionAction::write_first));
    EXPECT_FALSE(is_alarm(ProjectionAction::nothing));
}

std::string quoted(const std::string& text) {
    return '<' + text + '>';
}

rewrite::ManagedTable table() {
    rewrite::ManagedTable table;
    table.schema = "shop";
    table.table = "t_stock";
    table.key_columns = {"warehouse", "co`de"};
    table.stock_column = "stock";
    table.version_column = "version";
    table.time_columns = {"changed_at"};
    return table;
}

const std::vector<KeyType> types{KeyType::integer, KeyType::folded_string};

TEST(ProjectionSql, Condition) {
    EXPECT_EQ(
        base_row_condition(table(), types, "t_stock:-7,a%20b", quoted),
        "`warehouse`=-7 AND `co``de`=<a b>"
    );
    for (const char* id : {"t_stock:7", "t_stock:7,a,b", "t_stock:1%20OR%201,a", "other:7,a"}) {
        EXPECT_EQ(base_row_condition(table(), types, id, quoted), std::nullopt) << id;
    }
}

TEST(ProjectionSql, Update) {
    EXPECT_EQ(
        base_row_update(table(), "c", 90, 3),
        "UPDATE `shop`.`t_stock` SET `stock`=90,`version`=`version`+3,`changed_at`=NOW() WHERE c"
    );
    auto plain = table();
    plain.version_column.reset();
    plain.time_columns.clear();
    EXPECT_EQ(base_row_update(plain, "c", 90, 3), "UPDATE `shop`.`t_stock` SET `stock`=90 WHERE c");
    EXPECT_EQ(
        base_row_update(table(), "c", 90, 0),
        "UPDATE `shop`.`t_stock` SET `stock`=90,`changed_at`=NOW() WHERE c"
    );
}

}  // namespace
}  // namespace proxy
