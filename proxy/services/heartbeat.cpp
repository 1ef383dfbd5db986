#include "proxy/services/heartbeat.hpp"

#include "proxy/ledger/ledger_sql.hpp"

#include <spdlog/spdlog.h>

#include <charconv>

namespace proxy {
namespace {

constexpr unsigned error_unknown_database = 1049;
constexpr unsigned error_no_such_table = 1146;

std::string table_of(const std::string& schema) {
    return ledger_sql::quote_name(schema) + ".inventory_proxy";
}

std::uint32_t incarnation_of(const std::optional<std::string>& text) {
    std::uint32_t value = 0;
    if (text) std::from_chars(text->data(), text->data() + text->size(), value);
    return value;
}

}  // namespace

Heartbeat::Heartbeat(
    const boost::asio::any_io_executor& executor,
    SqlPool& pool,
    std::uint32_t incarnation,
    std::string instance,
    HeartbeatHooks hooks,
    HeartbeatLimits limits
)
    : executor_(executor),
      pool_(&pool),
      incarnation_(incarnation),
      instance_(std::move(instance)),
      hooks_(std::move(hooks)),
      limits_(limits),
      pace_(executor),
      beaten_(Clock::now()) {}

void Heartbeat::start() {
    running_ = true;
    auto task = run();
    spawn(executor_, "heartbeat", std::move(task));
}

Task<> Heartbeat::run() {
    bool goes_on = true;
    while (goes_on) {
        const bool ok = co_await beat_all();
        if (ok) {
            ++counts_.beats;
            beaten_ = Clock::now();
        } else {
            ++counts_.failures;
        }
        goes_on = co_await pace_.rest(limits_.interval);
    }
    running_ = false;
}

bool Heartbeat::failed(const std::string& schema, const SqlError& error) {
    counts_.last_error = schema + ": " + std::to_string(error.code) + ' ' + error.message;
    if (log_limit_.allows(schema)) {
        spdlog::warn(
            "event=heartbeat_failed schema={} code={} error=\"{}\"",
            schema,
            error.code,
            error.message
        );
    }
    return false;
}

Task<bool> Heartbeat::announce(std::vector<std::string> schemas) {
    SqlError error;
    auto link = co_await pool_->lease(error);
    if (error) co_return failed("connection", error);
    bool all = true;
    for (const auto& schema : schemas) {
        schemas_.try_emplace(
            schema, Schema{false, ProxyWatch(limits_.dead_after, limits_.gap_max)}
        );
        const bool answered = co_await beat(*link, schema);
        all = all && answered && schemas_.at(schema).written;
    }
    co_return all;
}

Task<bool> Heartbeat::beat_all() {
    SqlError error;
    auto link = co_await pool_->lease(error);
    if (error) co_return failed("connection", error);
    // The names are copied: announce may add to the map while this waits.
    std::vector<std::string> names;
    for (const auto& [name, schema] : schemas_) names.push_back(name);
    bool all = true;
    for (const auto& name : names) {
        bool ok = co_await beat(*link, name);
        if (ok && schemas_.at(name).written) ok = co_await watch(*link, name);
        all = all && ok;
    }
    co_return all;
}

Task<bool> Heartbeat::beat(SqlLink& link, const std::string& schema) {
    const std::string sql =
        "INSERT INTO " + table_of(schema) + " (incarnation,instance,seen_at,started_at) VALUES (" +
        std::to_string(incarnation_) + ',' + link.quote(instance_.substr(0, 64)) +
        ",CURRENT_TIMESTAMP(3),CURRENT_TIMESTAMP(3)) "
        "ON DUPLICATE KEY UPDATE seen_at=CURRENT_TIMESTAMP(3)";
    const auto reply = co_await link.query(sql);
    Schema& state = schemas_.at(schema);
    if (reply.error.code == error_no_such_table || reply.error.code == error_unknown_database) {
        // The ledger of this schema was dropped, the registry forgets it. Should it come back, so
        // must our row.
        state.written = false;
        co_return true;
    }
    if (reply.error) co_return failed(schema, reply.error);
    const bool inserted = reply.affected_rows == 1;
    if (inserted && state.written) {
        ++counts_.revived;
        spdlog::warn("event=declared_dead schema={} action=rebuild", schema);
        hooks_.rebuild(schema);
    }
    state.written = true;
    co_return true;
}

Task<bool> Heartbeat::watch(SqlLink& link, const std::string& schema) {
    const std::string sql = "SELECT incarnation,seen_at FROM " + table_of(schema) +
                            " WHERE incarnation<>" + std::to_string(incarnation_);
    const auto reply = co_await link.query(sql);
    if (reply.error) co_return failed(schema, reply.error);
    std::vector<ProxyRow> rows;
    for (const auto& row : reply.rows) {
        ProxyRow read{incarnation_of(row[0]), row[1].value_or("")};
        rows.push_back(std::move(read));
    }
    const auto dead = schemas_.at(schema).watch.observe(rows, Clock::now());
    bool all = true;
    for (const auto& row : dead) {
        const bool decided = co_await claim(link, schema, row);
        all = all && decided;
    }
    co_return all;
}

// One row deleted: we are the one who cleans up. None: somebody else is, or the proxy lives.
Task<bool> Heartbeat::claim(SqlLink& link, const std::string& schema, const ProxyRow& row) {
    const std::string sql = "DELETE FROM " + table_of(schema) +
                            " WHERE incarnation=" + std::to_string(row.incarnation) +
                            " AND seen_at=" + link.quote(row.seen_at);
    const auto reply = co_await link.query(sql);
    // Deleted or not, nobody else would clean up: a rebuild too many harms nothing.
    const bool may_be_ours = reply.affected_rows == 1 || reply.error.outcome_unknown;
    if (may_be_ours) {
        ++counts_.claimed;
        spdlog::warn(
            "event=proxy_dead schema={} incarnation={} seen_at=\"{}\" action=rebuild",
            schema,
            row.incarnation,
            row.seen_at
        );
        hooks_.rebuild(schema);
    }
    if (reply.error) co_return failed(schema, reply.error);
    co_return true;
}

Task<> Heartbeat::withdraw() {
    SqlError error;
    auto link = co_await pool_->lease(error);
    if (error) co_return;
    std::vector<std::string> names;
    for (const auto& [name, schema] : schemas_) names.push_back(name);
    for (const auto& schema : names) {
        const std::string sql = "DELETE FROM " + table_of(schema) +
                                " WHERE incarnation=" + std::to_string(incarnation_);
        const auto reply = co_await link->query(sql);
        if (reply.error) failed(schema, reply.error);
        schemas_.at(schema).written = false;
    }
}

HeartbeatStatus Heartbeat::status() const {
    HeartbeatStatus now = counts_;
    now.schemas = schemas_.size();
    const auto age = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - beaten_);
    now.age_ms = static_cast<std::uint64_t>(age.count());
    return now;
}

}  // namespace proxy
