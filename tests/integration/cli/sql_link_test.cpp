// SqlLink over a real server: session set-up, results, errors, and every way to lose a connection.

#include "proxy/sql/sql_link.hpp"

#include "shop.hpp"

#include <boost/asio/io_context.hpp>

namespace {

using namespace std::chrono_literals;
using proxy::SqlError;
using proxy::SqlLink;
using proxy::SqlReply;
using proxy::Task;

class SqlLinkTest : public testing::Test {
protected:
    SqlLinkTest() : link_(loop_.get_executor(), shop::account()) {}

    static Task<> do_connect(SqlLink& link, SqlError& error) { error = co_await link.connect(); }
    static Task<> do_query(SqlLink& link, std::string sql, SqlReply& reply) {
        reply = co_await link.query(sql);
    }
    void run(Task<> task) {
        proxy::spawn(loop_.get_executor(), "test", std::move(task));
        loop_.restart();
        loop_.run();
    }
    SqlError connect(SqlLink& link) {
        SqlError error;
        error.code = 1;
        run(do_connect(link, error));
        return error;
    }
    SqlReply query(SqlLink& link, const std::string& sql) {
        SqlReply reply;
        reply.error.code = 1;
        run(do_query(link, sql, reply));
        return reply;
    }
    std::string value(const std::string& sql) {
        const auto reply = query(link_, sql);
        EXPECT_FALSE(reply.error) << proxy::to_string(reply.error);
        return reply.rows.empty() ? "no row" : reply.rows.front().front().value_or("NULL");
    }

