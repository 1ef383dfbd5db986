// The judge against a real server: every way in which a transaction can end out of sight.
#include "proxy/ledger/judge.hpp"

#include "tests/integration/services/services_fixture.hpp"

#include <thread>

namespace proxy {
namespace {

class JudgeTest : public ServicesTest {
protected:
    JudgeTest() { adopt(1, 100, 4); }

    Reservation reservation(const RequestId& id, std::int64_t units = 1) {
        Reservation reservation;
        reservation.id = id;
        reservation.schema = test_schema;
        reservation.sku_id = sku(1);
        reservation.bucket = 2;
        reservation.units = units;
        Reservation::Held held;
        held.gate_key = key_of(1, 2);
        held.units = units;
        reservation.held.push_back(held);
        return reservation;
    }

    void submit(Reservation reservation) {
        std::vector<Reservation> undecided;
        undecided.push_back(std::move(reservation));
        judge_.submit(std::move(undecided));
    }

    void wait() {
        run_until([this] { return judge_.waiting() == 0; }, "the verdicts");
        context_.restart();
        context_.run();  // nothing may be left running
    }

    std::string insert(const RequestId& id, std::int64_t units = 1) {
        const auto name = sku(1);
        return ledger_sql::insert_detail(
            target(name), id, units, 2, ledger_sql::DetailStatus::confirmed
        );
    }

    std::string status_of(const RequestId& id) {
        return sql_.value(
            std::string{"SELECT status FROM "} + test_schema +
            ".stock_deduct_detail WHERE request_id=X'" + id.hex() + '\''
        );
    }

    [[nodiscard]] std::string settled(const RequestId& id) const {
        return "settle " + key_of(1, 2) + ' ' + id.hex();
    }
    [[nodiscard]] std::string released(const RequestId& id) const {
        return "release " + key_of(1, 2) + ' ' + id.hex();
    }

    using Calls = std::vector<std::string>;
    RecordingGate gate_;
    Judge judge_{context_.get_executor(), pool_, gate_};
};

TEST_F(JudgeTest, CommittedIsSettled) {
    const auto id = new_id();
    sql_.query(insert(id));
    submit(reservation(id));
    EXPECT_EQ(judge_.waiting(), 1U);
    wait();
    EXPECT_EQ(gate_.calls, Calls{settled(id)});
    EXPECT_EQ(status_of(id), "1");
    EXPECT_EQ(judge_.oldest_ms(), 0U);
}

TEST_F(JudgeTest, RolledBackIsGivenBackAndCanNeverBeBooked) {
    const auto id = new_id();
    Sql client;
    client.query("BEGIN");
    client.query(insert(id));
    client.query("ROLLBACK");
    submit(reservation(id));
    wait();
    EXPECT_EQ(gate_.calls, Calls{released(id)});
    EXPECT_EQ(status_of(id), "2");
    EXPECT_EQ(client.try_query(insert(id)).error.code, 1062U);
    // Asked again (an earlier answer was lost): the same verdict.
    submit(reservation(id));
    wait();
    EXPECT_EQ(gate_.calls, (Calls{released(id), released(id)}));
}

TEST_F(JudgeTest, AReturnIsCreditedOnlyIfItWasCommitted) {
    auto committed = reservation(new_id(), 5);
    committed.is_return = true;
    committed.held.clear();
    book(committed.id, 1, 5, 2, 3);
    auto lost = committed;
    lost.id = new_id();
    submit(committed);
    submit(lost);
    wait();
    EXPECT_EQ(gate_.calls, Calls{"credit " + key_of(1, 2) + " 5"});
    EXPECT_EQ(status_of(lost.id), "2");
}

class OpenTransaction : public JudgeTest, public testing::WithParamInterface<bool> {};

TEST_P(OpenTransaction, IsWaitedForWhileOthersAreDecided) {
    const bool commits = GetParam();
    const auto id = new_id();
    Sql client;
    client.query("BEGIN");
    client.query(insert(id));
    submit(reservation(id));
    const auto other = new_id();
    sql_.query(insert(other));
    submit(reservation(other));
    run_until([this] { return !gate_.calls.empty(); }, "the other's verdict");
    // The judge waits inside the server by now or will do so: either way nothing may be said of it.
    const std::string waits =
        "SELECT COUNT(*) FROM information_schema.processlist WHERE info LIKE "
        "'INSERT INTO%stock_deduct_detail%" +
        id.hex() + "%' AND info NOT LIKE '%processlist%'";
    run_until([&] { return sql_.number(waits) == 1; }, "the judge to ask");
    EXPECT_EQ(gate_.calls, Calls{settled(other)});
    EXPECT_EQ(judge_.waiting(), 1U);
    client.query(commits ? "COMMIT" : "ROLLBACK");
    wait();
    EXPECT_EQ(gate_.calls.back(), commits ? settled(id) : released(id));
    EXPECT_EQ(gate_.calls.size(), 2U);
    EXPECT_EQ(status_of(id), commits ? "1" : "2");
}

INSTANTIATE_TEST_SUITE_P(Judge, OpenTransaction, testing::Bool());

// The connection is killed while its COMMIT is on the way. Whichever came first, the verdict is
// what the ledger says afterwards.
TEST_F(JudgeTest, KilledDuringCommit) {
    std::vector<RequestId> ids;
    for (int round = 0; round < 30; ++round) {
        const auto id = new_id();
        ids.push_back(id);
        Sql client;
        const auto connection = client.value("SELECT CONNECTION_ID()");
        client.query("BEGIN");
        client.query(insert(id));
        std::thread commit([&client] { client.try_query("COMMIT"); });
        submit(reservation(id));
        if (round % 3 == 0) context_.poll();
        sql_.try_query("KILL " + connection);
        commit.join();
    }
    wait();
    ASSERT_EQ(gate_.calls.size(), ids.size());
    for (const auto& id : ids) {
        const auto want = status_of(id) == "1" ? settled(id) : released(id);
        EXPECT_EQ(std::count(gate_.calls.begin(), gate_.calls.end(), want), 1) << want;
    }
}

TEST_F(JudgeTest, NothingIsLostWhileTheDatabaseRefuses) {
    sql_.query("DROP USER IF EXISTS late@'%'");
    auto account = root_account();
    account.user = "late";
    SqlPool pool(context_.get_executor(), account, 2);
    Judge judge(context_.get_executor(), pool, gate_);
    std::vector<Reservation> undecided;
    for (int i = 0; i < 200; ++i) {
        const auto id = new_id();
        if (i % 2 == 0) sql_.query(insert(id));
        undecided.push_back(reservation(id));
    }
    judge.submit(std::move(undecided));
    run_until([&judge] { return judge.oldest_ms() > 200; }, "a few attempts");
    EXPECT_EQ(judge.waiting(), 200U);
    EXPECT_TRUE(gate_.calls.empty());
    sql_.query("CREATE USER late@'%'");
    sql_.query(
        std::string{"GRANT SELECT, INSERT ON "} + test_schema + ".stock_deduct_detail TO late@'%'"
    );
    run_until([&judge] { return judge.waiting() == 0; }, "the verdicts");
    context_.run();
    EXPECT_EQ(gate_.calls.size(), 200U);
    const auto settles =
        std::count_if(gate_.calls.begin(), gate_.calls.end(), [](const auto& call) {
            return call.starts_with("settle");
        });
    EXPECT_EQ(settles, 100);
    sql_.query("DROP USER late@'%'");
}

}  // namespace
}  // namespace proxy
