#include "unit/config/support.hpp"

#include <filesystem>

namespace config::test {
namespace {

using std::chrono::milliseconds;

TEST(load, the_smallest_file_gives_the_defaults) {
    const LoadResult result = load(minimal);
    ASSERT_TRUE(result.ok()) << lines(result.problems);
    Config expected;
    expected.backend.address = {"db", 3306};
    EXPECT_EQ(*result.config, expected);
    EXPECT_EQ(lines(result.warnings), "");
}

TEST(load, sections_without_keys_keep_their_defaults) {
    const LoadResult result = load(minimal + "gate:\n  redis:\nlog: {}\ntables:\n");
    ASSERT_TRUE(result.ok()) << lines(result.problems);
    EXPECT_EQ(result.config->gate, Gate{});
    EXPECT_EQ(result.config->log, Log{});
    EXPECT_TRUE(result.config->tables.empty());
}

constexpr std::string_view every_key = R"(
instance: gate-1
threads: 256
listen: ["0.0.0.0:6033", "[::1]:0", "unix:/run/gate.sock"]
client:
  tls: { mode: optional, certificate: /etc/gate.pem, key: gate.key, client_ca: ca/clients.pem,
         client_certificate_required: true, min_version: TLSv1.3 }
  compression: false
  proxy_protocol: { trusted: ["10.0.0.0/8", "::1"] }
  mask: [local_files, query_attributes]
backend:
  address: "[fe80::1]:3307"
  connect_timeout_ms: 1
  tls: { mode: required, verify: host, ca: ca.pem, host: db.example, certificate: c.pem, key: k.pem }
  compression: off
  proxy_protocol: v2
ledger: { user: judge, password: "p\"w", pool_size: 64, timeout_ms: 600000 }
gate:
  kind: local
  probes: 64
  redis: { address: cache:1, username: u, password: 0123, database: 15, timeout_ms: 2,
           connect_timeout_ms: 3, queue_length_max: 4 }
breaker: { mode: closed, failures: 1, slow_call_ms: 5, open_ms: 60, open_max_ms: 60,
           half_open_probes: 100 }
admin: { address: "[::1]:7000" }
limits: { connections_max: 1, handshake_timeout_ms: 20, inspect_bytes_max: 2048,
          drain_timeout_ms: 0, idle_timeout_ms: 1, write_timeout_ms: 0 }
background: { registry_refresh_ms: 10, projection_ms: 11 }
log: { level: trace }
tables:
  - table: shop.t_stock
    key: [warehouse_id, sku_id]
    stock: available
    version: version
    time: [updated, touched]
    buckets: 1024
    unguarded: zero_rows
    skus:
      - [1, x]
      - { key: [2, "0017"], buckets: 1 }
  - { table: shop.other, key: id, stock: stock, time: at }
)";

Config every_key_expected() {
    Config config;
    config.instance = "gate-1";
    config.threads = 256;
    config.listen = {{"0.0.0.0", 6033}, {"::1", 0}, {{}, 0, "/run/gate.sock"}};
    config.client.tls = {
        ClientTls::Mode::optional,
        "/etc/gate.pem",
        "gate.key",
        "ca/clients.pem",
        true,
        TlsVersion::v1_3};
    config.client.compression = false;
    config.client.proxy_protocol.trusted = {
        parse_network("10.0.0.0/8").network, parse_network("::1").network};
    config.client.mask = {"local_files", "query_attributes"};
    config.backend = {
        {"fe80::1", 3307},
        milliseconds(1),
        {BackendTls::Mode::required,
         BackendTls::Verify::host,
         "ca.pem",
         "db.example",
         "c.pem",
         "k.pem"},
        BackendCompression::off,
        ProxyProtocolOut::v2};
    config.ledger = {"judge", Secret("p\"w"), 64, milliseconds(600000)};
    config.gate.kind = GateKind::local;
    config.gate.probes = 64;
    config.gate.redis = {
        {"cache", 1}, "u", Secret("0123"), 15, milliseconds(2), milliseconds(3), 4};
    config.breaker = {
        BreakerMode::closed, 1, milliseconds(5), milliseconds(60), milliseconds(60), 100};
    config.admin.address = {"::1", 7000};
    config.limits = {1, milliseconds(20), 2048, milliseconds(0), milliseconds(1), milliseconds(0)};
    config.background = {milliseconds(10), milliseconds(11)};
    config.log.level = LogLevel::trace;
    Table table;
    table.schema = "shop";
    table.name = "t_stock";
    table.key = {"warehouse_id", "sku_id"};
    table.stock = "available";
    table.version = "version";
    table.time = {"updated", "touched"};
    table.buckets = 1024;
    table.unguarded = Unguarded::zero_rows;
    table.skus = {
        {{{"1", false}, {"x", true}}, std::nullopt}, {{{"2", false}, {"0017", true}}, 1U}};
    Table other;
    other.schema = "shop";
    other.name = "other";
    other.key = {"id"};
    other.stock = "stock";
    other.time = {"at"};
    config.tables = {table, other};
    return config;
}

TEST(load, every_key_arrives_in_its_field) {
    const LoadResult result = load(every_key);
    ASSERT_TRUE(result.ok()) << lines(result.problems);
    EXPECT_EQ(*result.config, every_key_expected());
    EXPECT_EQ(buckets_of(result.config->tables[0], result.config->tables[0].skus[0]), 1024U);
    EXPECT_EQ(buckets_of(result.config->tables[0], result.config->tables[0].skus[1]), 1U);
}

TEST(load, every_choice_is_read) {
    for (const auto& [name, level] : std::map<std::string, LogLevel>{
             {"trace", LogLevel::trace},
             {"debug", LogLevel::debug},
             {"info", LogLevel::info},
             {"warn", LogLevel::warn},
             {"error", LogLevel::error}}) {
        const LoadResult result = load(minimal + "log: { level: " + name + " }\n");
        ASSERT_TRUE(result.ok()) << lines(result.problems);
        EXPECT_EQ(result.config->log.level, level);
    }
    for (const auto& [name, mode] : std::map<std::string, BreakerMode>{
             {"auto", BreakerMode::automatic},
             {"open", BreakerMode::open},
             {"closed", BreakerMode::closed}}) {
        const LoadResult result = load(minimal + "breaker: { mode: " + name + " }\n");
        ASSERT_TRUE(result.ok()) << lines(result.problems);
        EXPECT_EQ(result.config->breaker.mode, mode);
    }
}

TEST(load, pem_files_are_meant_beside_the_file) {
    const FakeSecrets secrets;
    const std::string text = minimal +
                             "client: { tls: { certificate: gate.pem, key: /run/gate.key,\n"
                             "                 client_ca: \"\" } }\n";
    const LoadResult result = load_text(text, "/etc/stockgate/f.yaml", secrets);
    ASSERT_TRUE(result.ok()) << lines(result.problems);
    EXPECT_EQ(result.config->client.tls.certificate, "/etc/stockgate/gate.pem");
    EXPECT_EQ(result.config->client.tls.key, "/run/gate.key");
    EXPECT_EQ(result.config->client.tls.client_ca, "");
}

TEST(load, one_network_and_one_name_need_no_list) {
    const LoadResult result =
        load(minimal + "client: { mask: local_files, proxy_protocol: { trusted: 192.0.2.1 } }\n");
    ASSERT_TRUE(result.ok()) << lines(result.problems);
    EXPECT_EQ(result.config->client.mask, std::vector<std::string>{"local_files"});
    EXPECT_EQ(
        result.config->client.proxy_protocol.trusted,
        std::vector{parse_network("192.0.2.1/32").network}
    );
}

TEST(load, key_values_keep_their_own_text) {
    const LoadResult result = load(
        with_ledger +
        "  - table: a.t\n    key: k\n    stock: s\n"
        "    skus: [12, '13', 0x10, 1e3, true, A-17, 99999999999999999999999, \"a\\nb\"]\n"
    );
    ASSERT_TRUE(result.ok()) << lines(result.problems);
    const std::vector<KeyPart> expected = {
        {"12", false},
        {"13", true},
        {"0x10", true},
        {"1e3", true},
        {"true", true},
        {"A-17", true},
        {"99999999999999999999999", false},
        {"a\nb", true}};
    ASSERT_EQ(result.config->tables[0].skus.size(), expected.size());
    for (std::size_t index = 0; index < expected.size(); ++index) {
        EXPECT_EQ(result.config->tables[0].skus[index].key, std::vector{expected[index]});
    }
}

TEST(load, carriage_returns_and_a_byte_order_mark_do_not_matter) {
    const LoadResult result = load(
        "\xef\xbb\xbf"
        "backend:\r\n  address: db:3306\r\nthreads: 2\r\n"
    );
    ASSERT_TRUE(result.ok()) << lines(result.problems);
    EXPECT_EQ(result.config->threads, 2U);
    EXPECT_EQ(
        lines(load("\xef\xbb\xbf"
                   "backend: { address: db:1 }\r\nx: \"1\r\n")
                  .problems),
        "f:2: the quote that begins here is never closed.\n"
    );
}

TEST(load, limits_the_size_of_text_and_report) {
    const std::string padding(1024 * 1024 - minimal.size() - 1, '#');
    EXPECT_TRUE(load(minimal + padding + "\n").ok());
    EXPECT_EQ(
        lines(load(minimal + padding + "#\n").problems), "f: is larger than 1048576 bytes.\n"
    );

    std::string many = minimal;
    for (int index = 0; index < 250; ++index) many += "zzzzzz" + std::to_string(index) + ": 1\n";
    const LoadResult result = load(many);
    ASSERT_EQ(result.problems.size(), 101U);
    EXPECT_EQ(result.problems.front().line, 2);
    EXPECT_EQ(to_string(result.problems.back()), "f: and 150 more like these.");
}

TEST(load, a_thousand_skus_with_one_duplicate) {
    std::string text = with_ledger + "  - table: a.t\n    key: k\n    stock: s\n    skus:\n";
    for (int index = 0; index < 1000; ++index) text += "      - " + std::to_string(index) + "\n";
    EXPECT_EQ(load(text).config.value().tables[0].skus.size(), 1000U);
    EXPECT_EQ(
        lines(load(text + "      - \"500\"\n").problems),
        "f:1008: tables[0].skus[1000]: SKU 500 is listed already, at line 508. Keep one of them.\n"
    );
}

class LoadFile : public testing::Test {
protected:
    void SetUp() override {
        std::string pattern = testing::TempDir() + "stockgate-config-XXXXXX";
        ASSERT_NE(mkdtemp(pattern.data()), nullptr);
        folder = pattern;
    }
    void TearDown() override { std::filesystem::remove_all(folder); }

