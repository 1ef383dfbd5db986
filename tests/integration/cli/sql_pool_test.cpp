// SqlPool: bounded, first come first served, and never a link that is not clean.

#include "proxy/sql/sql_pool.hpp"

#include "shop.hpp"

#include <boost/asio/io_context.hpp>

namespace {

using namespace std::chrono_literals;
using proxy::SqlError;
using proxy::SqlPool;
using proxy::SqlReply;
using proxy::Task;

class SqlPoolTest : public testing::Test {
protected:
    void begin(Task<> task) { proxy::spawn(loop_.get_executor(), "test", std::move(task)); }
    void run() {
        loop_.restart();
        loop_.run();
    }
    boost::asio::io_context loop_;
};

Task<> ask(SqlPool& pool, std::string sql, std::string& answer) {
    const SqlReply reply = co_await pool.query(sql);
    answer =
        reply.error ? proxy::to_string(reply.error) : reply.rows.front().front().value_or("NULL");
}

Task<> hold(SqlPool& pool, int number, std::vector<int>& order, std::size_t& most) {
    SqlError error;
    auto lease = co_await pool.lease(error);
    if (error) co_return;
    order.push_back(number);
    most = std::max(most, pool.leased());
    const std::string sql = "DO SLEEP(0.01)";
    co_await lease->query(sql);
}

TEST_F(SqlPoolTest, IsBoundedAndServesInOrder) {
    SqlPool pool(loop_.get_executor(), shop::account(), 2);
    std::vector<int> order;
    std::size_t most = 0;
    for (int number = 0; number < 8; ++number) begin(hold(pool, number, order, most));
    run();
    EXPECT_EQ(most, 2U);
    EXPECT_EQ(pool.leased(), 0U);
    ASSERT_EQ(order.size(), 8U);
    // The first two connect side by side, in any order; the others are called one by one.
    EXPECT_EQ(
        std::vector<int>(order.begin() + 2, order.end()), (std::vector<int>{2, 3, 4, 5, 6, 7})
    );
}

TEST_F(SqlPoolTest, ReusesALink) {
    SqlPool pool(loop_.get_executor(), shop::account(), 1);
    std::string first;
    std::string second;
    begin(ask(pool, "SELECT CONNECTION_ID()", first));
    run();
    begin(ask(pool, "SELECT CONNECTION_ID()", second));
    run();
    EXPECT_EQ(first, second);
}

Task<> leave_open(SqlPool& pool, std::string& id) {
    SqlError error;
    auto lease = co_await pool.lease(error);
    const std::string begin = "START TRANSACTION";
    const std::string who = "SELECT CONNECTION_ID()";
    co_await lease->query(begin);
    const auto reply = co_await lease->query(who);
    id = reply.rows.front().front().value_or("");
}

TEST_F(SqlPoolTest, DoesNotReuseALinkWithAnOpenTransaction) {
    SqlPool pool(loop_.get_executor(), shop::account(), 1);
    std::string first;
    std::string second;
    begin(leave_open(pool, first));
    run();
    begin(ask(pool, "SELECT CONNECTION_ID()", second));
    run();
    EXPECT_FALSE(first.empty());
    EXPECT_NE(first, second);
}

TEST_F(SqlPoolTest, ReplacesALinkThatTheServerClosed) {
    SqlPool pool(loop_.get_executor(), shop::account(), 1);
    std::string id;
    begin(ask(pool, "SELECT CONNECTION_ID()", id));
    run();
    proxy::Database other(shop::backend(), shop::dba(), 30s);
    ASSERT_FALSE(other.connect());
    ASSERT_FALSE(other.query("KILL CONNECTION " + id).error);
    SqlError error;
    while (other.value(
               "SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE ID=" + id, error
           ) != "0") {
    }
    std::string answer;
    begin(ask(pool, "SELECT 'alive'", answer));
    run();
    EXPECT_EQ(answer, "alive");
}

TEST_F(SqlPoolTest, TellsWhyItCannotConnectAndGoesOn) {
    auto account = shop::account();
    account.password = "wrong";
    SqlPool pool(loop_.get_executor(), account, 1);
    for (int i = 0; i < 3; ++i) {
        std::string answer;
        begin(ask(pool, "SELECT 1", answer));
        run();
        EXPECT_EQ(answer.rfind("error 1045", 0), 0U) << answer;
        EXPECT_EQ(pool.leased(), 0U);
    }
}

Task<> keep(SqlPool& pool, proxy::Event& done) {
    SqlError error;
    auto lease = co_await pool.lease(error);
    co_await done.wait();
}

Task<> ask_and_tell(SqlPool& pool, std::string& answer, proxy::Event& done) {
    const std::string sql = "SELECT 1";
    co_await ask(pool, sql, answer);
    done.notify();
}

TEST_F(SqlPoolTest, AWaiterGivesUpAtTheAccountsTimeout) {
    auto account = shop::account();
    account.timeout = 2s;  // also bounds the first one's connect
    SqlPool pool(loop_.get_executor(), account, 1);
    proxy::Event done(loop_.get_executor());
    std::string answer;
    begin(keep(pool, done));
    begin(ask_and_tell(pool, answer, done));
    run();
    EXPECT_NE(answer.find("no ledger connection became free within 2000 ms"), std::string::npos)
        << answer;
    EXPECT_EQ(pool.leased(), 0U);
    EXPECT_EQ(pool.waiting(), 0U);
}

}  // namespace
