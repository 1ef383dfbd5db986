#include "unit/config/support.hpp"

namespace config::test {
namespace {

// Printed and loaded again, apart from secrets that are hidden.
void expect_round_trip(const std::string& text) {
    FakeSecrets secrets;
    secrets.variables["PW"] = "from variable";
    secrets.files["/run/pw"] = {"from file", {}, false};
    LoadResult first = load_text(text, "f", secrets);
    ASSERT_TRUE(first.ok()) << lines(first.problems);
    const std::string printed = print(*first.config);
    const LoadResult second = load_text(printed, "printed", secrets);
    ASSERT_TRUE(second.ok()) << lines(second.problems) << printed;
    for (Secret* secret : {&first.config->ledger.password, &first.config->gate.redis.password}) {
        if (secret->origin() == Secret::Origin::text) *secret = Secret("***");
    }
    EXPECT_TRUE(*first.config == *second.config) << printed;
    EXPECT_EQ(print(*second.config), printed);
}

TEST(print, round_trips_the_defaults) {
    expect_round_trip(minimal);
}

TEST(print, round_trips_secrets_of_each_origin) {
    expect_round_trip(minimal + "ledger: { password: hunter2 }\n");
    expect_round_trip(minimal + "ledger: { password: \"\" }\n");
    expect_round_trip(minimal + "ledger: { password_env: PW }\n");
    expect_round_trip(minimal + "gate: { redis: { password_file: /run/pw } }\n");
}

TEST(print, round_trips_tables_and_odd_texts) {
    expect_round_trip(
        with_ledger +
        "  - table: \"a b.t: #x\"\n    key: [k, \"null\"]\n    stock: \"yes\"\n"
        "    time: t\n    unguarded: zero_rows\n"
        "    skus:\n"
        "      - [1, \"1\"]\n"
        "      - [-0, \"\\\"\\\\\\x01\\t\\n\\x7f\"]\n"
        "      - { key: [007, 'it''s'], buckets: 3 }\n"
        "      - [\"null\", \"***\"]\n"
        "      - [\"{}\", \"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\"]\n"
    );
}

TEST(print, round_trips_addresses) {
    expect_round_trip(
        "backend: { address: \"[2001:db8::1]:3306\" }\n"
        "listen: [\"[::]:6033\", \"0.0.0.0:6033\", \"127.0.0.1:0\", \"127.0.0.1:0\"]\n"
    );
}

TEST(print, round_trips_the_sides_of_a_session) {
    expect_round_trip(
        "backend:\n"
        "  address: unix:/run/db.sock\n"
        "  tls: { mode: required, verify: host, ca: \"c a.pem\", host: db }\n"
        "  compression: off\n"
        "  proxy_protocol: v1\n"
        "listen: [\"unix:/run/a: b\", \"[::]:6033\"]\n"
        "client:\n"
        "  tls: { mode: required, certificate: a.pem, key: '\"', min_version: TLSv1.3 }\n"
        "  compression: false\n"
        "  proxy_protocol: { trusted: [\"::/0\", 0.0.0.0/0, \"::ffff:192.0.2.0/120\"] }\n"
        "  mask: [multi_statements, deprecate_eof]\n"
    );
}

TEST(print, shows_every_effective_value) {
    FakeSecrets secrets;
    secrets.files["/run/pw"] = {"from file", {}, false};
    const LoadResult result = load_text(
        with_ledger +
            "  - { table: a.t, key: k, stock: s, skus: [7, { key: \"7a\", buckets: 2 }] }\n" +
            "gate: { redis: { password: hunter2 } }\nadmin: { address: localhost:1 }\n"
            "log: { level: warn }\n",
        "f",
        secrets
    );
    ASSERT_TRUE(result.ok()) << lines(result.problems);
    EXPECT_EQ(print(*result.config), R"(instance: "stockgate"
threads: 0
listen: ["127.0.0.1:6033"]
client:
  tls:
    mode: off
    certificate: ""
    key: ""
    client_ca: ""
    client_certificate_required: false
    min_version: TLSv1.2
  compression: true
  proxy_protocol:
    trusted: []
  mask: []
backend:
  address: "db:3306"
  connect_timeout_ms: 5000
  tls:
    mode: as_client
    verify: none
    ca: ""
    host: ""
    certificate: ""
    key: ""
  compression: as_client
  proxy_protocol: off
ledger:
  user: "gate"
  password: ""
  pool_size: 4
  timeout_ms: 5000
gate:
  kind: redis
  probes: 3
  redis:
    address: "127.0.0.1:6379"
    username: ""
    password: "***"
    database: 0
    timeout_ms: 300
    connect_timeout_ms: 1000
    queue_length_max: 10000
breaker:
  mode: auto
  failures: 5
  slow_call_ms: 300
  open_ms: 30000
  open_max_ms: 300000
  half_open_probes: 3
admin:
  address: "localhost:1"
limits:
  connections_max: 10000
  handshake_timeout_ms: 10000
  inspect_bytes_max: 1048576
  drain_timeout_ms: 10000
  idle_timeout_ms: 0
  write_timeout_ms: 60000
background:
  registry_refresh_ms: 500
  projection_ms: 1000
log:
  level: warn
tables:
  - table: "a.t"
    key: ["k"]
    stock: "s"
    version: ""
    time: []
    buckets: 16
    unguarded: error
    skus:
      - key: 7
      - key: "7a"
        buckets: 2
)");
}

}  // namespace
}  // namespace config::test
