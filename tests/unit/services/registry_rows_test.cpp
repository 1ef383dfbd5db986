#include "proxy/services/registry_rows.hpp"

#include <gtest/gtest.h>

namespace proxy {
namespace {

SqlRow row(const std::string& sku_id) {
    return {
        sku_id,
        "t_stock",
        "sku_id",
        "i",
        "stock",
        "4294967295",
        "1",
        std::nullopt,
        "",
        "error",
        "16",
        "3",
        "active"};
}

SqlRow changed(const std::string& sku_id, std::size_t column, std::optional<std::string> value) {
    auto changed = row(sku_id);
    changed[column] = std::move(value);
    return changed;
}

ParsedRegistry parse(std::vector<SqlRow> rows) {
    return parse_registry({{"shop", std::move(rows)}});
}

const Sku& sku_of(const ParsedRegistry& parsed, const std::string& key) {
    static const Sku none{};
    const auto found = parsed.registry.skus.find(key);
    EXPECT_NE(found, parsed.registry.skus.end()) << key << " is unmanaged";
    return found == parsed.registry.skus.end() ? none : found->second;
}

TEST(RegistryRows, OneTable) {
    const auto parsed = parse({row("t_stock:1"), row("t_stock:2")});
    EXPECT_TRUE(parsed.complete);
    EXPECT_TRUE(parsed.problems.empty());
    ASSERT_EQ(parsed.registry.tables.size(), 1U);
    const auto& table = parsed.registry.tables[0];
    EXPECT_EQ(table.schema, "shop");
    EXPECT_EQ(table.table, "t_stock");
    EXPECT_EQ(table.key_types, std::vector<KeyType>{KeyType::integer});
    EXPECT_EQ(table.stock_type_max, "4294967295");
    EXPECT_TRUE(table.stock_unsigned);
    EXPECT_EQ(table.unguarded, Unguarded::error);
    ASSERT_EQ(parsed.registry.rules.tables().size(), 1U);
    const auto& rule = parsed.registry.rules.tables()[0];
    EXPECT_EQ(rule.key_columns, std::vector<std::string>{"sku_id"});
    EXPECT_EQ(rule.stock_column, "stock");
    EXPECT_EQ(rule.version_column, std::nullopt);
    EXPECT_TRUE(rule.time_columns.empty());
    ASSERT_EQ(parsed.registry.skus.size(), 2U);
    const Sku* sku = parsed.registry.find(0, "t_stock:2");
    ASSERT_NE(sku, nullptr);
    EXPECT_EQ(sku->epoch, 3U);
    EXPECT_EQ(sku->buckets, 16U);
    EXPECT_EQ(sku->state, SkuState::active);
}

TEST(RegistryRows, EveryColumn) {
    const SqlRow full{
        "t_wh:7,ab%20c",
        "t_wh",
        "warehouse,code",
        "if",
        "free",
        "127",
        "0",
        "version",
        "a,b_c",
        "zero_rows",
        "1",
        "9",
        "paused"};
    const auto parsed = parse({full});
    ASSERT_TRUE(parsed.problems.empty()) << parsed.problems[0].what;
    const auto& rule = parsed.registry.rules.tables().at(0);
    EXPECT_EQ(rule.key_columns, (std::vector<std::string>{"warehouse", "code"}));
    EXPECT_EQ(rule.version_column, "version");
    EXPECT_EQ(rule.time_columns, (std::vector<std::string>{"a", "b_c"}));
    const auto& table = parsed.registry.tables.at(0);
    EXPECT_EQ(table.key_types, (std::vector<KeyType>{KeyType::integer, KeyType::folded_string}));
    EXPECT_FALSE(table.stock_unsigned);
    EXPECT_EQ(table.unguarded, Unguarded::zero_rows);
    EXPECT_EQ(sku_of(parsed, "shop.t_wh:7,ab%20c").state, SkuState::paused);
}

TEST(RegistryRows, TablesAreSortedAndSkusPointAtTheirs) {
    auto other = row("a_table:1");
    other[1] = "a_table";
    const auto parsed =
        parse_registry({{"zoo", {row("t_stock:1")}}, {"shop", {row("t_stock:1"), other}}});
    ASSERT_EQ(parsed.registry.tables.size(), 3U);
    for (const auto& [key, sku] : parsed.registry.skus) {
        const auto& table = parsed.registry.tables[sku.table];
        EXPECT_EQ(key, table.schema + '.' + sku.sku_id);
        EXPECT_TRUE(sku.sku_id.starts_with(table.table + ':')) << key;
        EXPECT_EQ(parsed.registry.rules.tables()[sku.table].table, table.table);
    }
    EXPECT_EQ(parsed.registry.tables[0].table, "a_table");
    EXPECT_EQ(parsed.registry.tables[2].schema, "zoo");
}

TEST(RegistryRows, NothingAdopted) {
    const auto parsed = parse({});
    EXPECT_TRUE(parsed.complete);
    EXPECT_TRUE(parsed.registry.tables.empty());
    EXPECT_TRUE(parsed.registry.rules.empty());
}

TEST(RegistryRows, ABadRowPausesItsSkuAndNoOther) {
    const std::vector<SqlRow> bad{
        changed("t_stock:9", 2, ""),
        changed("t_stock:9", 2, "sku_id,"),
        changed("t_stock:9", 3, "x"),
        changed("t_stock:9", 3, "ii"),
        changed("t_stock:9", 4, ""),
        changed("t_stock:9", 4, "another"),
        changed("t_stock:9", 5, "many"),
        changed("t_stock:9", 5, ""),
        changed("t_stock:9", 9, std::nullopt),
        changed("t_stock:9", 10, "0"),
        changed("t_stock:9", 10, "65536"),
        changed("t_stock:9", 11, std::nullopt),
        changed("t_stock:9", 11, "-1"),
        changed("t_stock:9", 12, ""),
        changed("t_stock:9", 12, std::nullopt)};
    for (std::size_t i = 0; i < bad.size(); ++i) {
        const auto parsed = parse({bad[i], row("t_stock:1"), row("t_stock:2")});
        EXPECT_TRUE(parsed.complete) << i;
        ASSERT_EQ(parsed.problems.size(), 1U) << i;
        EXPECT_EQ(parsed.problems[0].sku_id, "t_stock:9");
        EXPECT_FALSE(parsed.problems[0].what.empty());
        EXPECT_EQ(sku_of(parsed, "shop.t_stock:9").state, SkuState::paused) << i;
        EXPECT_EQ(sku_of(parsed, "shop.t_stock:1").state, SkuState::active) << i;
        EXPECT_EQ(parsed.registry.rules.tables().at(0).stock_column, "stock") << i;
        EXPECT_GE(sku_of(parsed, "shop.t_stock:9").buckets, 1U);
    }
}

TEST(RegistryRows, AnIdThatIsNotCanonicalIsNamed) {
    for (const char* id : {"t_stock:007", "t_stock", "other:1", "t_stock:1,2", "t_stock:x", ""}) {
        const auto parsed = parse({row(id), row("t_stock:1")});
        ASSERT_EQ(parsed.problems.size(), 1U) << id;
        EXPECT_EQ(sku_of(parsed, std::string{"shop."} + id).state, SkuState::paused) << id;
    }
}

TEST(RegistryRows, ATableWithoutAnyGoodRowStaysManagedAndIsNotComplete) {
    const auto parsed = parse({changed("t_stock:1", 2, ""), changed("t_stock:2", 4, "")});
    EXPECT_FALSE(parsed.complete);
    EXPECT_EQ(parsed.problems.size(), 2U);
    ASSERT_EQ(parsed.registry.tables.size(), 1U);
    EXPECT_TRUE(parsed.registry.rules.find("shop", "t_stock").has_value());
    const auto& rule = parsed.registry.rules.tables()[0];
    EXPECT_EQ(rule.key_columns.size(), parsed.registry.tables[0].key_types.size());
    EXPECT_FALSE(rule.key_columns.empty());
    EXPECT_EQ(sku_of(parsed, "shop.t_stock:1").state, SkuState::paused);
}

TEST(RegistryRows, ARowWithoutItsColumnsIsNoCrash) {
    const auto parsed = parse({SqlRow{"t_stock:1"}, SqlRow{}, row("t_stock:2")});
    EXPECT_FALSE(parsed.complete);
    EXPECT_EQ(parsed.problems.size(), 2U);
    EXPECT_EQ(sku_of(parsed, "shop.t_stock:2").state, SkuState::active);
}

TEST(RegistryRows, TheMajorityDefinesTheTable) {
    auto odd = changed("t_stock:1", 4, "reserved");
    const auto parsed = parse({odd, row("t_stock:2"), row("t_stock:3")});
    EXPECT_EQ(parsed.registry.rules.tables().at(0).stock_column, "stock");
    EXPECT_EQ(sku_of(parsed, "shop.t_stock:1").state, SkuState::paused);
    EXPECT_EQ(sku_of(parsed, "shop.t_stock:2").state, SkuState::active);
}

TEST(RegistryRows, MovedSkus) {
    const auto before =
        parse({row("t_stock:1"), row("t_stock:2"), row("t_stock:3"), row("t_stock:4")});
    const auto now = parse(
        {row("t_stock:1"),
         changed("t_stock:2", 11, "4"),
         changed("t_stock:3", 10, "32"),
         changed("t_stock:5", 12, "draining")}
    );
    EXPECT_EQ(
        moved_skus(before.registry, now.registry),
        (std::vector<std::string>{"shop.t_stock:2", "shop.t_stock:3", "shop.t_stock:5"})
    );
    EXPECT_TRUE(moved_skus(now.registry, now.registry).empty());
}

}  // namespace
}  // namespace proxy
