#include "rewrite/recogniser.hpp"

#include "rewrite/tokenizer.hpp"
#include "row.hpp"

#include <gtest/gtest.h>

#include <string>

namespace rewrite_test {

namespace {

std::string shown(const Row& row) {
    return std::string(row.sql);
}

rewrite::Statement analysed(const Row& row, std::string_view sql) {
    return rewrite::analyse(sql, rules(), row.dialect, row.schema);
}

TEST(Recogniser, AnswersEveryRow) {
    for (const Row& row : all_rows()) {
        const rewrite::Statement statement = analysed(row, row.sql);
        EXPECT_EQ(describe(statement), row.expected) << shown(row);
        const auto* touches = std::get_if<rewrite::Touches>(&statement.action);
        if (touches == nullptr) continue;
        EXPECT_NE(touches->reason.find(row.reason), std::string::npos) << shown(row) << "\n"
                                                                       << touches->reason;
    }
}

TEST(Recogniser, HasEnoughRows) {
    EXPECT_GE(all_rows().size(), 300U);
}

// A text that is cut anywhere, as in a buffer of exactly its size.
TEST(Recogniser, SurvivesEveryPrefix) {
    for (const Row& row : all_rows()) {
        for (std::size_t length = 0; length < row.sql.size(); ++length) {
            const std::vector<char> exact(row.sql.begin(), row.sql.begin() + length);
            const rewrite::Statement statement =
                analysed(row, std::string_view(exact.data(), exact.size()));
            ASSERT_FALSE(describe(statement).empty());
        }
    }
}

// Where there is a blank, there may be more of them, and comments.
TEST(Recogniser, IgnoresFillerBetweenTokens) {
    for (const Row& row : deduction_rows()) {
        std::string padded;
        rewrite::Tokenizer tokenizer(row.sql, row.dialect);
        for (auto token = tokenizer.next(); token.kind != rewrite::TokenKind::end;
             token = tokenizer.next()) {
            padded += token.text;
            if (token.kind == rewrite::TokenKind::blank) padded += " /* ; ' */\t-- `\n# \"\n";
        }
        EXPECT_EQ(describe(analysed(row, padded)), row.expected) << padded;
    }
}

TEST(Recogniser, SeesSqlModeAnywhere) {
    const rewrite::Dialect dialect;
    const auto sees = [&](std::string_view sql) {
        return rewrite::analyse(sql, rules(), dialect, "shop").mentions_sql_mode;
    };
    EXPECT_TRUE(sees("SET sql_mode = 'ANSI'"));
    EXPECT_TRUE(sees("SET @@SESSION.Sql_Mode=''"));
    EXPECT_TRUE(sees("CALL p('SQL_MODE')"));
    EXPECT_TRUE(sees("/*!40101 SET SQL_MODE=@OLD */; UPDATE t_stock SET stock = 1"));
    EXPECT_TRUE(sees("_sql_mode"));
    EXPECT_FALSE(sees("SET sqlmode = '_'"));
    EXPECT_FALSE(sees("_mode sql_mod"));
    EXPECT_FALSE(sees("sql_"));
}

TEST(Recogniser, SeesModesInPreparedText) {
    const auto statement =
        rewrite::analyse("PREPARE s FROM 'SET sql\\_m\\ode = 1, NA\\MES gbk'", rules(), {}, "shop");
    EXPECT_FALSE(statement.mentions_sql_mode);  // \\_ stays as it is
    EXPECT_TRUE(statement.mentions_charset);
    EXPECT_TRUE(rewrite::analyse("PREPARE s FROM 'SET sql_m\\ode = 1'", rules(), {}, "shop")
                    .mentions_sql_mode);
}

TEST(Recogniser, SeesCharacterSets) {
    const auto sees = [](std::string_view sql) {
        return rewrite::analyse(sql, rules(), {}, "shop").mentions_charset;
    };
    EXPECT_TRUE(sees("SET NAMES gbk"));
    EXPECT_TRUE(sees("set names 'utf8mb4' COLLATE 'utf8mb4_bin'"));
    EXPECT_TRUE(sees("SET CHARACTER SET gbk"));
    EXPECT_TRUE(sees("SET CHARSET gbk"));
    EXPECT_TRUE(sees("SET a = 1, @@SESSION.Character_Set_Client = gbk"));
    EXPECT_TRUE(sees("SET @@character_set_client = gbk"));
    EXPECT_TRUE(sees("SET `character_set_client` = gbk"));
    EXPECT_TRUE(sees("/*!40101 SET NAMES gbk */"));
    EXPECT_TRUE(sees("SELECT 1; SET NAMES gbk"));
    EXPECT_FALSE(sees("SET autocommit = 0"));
    EXPECT_FALSE(sees("SET @a = 'names'"));
    EXPECT_FALSE(sees("SELECT names FROM t"));
}

TEST(Recogniser, NamesTheTableAndTheWayOut) {
    const auto statement =
        rewrite::analyse("UPDATE t_stock SET stock = 5 WHERE sku_id = 7", rules(), {}, "shop");
    const auto& reason = std::get<rewrite::Touches>(statement.action).reason;
    EXPECT_NE(reason.find("shop.t_stock"), std::string::npos) << reason;
    EXPECT_NE(
        reason.find("UPDATE t_stock SET stock = stock - n WHERE sku_id = key AND stock >= n"),
        std::string::npos
    ) << reason;
}

TEST(Recogniser, PassesEverythingWithoutRules) {
    const rewrite::Rules none;
    for (const Row& row : all_rows()) {
        const auto statement = rewrite::analyse(row.sql, none, row.dialect, row.schema);
        EXPECT_TRUE(std::holds_alternative<rewrite::Pass>(statement.action)) << shown(row);
    }
}

std::string repeated(std::string_view text, std::size_t times) {
    std::string out;
    for (std::size_t i = 0; i < times; ++i) out += text;
    return out;
}

std::string described(const std::string& sql) {
    return describe(rewrite::analyse(sql, rules(), {}, "shop"));
}

TEST(Recogniser, BoundsDepth) {
    constexpr std::size_t many = 100'000;
    const std::string head = "UPDATE t_stock SET stock = ";
    EXPECT_EQ(
        described(head + repeated("(", 50) + "stock" + repeated(")", 50) + " - 1 WHERE sku_id = 7"),
        "hot 7 -1"
    );
    EXPECT_EQ(
        described(head + repeated("(", many) + "stock" + repeated(")", many) + " WHERE sku_id = 7"),
        "touches 7"
    );
    const std::string where = "UPDATE t_stock SET stock = stock - 1 WHERE sku_id = 7 AND ";
    EXPECT_EQ(described(where + repeated("(", many)), "touches");
    EXPECT_EQ(described(where + repeated("NOT ", many) + "stock < 2"), "touches 7");
    EXPECT_EQ(described(where + repeated("!", many) + "stock"), "touches");
    EXPECT_EQ(
        described(head + "stock" + repeated(" - - 1", many) + " WHERE sku_id = 7"), "hot 7 100000"
    );
    EXPECT_EQ(described(head + repeated("CASE ", many) + " WHERE sku_id = 7"), "touches 7");
    EXPECT_EQ(described(head + repeated("COALESCE(", many) + " WHERE sku_id = 7"), "touches");
    EXPECT_EQ(described(head + repeated("CAST(", 1000) + " WHERE sku_id = 7"), "touches");
    EXPECT_EQ(described("SELECT " + repeated("(", many) + "SELECT 1 FROM t_stock"), "reads");
    EXPECT_EQ(described(repeated("EXPLAIN ANALYZE ", many) + "TRUNCATE t_stock"), "touches");
    EXPECT_EQ(
        described(repeated("SET STATEMENT a=1 FOR ", many) + "TRUNCATE t_stock"), "opaque touches"
    );
}

TEST(Recogniser, ReadsLongTextsInLinearTime) {
    constexpr std::size_t many = 100'000;
    const std::string where = "UPDATE t_stock SET stock = 1 WHERE ";
    const auto keys_found = [](const std::string& sql) {
        const auto statement = rewrite::analyse(sql, rules(), {}, "shop");
        const auto* touches = std::get_if<rewrite::Touches>(&statement.action);
        return touches != nullptr && touches->keys ? touches->keys->size() : 0;
    };
    EXPECT_EQ(keys_found(where + "sku_id IN (0" + repeated(",1", many) + ")"), many + 1);
    EXPECT_EQ(keys_found(where + "sku_id = 1" + repeated(" OR sku_id = 2", many)), many + 1);
    EXPECT_EQ(keys_found(where + "sku_id = 1" + repeated(" AND a = 2", many)), 1U);
    EXPECT_EQ(
        described(
            "UPDATE t_stock SET stock = stock" + repeated(" - ?", many) + " WHERE sku_id = 7"
        ),
        "touches 7"
    );
    EXPECT_EQ(
        described(
            "UPDATE t_stock SET stock = stock - 1 /*" + std::string(65536, '*') +
            "*/ WHERE sku_id = 7"
        ),
        "hot 7 -1"
    );
    EXPECT_EQ(described(repeated("SELECT 1;", many) + "TRUNCATE t_stock"), "opaque multi touches");
    EXPECT_EQ(described("INSERT INTO t_stock VALUES (1,1)" + repeated(",(1,1)", many)), "pass");
    EXPECT_EQ(
        described(
            "UPDATE warehouse_stock SET qty = 1 WHERE sku_id IN (1" + repeated(",1", many) +
            ") AND warehouse_id IN (1" + repeated(",1", many) + ")"
        ),
        "touches@1"
    );
}

}  // namespace

}  // namespace rewrite_test
