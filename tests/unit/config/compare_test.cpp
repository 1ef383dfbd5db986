#include "unit/config/support.hpp"

namespace config::test {
namespace {

using Paths = std::vector<std::string>;

Config base() {
    return load(minimal).config.value();
}

TEST(compare, equal_configurations_need_no_restart) {
    EXPECT_EQ(changes_that_need_restart(base(), base()), Paths{});
}

TEST(compare, live_changes_need_no_restart) {
    Config wanted = base();
    wanted.log.level = LogLevel::debug;
    wanted.breaker.mode = BreakerMode::open;
    wanted.limits.connections_max = 7;
    wanted.tables.emplace_back().name = "t";
    EXPECT_EQ(changes_that_need_restart(base(), wanted), Paths{});
}

TEST(compare, names_each_change_that_needs_one) {
    Config wanted = base();
    wanted.gate.redis.timeout = std::chrono::milliseconds(1);
    wanted.listen.push_back({"127.0.0.1", 7});
    wanted.threads = 3;
    wanted.log.level = LogLevel::debug;
    const Paths expected = {"threads", "listen", "gate.redis.timeout_ms"};
    EXPECT_EQ(changes_that_need_restart(base(), wanted), expected);
}

// Only the value counts, not where it came from.
TEST(compare, sees_a_changed_secret_without_showing_it) {
    Config running = base();
    Config wanted = base();
    running.ledger.password = Secret("old", Secret::Origin::file, "p");
    wanted.ledger.password = Secret("new", Secret::Origin::file, "p");
    EXPECT_EQ(changes_that_need_restart(running, wanted), Paths{"ledger.password"});
    wanted.ledger.password = Secret("old", Secret::Origin::environment, "P");
    EXPECT_EQ(changes_that_need_restart(running, wanted), Paths{});
}

}  // namespace
}  // namespace config::test
