#include "proxy/services/heartbeat.hpp"

#include "tests/integration/services/services_fixture.hpp"

namespace proxy {
namespace {

class HeartbeatTest : public ServicesTest {
protected:
    static HeartbeatLimits limits() {
        HeartbeatLimits limits;
        limits.interval = std::chrono::milliseconds{20};
        limits.dead_after = std::chrono::milliseconds{300};
        limits.gap_max = std::chrono::seconds{30};
        return limits;
    }

    struct Process {
        Process(HeartbeatTest& test, std::uint32_t incarnation)
            : heartbeat(
                  test.context_.get_executor(),
                  test.pool_,
                  incarnation,
                  "instance'" + std::to_string(incarnation),
                  hooks(),
                  limits()
              ) {}
        HeartbeatHooks hooks() {
            HeartbeatHooks hooks;
            hooks.rebuild = [this](const std::string& schema) { rebuilt.push_back(schema); };
            return hooks;
        }
        std::vector<std::string> rebuilt;
        Heartbeat heartbeat;
    };

    bool announce(Process& process) {
        std::vector<std::string> schemas{test_schema};
        return run(process.heartbeat.announce(std::move(schemas)));
    }
    std::int64_t rows() { return sql_.number("SELECT COUNT(*) FROM " + proxies_); }
    void stop(Process& process) {
        process.heartbeat.stop();
        run_until([&process] { return !process.heartbeat.running(); }, "the loop's end");
    }

    const std::string proxies_ = std::string{test_schema} + ".inventory_proxy";
};

TEST_F(HeartbeatTest, ItsRowIsThereAndIsTouched) {
    Process process(*this, 7);
    ASSERT_TRUE(announce(process));
    EXPECT_EQ(sql_.value("SELECT instance FROM " + proxies_), "instance'7");
    const auto first = sql_.value("SELECT seen_at FROM " + proxies_);
    const auto started = sql_.value("SELECT started_at FROM " + proxies_);
    process.heartbeat.start();
    const std::string seen = "SELECT seen_at FROM " + proxies_;
    run_until([&] { return sql_.value(seen) != first; }, "a beat");
    EXPECT_EQ(sql_.value("SELECT started_at FROM " + proxies_), started);
    stop(process);
    run(process.heartbeat.withdraw());
    EXPECT_EQ(rows(), 0);
    EXPECT_TRUE(process.rebuilt.empty());
}

TEST_F(HeartbeatTest, ASchemaWithoutLedgerIsNotAnnounced) {
    Process process(*this, 7);
    sql_.query("DROP TABLE " + proxies_);
    EXPECT_FALSE(announce(process));
}

TEST_F(HeartbeatTest, TheDeadIsClaimedByExactlyOneAndComesBackAsNew) {
    Process dead(*this, 1);
    Process first(*this, 2);
    Process second(*this, 3);
    ASSERT_TRUE(announce(dead));
    ASSERT_TRUE(announce(first));
    ASSERT_TRUE(announce(second));
    first.heartbeat.start();
    second.heartbeat.start();
    run_until([this] { return rows() == 2; }, "the claim");
    // Both have had the chance.
    const auto beats = first.heartbeat.status().beats + 3;
    const auto beats_of_second = second.heartbeat.status().beats + 3;
    run_until(
        [&] {
            return first.heartbeat.status().beats > beats &&
                   second.heartbeat.status().beats > beats_of_second;
        },
        "more beats"
    );
    EXPECT_EQ(first.rebuilt.size() + second.rebuilt.size(), 1U);
    EXPECT_EQ(rows(), 2) << "the living stay";

    EXPECT_TRUE(dead.rebuilt.empty());
    ASSERT_TRUE(announce(dead));
    EXPECT_EQ(dead.rebuilt, std::vector<std::string>{test_schema});
    EXPECT_EQ(dead.heartbeat.status().revived, 1U);
    stop(first);
    stop(second);
}

}  // namespace
}  // namespace proxy
