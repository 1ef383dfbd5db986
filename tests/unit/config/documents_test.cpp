#include "config/reference.hpp"
#include "unit/config/support.hpp"

// The example file and the documentation cannot fall behind the schema.

namespace config::test {
namespace {

const std::string example_path = "config/stockgate.example.yaml";

TEST(documents, the_example_shows_the_defaults) {
    const LoadResult result = load(read_source_file(example_path));
    ASSERT_TRUE(result.ok()) << lines(result.problems);
    EXPECT_EQ(lines(result.warnings), "");
    Config config = *result.config;
    // What its comments call no default.
    EXPECT_EQ(config.backend.address, (Address{"127.0.0.1", 3306}));
    EXPECT_EQ(config.ledger.user, "stockgate");
    EXPECT_EQ(config.ledger.password.reveal(), "change-me");
    ASSERT_EQ(config.tables.size(), 2U);
    EXPECT_EQ(config.tables[0].buckets, Table{}.buckets);
    EXPECT_EQ(config.tables[0].unguarded, Table{}.unguarded);
    config.backend.address = {};
    config.ledger.user.clear();
    config.ledger.password = {};
    config.tables.clear();
    EXPECT_EQ(print(config), print(Config{}));
    EXPECT_TRUE(config == Config{});
}

TEST(documents, the_example_mentions_every_key) {
    const std::string text = read_source_file(example_path);
    for (const ReferenceRow& row : reference()) {
        const std::string name = row.path.substr(row.path.find_last_of('.') + 1);
        EXPECT_NE(text.find(name + ":"), std::string::npos) << row.path;
    }
    for (const std::string name : {"ledger.password_file", "ledger.password_env"}) {
        EXPECT_NE(text.find("# " + name.substr(7) + ":"), std::string::npos) << name;
    }
}

TEST(documents, the_reference_knows_defaults_and_ranges) {
    std::map<std::string, ReferenceRow> rows;
    for (const ReferenceRow& row : reference()) {
        EXPECT_TRUE(rows.emplace(row.path, row).second) << row.path;
        EXPECT_FALSE(row.meaning.empty()) << row.path;
        EXPECT_FALSE(row.allowed.empty()) << row.path;
    }
    EXPECT_EQ(rows["backend.address"].default_value, "required");
    EXPECT_EQ(rows["gate.redis.timeout_ms"].default_value, "300");
    EXPECT_EQ(rows["gate.redis.timeout_ms"].unit, "ms");
    EXPECT_EQ(rows["gate.redis.timeout_ms"].allowed, "1 to 60000");
    EXPECT_EQ(rows["backend.address"].allowed, "`HOST:PORT`, `unix:/PATH`");
    EXPECT_EQ(rows["gate.redis.address"].allowed, "`HOST:PORT`");
    EXPECT_EQ(rows["client.compression"].allowed, "`false`, `true`");
    EXPECT_EQ(rows["client.tls.min_version"].default_value, "TLSv1.2");
    EXPECT_EQ(rows["client.proxy_protocol.trusted"].default_value, "[]");
    EXPECT_EQ(rows["tables[].skus[].key"].default_value, "required");
}

// Every key, default, unit, range and sentence: the page contains the generated table as it is.
TEST(documents, the_page_contains_the_whole_reference) {
    const std::string page = read_source_file("docs/configuration.md");
    EXPECT_NE(page.find(reference_markdown()), std::string::npos)
        << "docs/configuration.md should contain:\n"
        << reference_markdown();
}

}  // namespace
}  // namespace config::test