    boost::asio::io_context loop_;
    SqlLink link_;
};

TEST_F(SqlLinkTest, SetsItsSessionUp) {
    ASSERT_FALSE(connect(link_));
    const bool is_mariadb = link_.server_version().find("MariaDB") != std::string::npos;
    const std::string isolation = is_mariadb ? "@@tx_isolation" : "@@transaction_isolation";
    EXPECT_EQ(
        value(
            "SELECT CONCAT_WS('|',@@sql_mode,@@autocommit=1," + isolation +
            ",@@innodb_lock_wait_timeout,@@time_zone,@@completion_type,@@character_set_client)"
        ),
        "STRICT_TRANS_TABLES,NO_ENGINE_SUBSTITUTION|1|READ-COMMITTED|2|+00:00|NO_CHAIN|utf8mb4"
    );
    EXPECT_TRUE(link_.usable());
}

// MySQL's caching_sha2_password then asks for the whole exchange: without TLS, that needs the
// server's RSA key.
TEST_F(SqlLinkTest, LogsInWithoutAnythingCached) {
    ASSERT_FALSE(connect(link_));
    ASSERT_FALSE(query(link_, "FLUSH PRIVILEGES").error);
    SqlLink second(loop_.get_executor(), shop::account());
    const auto error = connect(second);
    EXPECT_FALSE(error) << proxy::to_string(error);
    ASSERT_FALSE(query(link_, "FLUSH PRIVILEGES").error);
    auto account = shop::account();
    account.password = "wrong";
    SqlLink third(loop_.get_executor(), account);
    EXPECT_EQ(connect(third).code, 1045U);
}

TEST_F(SqlLinkTest, ReturnsRowsNullsAndCounts) {
    ASSERT_FALSE(connect(link_));
    const auto reply = query(link_, "SELECT 1,NULL,'' UNION ALL SELECT 2,'b\\0c','d'");
    ASSERT_EQ(reply.rows.size(), 2U);
    EXPECT_EQ(reply.rows[0], (proxy::SqlRow{"1", std::nullopt, ""}));
    EXPECT_EQ(reply.rows[1], (proxy::SqlRow{"2", std::string("b\0c", 3), "d"}));
    EXPECT_EQ(query(link_, "DO 1").rows.size(), 0U);
    query(link_, "CREATE TEMPORARY TABLE mysql.t (a INT) SELECT 1 AS a UNION ALL SELECT 2");
    EXPECT_EQ(query(link_, "UPDATE mysql.t SET a=2").affected_rows, 1U);
}

TEST_F(SqlLinkTest, ReturnsLargeResults) {
    ASSERT_FALSE(connect(link_));
    const auto reply = query(
        link_,
        "SELECT REPEAT('x',1000) FROM information_schema.COLLATIONS a, "
        "information_schema.COLLATIONS b LIMIT 20000"
    );
    ASSERT_EQ(reply.rows.size(), 20000U) << proxy::to_string(reply.error);
    for (const auto& row : reply.rows) ASSERT_EQ(row[0]->size(), 1000U);
    EXPECT_EQ(value("SELECT 1"), "1");
}

TEST_F(SqlLinkTest, QuotesAnything) {
    ASSERT_FALSE(connect(link_));
    const std::string odd("a'b\"c\\d\0e\n%_`\xc3\xa9", 14);
    EXPECT_EQ(value("SELECT " + link_.quote(odd)), odd);
    EXPECT_EQ(link_.quote(""), "''");
}

TEST_F(SqlLinkTest, AnErrorLeavesTheLinkUsable) {
    ASSERT_FALSE(connect(link_));
    const auto reply = query(link_, "SELECT * FROM mysql.nothing");
    EXPECT_EQ(reply.error.code, 1146U);
    EXPECT_EQ(reply.error.sql_state, "42S02");
    EXPECT_FALSE(reply.error.outcome_unknown);
    EXPECT_TRUE(link_.usable());
    EXPECT_EQ(value("SELECT 1"), "1");
}

TEST_F(SqlLinkTest, ReportsOpenTransactions) {
    ASSERT_FALSE(connect(link_));
    EXPECT_FALSE(link_.in_transaction());
    query(link_, "START TRANSACTION");
    EXPECT_TRUE(link_.in_transaction());
    query(link_, "SELECT * FROM mysql.nothing");
    EXPECT_TRUE(link_.in_transaction());
    query(link_, "ROLLBACK");
    EXPECT_FALSE(link_.in_transaction());
}

TEST_F(SqlLinkTest, WrongPasswordIsTheServersAnswer) {
    auto account = shop::account();
    account.password = "wrong";
    SqlLink link(loop_.get_executor(), account);
    const auto error = connect(link);
    EXPECT_EQ(error.code, 1045U);
    EXPECT_FALSE(error.outcome_unknown);
    EXPECT_FALSE(link.usable());
}

TEST_F(SqlLinkTest, ResolvesNames) {
    auto account = shop::account();
    account.host = "localhost";
    SqlLink link(loop_.get_executor(), account);
    const auto error = connect(link);
    EXPECT_FALSE(error) << proxy::to_string(error);
    account.host = "no-such-host.invalid";
    SqlLink nowhere(loop_.get_executor(), account);
    EXPECT_EQ(connect(nowhere).code, proxy::sql_error_local);
}

TEST_F(SqlLinkTest, NobodyListens) {
    auto account = shop::account();
    account.port = support::free_port();
    SqlLink link(loop_.get_executor(), account);
    const auto error = connect(link);
    EXPECT_NE(error.code, 0U);
    EXPECT_FALSE(error.outcome_unknown);
    EXPECT_EQ(query(link, "SELECT 1").error.code, proxy::sql_error_local);
}

TEST_F(SqlLinkTest, ATimeoutPoisonsTheLink) {
    ASSERT_FALSE(connect(link_));
    link_.set_timeout(100ms);
    const auto reply = query(link_, "SELECT SLEEP(30)");
    EXPECT_EQ(reply.error.code, 2013U);
    EXPECT_TRUE(reply.error.outcome_unknown);
    EXPECT_FALSE(link_.usable());
    EXPECT_EQ(query(link_, "SELECT 1").error.code, proxy::sql_error_local);
    link_.set_timeout(30s);
    ASSERT_FALSE(connect(link_));
    EXPECT_EQ(value("SELECT 1"), "1");
}

TEST_F(SqlLinkTest, AHangingServerTimesConnectOut) {
    auto account = shop::account();
    account.timeout = 200ms;
    SqlLink link(loop_.get_executor(), account);
    shop::server().process().pause();
    const auto error = connect(link);
    shop::server().process().resume();
    EXPECT_EQ(error.code, 2013U) << error.message;
    EXPECT_FALSE(error.outcome_unknown);
    EXPECT_FALSE(link.usable());
    link.set_timeout(30s);
    EXPECT_FALSE(connect(link));
}

TEST_F(SqlLinkTest, ATimeoutInTheMiddleOfRowsPoisonsTheLink) {
    ASSERT_FALSE(connect(link_));
    link_.set_timeout(300ms);
    // The first rows fill buffers and arrive while the server still sleeps for the last.
    std::string pauses = "SELECT 0 AS pause";
    for (int i = 0; i < 20; ++i) pauses += " UNION ALL SELECT 0";
    const auto reply = query(
        link_,
        "SELECT REPEAT('x',20000),SLEEP(pause) FROM (" + pauses + " UNION ALL SELECT 30) AS p"
    );
    EXPECT_EQ(reply.error.code, 2013U);
    EXPECT_TRUE(reply.error.outcome_unknown);
    EXPECT_FALSE(link_.usable());
}

Task<> kill_when_asleep(SqlLink& killer, const std::string& id, bool& killed) {
    const std::string look = "SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE ID=" + id +
                             " AND STATE='User sleep'";
    const std::string kill = "KILL CONNECTION " + id;
    for (;;) {
        const auto reply = co_await killer.query(look);
        if (reply.error) co_return;
        if (reply.rows.front().front() == "1") break;
    }
    const auto reply = co_await killer.query(kill);
    killed = !reply.error;
}

TEST_F(SqlLinkTest, AKilledStatementHasAnUnknownOutcome) {
    ASSERT_FALSE(connect(link_));
    SqlLink killer(loop_.get_executor(), shop::account());
    ASSERT_FALSE(connect(killer));
    const auto id = value("SELECT CONNECTION_ID()");
    SqlReply reply;
    bool killed = false;
    auto sleeping = do_query(link_, "DO SLEEP(60)", reply);
    proxy::spawn(loop_.get_executor(), "sleeping", std::move(sleeping));
    run(kill_when_asleep(killer, id, killed));
    EXPECT_TRUE(killed);
    EXPECT_TRUE(reply.error);
    EXPECT_TRUE(reply.error.outcome_unknown);
    EXPECT_FALSE(link_.usable());
}

TEST_F(SqlLinkTest, AnIdleLinkThatWasClosedIsNotUsable) {
    ASSERT_FALSE(connect(link_));
    SqlLink killer(loop_.get_executor(), shop::account());
    ASSERT_FALSE(connect(killer));
    const auto id = value("SELECT CONNECTION_ID()");
    ASSERT_FALSE(query(killer, "KILL CONNECTION " + id).error);
    while (link_.usable()) std::this_thread::yield();
    EXPECT_TRUE(query(link_, "SELECT 1").error);
}

TEST_F(SqlLinkTest, ClosingEndsTheCallUnderWay) {
    ASSERT_FALSE(connect(link_));
    SqlReply reply;
    auto sleeping = do_query(link_, "DO SLEEP(60)", reply);
    proxy::spawn(loop_.get_executor(), "sleeping", std::move(sleeping));
    loop_.restart();
    loop_.poll();
    ASSERT_FALSE(reply.error);
    link_.close();
    loop_.restart();
    loop_.run();
    EXPECT_TRUE(reply.error);
    EXPECT_TRUE(reply.error.outcome_unknown);
    EXPECT_FALSE(link_.usable());
    EXPECT_FALSE(connect(link_));
}

TEST_F(SqlLinkTest, ClosingEndsAConnectUnderWay) {
    SqlError error;
    auto connecting = do_connect(link_, error);
    proxy::spawn(loop_.get_executor(), "connecting", std::move(connecting));
    loop_.restart();
    loop_.poll_one();
    link_.close();
    loop_.restart();
    loop_.run();
    EXPECT_TRUE(error);
    EXPECT_FALSE(connect(link_));
    EXPECT_EQ(value("SELECT 1"), "1");
}

}  // namespace
