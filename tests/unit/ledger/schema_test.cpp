// The ledger's tables and grants as text, and account names as people write them.

#include "proxy/ledger/schema.hpp"

#include <gtest/gtest.h>

#include <set>

namespace {

using namespace proxy::ledger_schema;

std::string read(const std::string& text) {
    Account account;
    return parse_account(text, account) ? quoted(account) : "none";
}

TEST(Schema, CreatesEveryTableOnInnoDb) {
    const auto statements = create_statements("sh`op");
    ASSERT_EQ(statements.size(), table_names.size());
    for (std::size_t i = 0; i < statements.size(); ++i) {
        const std::string start =
            "CREATE TABLE IF NOT EXISTS `sh``op`." + std::string{table_names[i]} + " (";
        EXPECT_EQ(statements[i].rfind(start, 0), 0U) << statements[i];
        EXPECT_NE(statements[i].find(") ENGINE=InnoDB"), std::string::npos);
        EXPECT_EQ(statements[i].find("AUTO_INCREMENT"), std::string::npos);
    }
}

TEST(Schema, ExpectsTheColumnsThatItCreates) {
    const auto statements = create_statements("shop");
    std::set<std::string> tables;
    for (const auto& column : expected_columns()) {
        tables.insert(std::string{column.table});
        bool found = false;
        for (std::size_t i = 0; i < statements.size(); ++i) {
            if (table_names[i] != column.table) continue;
            found = statements[i].find(std::string{column.column} + ' ') != std::string::npos;
        }
        EXPECT_TRUE(found) << column.table << '.' << column.column;
    }
    EXPECT_EQ(tables.size(), table_names.size());
}

TEST(Schema, ReadsAccounts) {
    EXPECT_EQ(read("'app'@'%'"), "'app'@'%'");
    EXPECT_EQ(read("app@localhost"), "'app'@'localhost'");
    EXPECT_EQ(read("app"), "'app'@'%'");
    EXPECT_EQ(read("\"app\"@\"10.%\""), "'app'@'10.%'");
    EXPECT_EQ(read("`app`@`::1`"), "'app'@'::1'");
    EXPECT_EQ(read("'o''brien'@'%'"), "'o''brien'@'%'");
    EXPECT_EQ(read("'a@b'@'%'"), "'a@b'@'%'");
}

TEST(Schema, RefusesWhatIsNoAccount) {
    for (const char* text :
         {"",
          "@",
          "'app",
          "'app'@",
          "'app'@'%",
          "'app' TO x",
          "'app'@'%' WITH",
          "app@'%'; DROP TABLE x",
          "app x",
          "a;b",
          "'a\\'@'%'"}) {
        EXPECT_EQ(read(text), "none") << text;
    }
}

TEST(Schema, GrantsNoMoreThanIsUsed) {
    const Account account{"app", "%"};
    EXPECT_EQ(
        application_grants("shop", account),
        (std::vector<std::string>{
            "GRANT SELECT, INSERT, DELETE ON `shop`.`stock_deduct_detail` TO 'app'@'%'",
            "GRANT SELECT, UPDATE ON `shop`.`inventory_bucket` TO 'app'@'%'"})
    );
    const auto ledger = ledger_grants("shop", {"t_stock"}, Account{"gate", "10.1.%"});
    ASSERT_EQ(ledger.size(), table_names.size() + 1);
    EXPECT_EQ(
        ledger.front(),
        "GRANT SELECT, INSERT, UPDATE, DELETE ON `shop`.`inventory_sku` TO 'gate'@'10.1.%'"
    );
    EXPECT_EQ(ledger.back(), "GRANT SELECT, UPDATE ON `shop`.`t_stock` TO 'gate'@'10.1.%'");
}

}  // namespace
