#include "unit/config/support.hpp"

namespace config::test {
namespace {

using Paths = std::vector<std::string>;

Config base() {
    return load(minimal).config.value();
}

TEST(compare, equal_configurations_have_no_changed_keys) {
    EXPECT_EQ(changed_keys(base(), base()), Paths{});
}

TEST(compare, names_each_changed_key) {
    Config wanted = base();
    wanted.gate.redis.timeout = std::chrono::milliseconds(1);
    wanted.listen.push_back({"127.0.0.1", 7});
    wanted.threads = 3;
    wanted.log.level = LogLevel::debug;
    wanted.client.tls.mode = ClientTls::Mode::optional;
    wanted.client.mask = {"local_files"};
    wanted.tables.emplace_back().name = "t";
    const Paths expected = {
        "threads",
        "listen",
        "client.tls.mode",
        "client.mask",
        "gate.redis.timeout_ms",
        "log.level",
        "tables"};
    EXPECT_EQ(changed_keys(base(), wanted), expected);
}

// Only the value counts, not where it came from.
TEST(compare, sees_a_changed_secret_without_showing_it) {
    Config running = base();
    Config wanted = base();
    running.ledger.password = Secret("old", Secret::Origin::file, "p");
    wanted.ledger.password = Secret("new", Secret::Origin::file, "p");
    EXPECT_EQ(changed_keys(running, wanted), Paths{"ledger.password"});
    wanted.ledger.password = Secret("old", Secret::Origin::environment, "P");
    EXPECT_EQ(changed_keys(running, wanted), Paths{});
}

}  // namespace
}  // namespace config::test
