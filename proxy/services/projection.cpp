#include "proxy/services/projection.hpp"

#include "proxy/ledger/ledger_sql.hpp"

#include <spdlog/spdlog.h>

#include <charconv>
#include <set>

namespace proxy {
namespace {

constexpr unsigned error_syntax = 1064;
constexpr unsigned error_lock_wait_timeout = 1205;  // also MariaDB's NOWAIT
constexpr unsigned error_deadlock = 1213;
constexpr unsigned error_nowait = 3572;  // MySQL's

bool is_locked(const SqlError& error) {
    return error.code == error_lock_wait_timeout || error.code == error_deadlock ||
           error.code == error_nowait;
}

template <class Number>
std::optional<Number> number_of(const std::optional<std::string>& text) {
    if (!text) return std::nullopt;
    Number value{};
    std::from_chars(text->data(), text->data() + text->size(), value);
    return value;
}

}  // namespace

struct Projection::Target {
    std::string schema;
    std::string sku_id;
    std::string name;  // SCHEMA.SKU_ID
    const rewrite::ManagedTable* table = nullptr;
    std::string condition;
};

Projection::Projection(
    const boost::asio::any_io_executor& executor,
    SqlPool& pool,
    std::chrono::milliseconds interval,
    std::function<RegistryView()> registry
)
    : executor_(executor),
      pool_(&pool),
      interval_(interval),
      registry_(std::move(registry)),
      pace_(executor),
      projected_at_(Clock::now()) {}

void Projection::start() {
    running_ = true;
    auto task = run();
    spawn(executor_, "projection", std::move(task));
}

Task<> Projection::run() {
    bool goes_on = co_await pace_.rest(interval_);
    while (goes_on) {
        co_await project_now();
        goes_on = co_await pace_.rest(interval_);
    }
    running_ = false;
}

void Projection::failed(const std::string& subject, const SqlError& error) {
    counts_.last_error = subject + ": " + std::to_string(error.code) + ' ' + error.message;
    if (log_limit_.allows(subject)) {
        spdlog::warn(
            "event=projection_failed subject={} code={} error=\"{}\"",
            subject,
            error.code,
            error.message
        );
    }
}

Task<bool> Projection::project_now() {
    const RegistryView registry = registry_();
    std::set<std::string> schemas;
    for (const auto& table : registry->tables) schemas.insert(table.schema);
    std::erase_if(alarmed_, [&registry](const auto& alarm) {
        return !registry->skus.contains(alarm.first);
    });
    bool ok = true;
    if (!schemas.empty()) {
        SqlError error;
        auto link = co_await pool_->lease(error);
        if (error) failed("connection", error);
        ok = !error;
        // The time columns get what an application of this server would have written. Where a
        // server does not know NOWAIT, the wait is the shortest there is.
        const std::string set =
            "SET SESSION time_zone=@@global.time_zone,innodb_lock_wait_timeout=1";
        if (ok) {
            const auto reply = co_await link->query(set);
            ok = !reply.error;
        }
        for (const auto& schema : schemas) {
            if (!ok) break;
            ok = co_await project_schema(*link, schema, registry);
        }
        // The session's settings are not for the pool's other users.
        const std::string restore = "SET SESSION time_zone='+00:00',innodb_lock_wait_timeout=2";
        if (link && link->usable()) {
            const auto reply = co_await link->query(restore);
            if (reply.error) link->close();
        }
    }
    if (ok) {
        ++counts_.rounds;
        projected_at_ = Clock::now();
    } else {
        ++counts_.failures;
    }
    co_return ok;
}

Task<bool> Projection::project_schema(
    SqlLink& link, const std::string& schema, RegistryView registry
) {
    const std::string sql = projection_candidates(schema);
    const auto candidates = co_await link.query(sql);
    if (candidates.error) {
        failed("schema " + schema, candidates.error);
        co_return false;
    }
    std::set<std::string> names;
    for (const auto& row : candidates.rows) names.insert(schema + '.' + row[0].value_or(""));
    // What was put right may have been projected by another proxy since.
    std::erase_if(alarmed_, [&](const auto& alarm) {
        return alarm.first.starts_with(schema + '.') && !names.contains(alarm.first);
    });
    const Quote quote = [&link](const std::string& text) { return link.quote(text); };
    for (const auto& row : candidates.rows) {
        if (pace_.stopped()) co_return true;
        Target target;
        target.schema = schema;
        target.sku_id = row[0].value_or("");
        target.name = schema + '.' + target.sku_id;
        const auto known = registry->skus.find(target.name);
        if (known == registry->skus.end()) continue;
        const auto index = known->second.table;
        target.table = &registry->rules.tables()[index];
        auto condition = base_row_condition(
            *target.table, registry->tables[index].key_types, target.sku_id, quote
        );
        if (!condition) continue;  // its row is not understood: the registry said so
        target.condition = std::move(*condition);
        const auto error = co_await project_sku(link, target);
        if (is_locked(error)) {
            ++counts_.skipped;
        } else if (error) {
            failed(target.name, error);
        }
        if (!link.usable()) co_return false;
    }
    co_return true;
}

Task<SqlError> Projection::project_sku(SqlLink& link, const Target& target) {
    const std::string begin = "BEGIN";
    auto begun = co_await link.query(begin);
    if (begun.error) co_return std::move(begun.error);
    ProjectionFacts facts;
    auto error = co_await read_facts(link, target, facts);
    ProjectionPlan plan;
    if (!error) {
        plan = plan_projection(facts);
        const bool writes =
            plan.action == ProjectionAction::write || plan.action == ProjectionAction::write_first;
        if (writes) error = co_await write(link, target, facts, plan);
    }
    // After a commit there is nothing to roll back, and it costs little to say so.
    const std::string rollback = "ROLLBACK";
    if (link.usable()) co_await link.query(rollback);
    if (!error) note(target, facts, plan);
    co_return error;
}

Task<SqlError> Projection::read_facts(SqlLink& link, const Target& target, ProjectionFacts& facts) {
    using ledger_sql::quote_name;
    const std::string lock = nowait_ ? " FOR UPDATE NOWAIT" : " FOR UPDATE";
    const std::string schema = quote_name(target.schema);
    const std::string with_sku = " WHERE sku_id=" + link.quote(target.sku_id);
    const std::string base = "SELECT " + quote_name(target.table->stock_column) + " FROM " +
                             schema + '.' + quote_name(target.table->table) + " WHERE " +
                             target.condition + lock;
    auto base_row = co_await link.query(base);
    if (base_row.error.code == error_syntax && nowait_) nowait_ = false;
    if (base_row.error) co_return std::move(base_row.error);
    for (auto& row : base_row.rows) facts.base_stock.push_back(std::move(row[0]));

    const std::string registry = "SELECT state,projected_stock,projected_version FROM " + schema +
                                 ".inventory_sku" + with_sku + lock;
    auto registry_row = co_await link.query(registry);
    if (registry_row.error) co_return std::move(registry_row.error);
    if (registry_row.rows.empty()) co_return SqlError{};  // gone meanwhile: state stays empty
    const auto& row = registry_row.rows[0];
    facts.state = row[0].value_or("");
    facts.projected_stock = number_of<std::int64_t>(row[1]);
    facts.projected_version = number_of<std::uint64_t>(row[2]).value_or(0);

    const std::string sums = "SELECT SUM(bucket_total-sold_stock),SUM(version) FROM " + schema +
                             ".inventory_bucket" + with_sku;
    auto ledger = co_await link.query(sums);
    if (ledger.error) co_return std::move(ledger.error);
    facts.remainder = number_of<std::int64_t>(ledger.rows.at(0)[0]).value_or(0);
    facts.versions = number_of<std::uint64_t>(ledger.rows.at(0)[1]).value_or(0);
    co_return SqlError{};
}

Task<SqlError> Projection::write(
    SqlLink& link, const Target& target, const ProjectionFacts& facts, const ProjectionPlan& plan
) {
    const std::string base =
        base_row_update(*target.table, target.condition, facts.remainder, plan.version_delta);
    auto written = co_await link.query(base);
    if (written.error) co_return std::move(written.error);
    const std::string remember =
        "UPDATE " + ledger_sql::quote_name(target.schema) +
        ".inventory_sku SET projected_stock=" + std::to_string(facts.remainder) +
        ",projected_version=" + std::to_string(facts.versions) +
        " WHERE sku_id=" + link.quote(target.sku_id);
    auto remembered = co_await link.query(remember);
    if (remembered.error) co_return std::move(remembered.error);
    const std::string commit = "COMMIT";
    auto committed = co_await link.query(commit);
    if (committed.error) co_return std::move(committed.error);
    ++counts_.projected;
    co_return SqlError{};
}

void Projection::note(
    const Target& target, const ProjectionFacts& facts, const ProjectionPlan& plan
) {
    const auto text = [](const std::optional<std::int64_t>& number) {
        return number ? std::to_string(*number) : std::string{"none"};
    };
    const bool alarm = is_alarm(plan.action);
    if (!alarm) {
        if (alarmed_.erase(target.name) != 0) {
            spdlog::info("event=base_row_agrees sku={}", target.name);
        }
        if (plan.action != ProjectionAction::write_first) return;
    }
    std::string what = std::string{name_of(plan.action)} + ' ' + text(plan.base);
    if (alarm) {
        const auto [place, fresh] = alarmed_.try_emplace(target.name);
        const bool news = fresh || place->second != what;
        place->second = std::move(what);
        if (news) ++counts_.alarms;
        if (!news && !log_limit_.allows("alarm " + target.name)) return;
    }
    spdlog::log(
        alarm ? spdlog::level::err : spdlog::level::warn,
        "event={} sku={} base_stock={} projected_stock={} remainder={} rows={} projected={}",
        name_of(plan.action),
        target.name,
        text(plan.base),
        text(facts.projected_stock),
        facts.remainder,
        facts.base_stock.size(),
        alarm ? "no" : "yes"
    );
}

ProjectionStatus Projection::status() const {
    ProjectionStatus now = counts_;
    now.alarmed = alarmed_.size();
    const auto age =
        std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - projected_at_);
    now.age_ms = static_cast<std::uint64_t>(age.count());
    return now;
}

}  // namespace proxy