    std::string write(const std::string& name, const std::string& content) const {
        const std::filesystem::path path = folder / name;
        std::ofstream(path) << content;
        std::filesystem::permissions(path, std::filesystem::perms(0600));
        return path.string();
    }

    std::filesystem::path folder;
};

TEST_F(LoadFile, reads_the_file_and_names_it_in_messages) {
    EXPECT_TRUE(load_file(write("good.yaml", minimal)).ok());
    const std::string path = write("bad.yaml", minimal + "x: 1\n");
    ASSERT_EQ(load_file(path).problems.size(), 1U);
    EXPECT_EQ(load_file(path).problems[0].file, path);
}

TEST_F(LoadFile, refuses_what_is_not_a_readable_file) {
    const std::string missing = (folder / "missing").string();
    EXPECT_EQ(
        lines(load_file(missing).problems),
        missing + ": cannot be read: No such file or directory.\n"
    );
    EXPECT_EQ(lines(load_file(folder).problems), folder.string() + ": is not a regular file.\n");
    const std::string large = write("large", std::string(1024 * 1024 + 1, '\n'));
    EXPECT_EQ(lines(load_file(large).problems), large + ": is larger than 1048576 bytes.\n");
}

TEST_F(LoadFile, password_files_are_looked_up_beside_it) {
    const std::string text = minimal + "ledger: { password_file: secret }\n";
    const std::string path = write("gate.yaml", text);
    const std::map<std::string, std::string> contents = {
        {"pw", "pw"}, {"pw\n", "pw"}, {"pw\r\n", "pw"}, {"pw\n\n", "pw\n"}, {" p w ", " p w "}};
    for (const auto& [content, expected] : contents) {
        write("secret", content);
        const LoadResult result = load_file(path);
        ASSERT_TRUE(result.ok()) << lines(result.problems);
        EXPECT_EQ(result.config->ledger.password.reveal(), expected);
        EXPECT_EQ(lines(result.warnings), "");
    }
    std::filesystem::permissions(folder / "secret", std::filesystem::perms(0644));
    EXPECT_EQ(
        lines(load_file(path).warnings),
        path +
            ":2: ledger.password_file: every user of this machine can read the file. "
            "Take the right away: chmod o-r.\n"
    );
}

}  // namespace
}  // namespace config::test
