// What `init` refuses: each with a message that names the place, and without changing anything.

#include "shop.hpp"

namespace {

using shop::ShopTest;

class RefusalTest : public ShopTest {
protected:
    // `init` refuses, says `words`, and registers nothing.
    void expect_refused(const std::string& words) {
        const auto ran = init();
        EXPECT_EQ(ran.code, proxy::exit_code::finding) << ran.text;
        EXPECT_TRUE(ran.says(words)) << ran.text;
        EXPECT_TRUE(ran.says("fix: ")) << ran.text;
        EXPECT_TRUE(ran.says("init: FAIL 0 adopted")) << ran.text;
        EXPECT_EQ(value("SELECT COUNT(*) FROM shop.inventory_sku"), "0");
        EXPECT_EQ(value("SELECT COUNT(*) FROM shop.inventory_bucket"), "0");
    }
    // A table `t` of this body with one row, managed by `key` with SKU 1.
    void make(const std::string& body, const std::string& row) {
        sql("CREATE TABLE shop.t (" + body + ')');
        sql("INSERT INTO shop.t VALUES (" + row + ')');
        configure("t", {"k"}, "stock").skus.push_back(sku({"1"}));
    }
};

TEST_F(RefusalTest, NoBuckets) {
    make_stock_table({{1001, 10}});
    config_.tables.front().buckets = 0;
    expect_refused("0 buckets is out of range");
}

TEST_F(RefusalTest, TooManyBuckets) {
    make_stock_table({{1001, 10}});
    config_.tables.front().buckets = 1025;
    expect_refused("1025 buckets is out of range");
}

TEST_F(RefusalTest, NegativeStock) {
    make("k INT PRIMARY KEY, stock INT", "1,-5");
    expect_refused("shop.t key 1: stock is -5");
}

TEST_F(RefusalTest, NullStock) {
    make("k INT PRIMARY KEY, stock INT", "1,NULL");
    expect_refused("stock is NULL");
}

TEST_F(RefusalTest, StockBeyondTheLedger) {
    make("k INT PRIMARY KEY, stock BIGINT UNSIGNED", "1,18446744073709551615");
    expect_refused("larger than the ledger can hold");
}

TEST_F(RefusalTest, StockBeyondTheGate) {
    make("k INT PRIMARY KEY, stock BIGINT", "1,9007199254740992");
    expect_refused("larger than the ledger can hold");
}

TEST_F(RefusalTest, NoSuchRow) {
    make_stock_table({});
    config_.tables.front().skus.push_back(sku({"4711"}));
    expect_refused("shop.t_stock key 4711: no such row");
}

TEST_F(RefusalTest, NoSuchTable) {
    configure("t_gone", {"k"}, "stock").skus.push_back(sku({"1"}));
    expect_refused("table shop.t_gone does not exist");
}

TEST_F(RefusalTest, NoSuchColumns) {
    make("k INT PRIMARY KEY, amount INT", "1,5");
    config_.tables.front().version = "revision";
    config_.tables.front().time = {"at"};
    const auto ran = init();
    EXPECT_TRUE(ran.says("stock column shop.t.stock does not exist")) << ran.text;
    EXPECT_TRUE(ran.says("version column shop.t.revision does not exist")) << ran.text;
    EXPECT_TRUE(ran.says("time column shop.t.at does not exist")) << ran.text;
}

TEST_F(RefusalTest, View) {
    sql("CREATE TABLE shop.real_t (k INT PRIMARY KEY, stock INT)");
    sql("CREATE VIEW shop.t AS SELECT * FROM shop.real_t");
    configure("t", {"k"}, "stock").skus.push_back(sku({"1"}));
    expect_refused("shop.t is a view");
}

TEST_F(RefusalTest, OtherEngine) {
    sql("CREATE TABLE shop.t (k INT PRIMARY KEY, stock INT) ENGINE=MyISAM");
    sql("INSERT INTO shop.t VALUES (1,5)");
    configure("t", {"k"}, "stock").skus.push_back(sku({"1"}));
    expect_refused("uses the engine MyISAM");
}

TEST_F(RefusalTest, Trigger) {
    make("k INT PRIMARY KEY, stock INT", "1,5");
    sql("CREATE TRIGGER shop.watch BEFORE UPDATE ON shop.t FOR EACH ROW SET NEW.k=OLD.k");
    expect_refused("trigger watch (UPDATE) on shop.t");
}

TEST_F(RefusalTest, TriggersThatTheAccountMayNotSee) {
    make("k INT PRIMARY KEY, stock INT", "1,5");
    make_account("blind");
    sql("GRANT SELECT, INSERT, UPDATE, DELETE, CREATE ON shop.* TO blind@'%'");
    config_.ledger.user = "blind";
    config_.ledger.password = config::Secret{"secret"};
    expect_refused("lacks the TRIGGER privilege on shop.t");
    sql("DROP USER blind@'%'");
}

TEST_F(RefusalTest, ForeignKeyOnTheStockColumn) {
    sql("CREATE TABLE shop.figure (n INT PRIMARY KEY)");
    sql("INSERT INTO shop.figure VALUES (5)");
    make(
        "k INT PRIMARY KEY, stock INT, CONSTRAINT odd FOREIGN KEY (stock) REFERENCES figure (n)",
        "1,5"
    );
    expect_refused("foreign key odd between shop.t.stock and shop.figure involves the stock column"
    );
}

TEST_F(RefusalTest, CascadingForeignKeyOnTheKey) {
    sql("CREATE TABLE shop.product (n INT PRIMARY KEY)");
    sql("INSERT INTO shop.product VALUES (1)");
    make(
        "k INT PRIMARY KEY, stock INT, CONSTRAINT gone FOREIGN KEY (k) REFERENCES product (n) ON "
        "DELETE CASCADE",
        "1,5"
    );
    expect_refused("foreign key gone between shop.t.k and shop.product changes or deletes rows");
}

TEST_F(RefusalTest, NotARestrictingForeignKeyOnTheKey) {
    sql("CREATE TABLE shop.product (n INT PRIMARY KEY)");
    sql("INSERT INTO shop.product VALUES (1)");
    make("k INT PRIMARY KEY, stock INT, FOREIGN KEY (k) REFERENCES product (n)", "1,5");
    const auto ran = init();
    EXPECT_EQ(ran.code, proxy::exit_code::ok) << ran.text;
}

TEST_F(RefusalTest, GeneratedStock) {
    make("k INT PRIMARY KEY, stock INT AS (k+4) STORED", "1,DEFAULT");
    expect_refused("stock column shop.t.stock is generated");
}

TEST_F(RefusalTest, ColumnGeneratedFromStock) {
    make("k INT PRIMARY KEY, stock INT, sold_out BOOL AS (`stock`=0) VIRTUAL", "1,5,DEFAULT");
    expect_refused("generated column shop.t.sold_out is computed from stock");
}

TEST_F(RefusalTest, NotAColumnGeneratedFromASimilarName) {
    make("k INT PRIMARY KEY, stock INT, stock_min INT, low BOOL AS (stock_min<3)", "1,5,1,DEFAULT");
    const auto ran = init();
    EXPECT_EQ(ran.code, proxy::exit_code::ok) << ran.text;
}

TEST_F(RefusalTest, FractionalStock) {
    make("k INT PRIMARY KEY, stock DECIMAL(10,2)", "1,5");
    expect_refused("stock column shop.t.stock is decimal(10,2)");
}

TEST_F(RefusalTest, KeyWithoutAUniqueIndex) {
    make("k INT, other INT, stock INT, UNIQUE KEY (k,other)", "1,1,5");
    expect_refused("no PRIMARY KEY or UNIQUE index on exactly (k)");
}

TEST_F(RefusalTest, KeyWithAPrefixIndexOnly) {
    make(
        "k VARCHAR(100) CHARACTER SET latin1 COLLATE latin1_bin, stock INT, UNIQUE KEY (k(3))",
        "'1',5"
    );
    expect_refused("no PRIMARY KEY or UNIQUE index on exactly (k)");
}

TEST_F(RefusalTest, KeyOfAnotherType) {
    make("k DATE PRIMARY KEY, stock INT", "'2024-01-01',5");
    expect_refused("key column shop.t.k is date");
}

TEST_F(RefusalTest, KeyWhoseCollationFoldsMoreThanCase) {
    make(
        "k VARCHAR(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_turkish_ci PRIMARY KEY, stock INT",
        "'1',5"
    );
    expect_refused("'I' and 'i' are two letters in utf8mb4_turkish_ci");
}

TEST_F(RefusalTest, KeyThatIsNoInteger) {
    make_stock_table({});
    config_.tables.front().skus.push_back(sku({"12 or 1=1"}));
    expect_refused("the ledger cannot name this key");
}

TEST_F(RefusalTest, KeyOutsideAscii) {
    make(
        "k VARCHAR(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin PRIMARY KEY, stock INT",
        "'\xc3\xa9',5"
    );
    config_.tables.front().skus = {sku({"\xc3\xa9"})};
    expect_refused("the ledger cannot name this key");
}

TEST_F(RefusalTest, KeyThatIsTooLong) {
    const std::string key(189, 'x');
    make(
        "k VARCHAR(200) CHARACTER SET latin1 COLLATE latin1_bin PRIMARY KEY, stock INT",
        '\'' + key + "',5"
    );
    config_.tables.front().skus = {sku({key})};
    expect_refused("the ledger cannot name this key");
}

TEST_F(RefusalTest, KeyWithTheWrongNumberOfParts) {
    make_stock_table({{1001, 10}});
    config_.tables.front().skus = {sku({"1001", "2"})};
    expect_refused("has 2 parts, the key has 1 columns");
}

TEST_F(RefusalTest, RowsThatDifferInTrailingBlanks) {
    make("k VARBINARY(20) PRIMARY KEY, stock INT", "'1',5");
    sql("INSERT INTO shop.t VALUES ('1 ',6)");
    expect_refused("trailing blanks only");
}

TEST_F(RefusalTest, RowThatOnlyTheCollationFinds) {
    make(
        "k VARCHAR(20) CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci PRIMARY KEY, stock INT",
        "'caf\xc3\xa9',5"
    );
    config_.tables.front().skus = {sku({"cafe"})};
    expect_refused("other texts than this one name the row");
}

TEST_F(RefusalTest, OtherBucketsThanAdopted) {
    make_stock_table({{1001, 10}});
    ASSERT_EQ(init().code, proxy::exit_code::ok);
    config_.tables.front().buckets = 8;
    const auto ran = init();
    EXPECT_EQ(ran.code, proxy::exit_code::finding);
    EXPECT_TRUE(ran.says("already adopted with 4 buckets, the configuration says 8")) << ran.text;
    EXPECT_TRUE(ran.says("stockgate drain")) << ran.text;
    EXPECT_EQ(value("SELECT COUNT(*) FROM shop.inventory_bucket"), "4");
}

TEST_F(RefusalTest, OtherColumnsThanAdopted) {
    make_stock_table({{1001, 10}});
    ASSERT_EQ(init().code, proxy::exit_code::ok);
    config_.tables.front().version = "version";
    const auto ran = init();
    EXPECT_TRUE(ran.says("already adopted with other key, stock, version or time columns"))
        << ran.text;
}

TEST_F(RefusalTest, OtherColumnsThanItsSiblings) {
    make_stock_table({{1001, 10}});
    ASSERT_EQ(init().code, proxy::exit_code::ok);
    sql("INSERT INTO shop.t_stock (sku_id,stock) VALUES (1002,5)");
    config_.tables.front().version = "version";
    config_.tables.front().skus = {sku({"1002"})};
    const auto ran = init();
    EXPECT_TRUE(ran.says("t_stock:1001 of the same table is adopted with other columns"))
        << ran.text;
    EXPECT_EQ(value("SELECT COUNT(*) FROM shop.inventory_sku"), "1");
}

TEST_F(RefusalTest, OneRefusalLeavesTheOthersAdopted) {
    make_stock_table({{1001, 10}});
    config_.tables.front().skus.push_back(sku({"4711"}));
    const auto ran = init();
    EXPECT_EQ(ran.code, proxy::exit_code::finding);
    EXPECT_TRUE(ran.says("1 adopted, 0 already adopted, 1 refused")) << ran.text;
}

TEST_F(RefusalTest, RowThatStaysLocked) {
    make_stock_table({{1001, 10}});
    ASSERT_EQ(init().code, proxy::exit_code::ok);
    sql("INSERT INTO shop.t_stock (sku_id,stock) VALUES (1002,5)");
    config_.tables.front().skus = {sku({"1002"})};
    sql("START TRANSACTION");
    sql("UPDATE shop.t_stock SET stock=4 WHERE sku_id=1002");
    const auto ran = init();
    sql("ROLLBACK");
    EXPECT_EQ(ran.code, proxy::exit_code::finding) << ran.text;
    EXPECT_TRUE(ran.says("stayed locked")) << ran.text;
    EXPECT_EQ(init().code, proxy::exit_code::ok);
}

TEST_F(RefusalTest, WrongPassword) {
    make_stock_table({{1001, 10}});
    config_.ledger.password = config::Secret{"wrong"};
    const auto ran = init();
    EXPECT_EQ(ran.code, proxy::exit_code::cannot_connect);
    EXPECT_TRUE(ran.says("cannot log in as dba@127.0.0.1:")) << ran.text;
    EXPECT_FALSE(ran.says("wrong")) << ran.text;
}

TEST_F(RefusalTest, UnknownTableOption) {
    make_stock_table({{1001, 10}});
    proxy::InitOptions options;
    options.table = "shop.t_other";
    EXPECT_EQ(init(options).code, proxy::exit_code::usage);
}

TEST_F(RefusalTest, NonsenseAccount) {
    make_stock_table({{1001, 10}});
    proxy::InitOptions options;
    options.grant_to = {"app'; DROP TABLE x"};
    EXPECT_EQ(init(options).code, proxy::exit_code::usage);
    EXPECT_FALSE(ledger_exists());
}

}  // namespace
