#include "config/schema.hpp"

#include "config/schema_links.hpp"

#include <array>

namespace config {
namespace {

constexpr std::array<std::string_view, 2> gate_kinds = {"redis", "local"};
constexpr std::array<std::string_view, 3> breaker_modes = {"auto", "open", "closed"};
constexpr std::array<std::string_view, 5> log_levels = {"trace", "debug", "info", "warn", "error"};
constexpr std::array<std::string_view, 2> unguarded_answers = {"error", "zero_rows"};

constexpr Range bucket_range = {1, 1024};

void visit_ledger(Ledger& ledger, Visitor& visitor) {
    visitor.enter({"ledger", "", "The proxy's own account on the same database."});
    visitor.text(
        {"user", "", "Database account of the proxy itself; required when there are tables."},
        ledger.user,
        TextRule::user
    );
    visitor.secret(
        {"password", "", "Password of that account; without any it is empty."}, ledger.password
    );
    visitor.integer(
        {"pool_size", "connections", "Connections of that account per worker event loop."},
        ledger.pool_size,
        {1, 64}
    );
    visitor.duration(
        {"timeout_ms", "ms", "For one statement of the proxy itself."}, ledger.timeout, call_range
    );
    visitor.leave();
}

void visit_redis(Redis& redis, Visitor& visitor) {
    visitor.enter({"redis", "", "The Redis server of the gate; unused when the kind is local."});
    visitor.address({"address", "", "Redis server."}, redis.address, {false, false});
    visitor.text(
        {"username", "", "Redis ACL user; empty for the default user."},
        redis.username,
        TextRule::user
    );
    visitor.secret(
        {"password", "", "Redis password; without any, AUTH is not sent."}, redis.password
    );
    visitor.integer({"database", "", "Redis database number."}, redis.database, {0, 1023});
    visitor.duration(
        {"timeout_ms", "ms", "For one call; the outcome of a later one counts as unknown."},
        redis.timeout,
        {1, 60'000}
    );
    visitor.duration(
        {"connect_timeout_ms", "ms", "For opening one connection to Redis."},
        redis.connect_timeout,
        {1, 60'000}
    );
    visitor.integer(
        {"queue_length_max", "requests", "Requests in flight per worker event loop."},
        redis.queue_length_max,
        {1, 1'000'000}
    );
    visitor.leave();
}

void visit_gate(Gate& gate, Visitor& visitor) {
    visitor.enter({"gate", "", "The bucket counters in front of the ledger."});
    choose(
        visitor,
        {"kind", "", "Where the counters live: in Redis, or in this process."},
        gate.kind,
        gate_kinds
    );
    visitor.integer(
        {"probes", "buckets", "Buckets asked for units before the ledger is."}, gate.probes, {1, 64}
    );
    visit_redis(gate.redis, visitor);
    visitor.leave();
}

void visit_breaker(Breaker& breaker, Visitor& visitor) {
    visitor.enter(
        {"breaker", "", "When Redis is given up for the local gate, and when it is tried again."}
    );
    choose(
        visitor,
        {"mode", "", "auto decides by itself; open and closed are manual overrides."},
        breaker.mode,
        breaker_modes
    );
    visitor.integer(
        {"failures", "calls", "Consecutive failed or slow calls that open it."},
        breaker.failures,
        {1, 1000}
    );
    visitor.duration(
        {"slow_call_ms", "ms", "A call that takes longer counts as failed."},
        breaker.slow_call,
        {1, 60'000}
    );
    visitor.duration({"open_ms", "ms", "First open window."}, breaker.open, {10, 3'600'000});
    visitor.duration(
        {"open_max_ms", "ms", "The window doubles on repeated failure up to this."},
        breaker.open_max,
        {10, 86'400'000}
    );
    visitor.integer(
        {"half_open_probes", "calls", "Clean probes needed to close it again."},
        breaker.half_open_probes,
        {1, 100}
    );
    visitor.leave();
}

void visit_admin(Admin& admin, Visitor& visitor) {
    visitor.enter({"admin", "", "The HTTP port for health, metrics and commands."});
    visitor.address(
        {"address", "", "Loopback only, because nobody is asked for a password there."},
        admin.address,
        {true, false}
    );
    visitor.leave();
}

void visit_limits(Limits& limits, Visitor& visitor) {
    visitor.enter({"limits", "", "Bounds on what clients can ask for."});
    visitor.integer(
        {"connections_max", "connections", "Client connections of the whole process."},
        limits.connections_max,
        {1, 1'000'000}
    );
    visitor.duration(
        {"handshake_timeout_ms", "ms", "From accepting a client to the end of its authentication."},
        limits.handshake_timeout,
        {10, 600'000}
    );
    visitor.integer(
        {"inspect_bytes_max",
         "bytes",
         "Longer SQL texts are streamed and only scanned for managed names."},
        limits.inspect_bytes_max,
        {1024, 67'108'864}
    );
    visitor.duration(
        {"drain_timeout_ms", "ms", "How long open transactions may finish at shutdown."},
        limits.drain_timeout,
        {0, 3'600'000}
    );
    visitor.duration(
        {"idle_timeout_ms",
         "ms",
         "A client that says nothing for that long is closed; 0 for the server's own rules only."},
        limits.idle_timeout,
        {0, 604'800'000}
    );
    visitor.duration(
        {"write_timeout_ms",
         "ms",
         "A peer that takes no bytes for that long is closed; 0 for never."},
        limits.write_timeout,
        {0, 3'600'000}
    );
    visitor.leave();
}

void visit_background(Background& background, Visitor& visitor) {
    visitor.enter({"background", "", "Work beside the clients' statements."});
    visitor.duration(
        {"registry_refresh_ms", "ms", "How often changes of the registry are read."},
        background.registry_refresh,
        {10, 60'000}
    );
    visitor.duration(
        {"projection_ms", "ms", "How often the base row is brought up to date."},
        background.projection,
        {10, 3'600'000}
    );
    visitor.leave();
}

void visit_log(Log& log, Visitor& visitor) {
    visitor.enter({"log", "", "What is written to the log."});
    choose(
        visitor, {"level", "", "The least severe level that is written."}, log.level, log_levels
    );
    visitor.leave();
}

}  // namespace

void visit_config(Config& config, Visitor& visitor) {
    visitor.text(
        {"instance", "", "Name of this proxy in logs and as the owner of leases."},
        config.instance,
        TextRule::instance
    );
    visitor.integer(
        {"threads", "threads", "Worker event loops; 0 for one per core."}, config.threads, {0, 256}
    );
    visitor.addresses(
        {"listen", "", "Where clients connect; one address or a list."}, config.listen, {1, 16}
    );
    visit_client(config.client, visitor);
    visit_backend(config.backend, visitor);
    visit_ledger(config.ledger, visitor);
    visit_gate(config.gate, visitor);
    visit_breaker(config.breaker, visitor);
    visit_admin(config.admin, visitor);
    visit_limits(config.limits, visitor);
    visit_background(config.background, visitor);
    visit_log(config.log, visitor);
    visitor.tables(
        {"tables", "", "Managed tables; without any, everything passes unchanged."}, config.tables
    );
}

void visit_table(Table& table, Visitor& visitor) {
    constexpr auto required = Presence::required;
    visitor.table_name({"table", "", "The managed table as SCHEMA.TABLE.", required}, table);
    visitor.columns(
        {"key", "", "Column or list of columns that make up the SKU key.", required},
        table.key,
        {1, 8}
    );
    visitor.text(
        {"stock", "", "Column that holds the stock.", required}, table.stock, TextRule::column
    );
    visitor.text(
        {"version", "", "Column that every update increments; empty for none."},
        table.version,
        TextRule::optional_column
    );
    visitor.columns(
        {"time", "", "Column or list of columns that every update sets to the time."},
        table.time,
        {0, 8}
    );
    visitor.integer(
        {"buckets", "buckets", "Buckets per SKU, unless the SKU says otherwise."},
        table.buckets,
        bucket_range
    );
    choose(
        visitor,
        {"unguarded",
         "",
         "Answer when an update without a stock guard finds too little: error 1690, or no row "
         "changed."},
        table.unguarded,
        unguarded_answers
    );
    visitor.skus(
        {"skus", "", "SKUs that init makes hot: a key value, or a map of key and buckets."},
        table.skus
    );
}

void visit_sku(Sku& sku, Visitor& visitor) {
    visitor.sku_key(
        {"key",
         "",
         "Key value, or one value per key column; quoted values are text.",
         Presence::required},
        sku.key
    );
    visitor.integer(
        {"buckets", "buckets", "Buckets of this SKU, instead of the table's."},
        sku.buckets,
        bucket_range
    );
}

}  // namespace config
