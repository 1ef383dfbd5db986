#include "proxy/services/registry_refresh.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>

namespace proxy {
namespace {

constexpr std::chrono::seconds discovery_interval{5};

constexpr unsigned error_unknown_database = 1049;
constexpr unsigned error_no_such_table = 1146;

bool contains(const std::vector<std::string>& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

// One read, from begin to end, also if it is left by an exception.
class RegistryRefresh::Reading {
public:
    explicit Reading(RegistryRefresh& owner) : owner_(&owner) {
        owner.reading_ = true;
        owner.last_ok_ = false;
        ticket_ = ++owner.begun_;
    }
    ~Reading() {
        owner_->reading_ = false;
        owner_->ended_ = ticket_;
        for (Event* waiter : owner_->waiting_) waiter->notify();
        owner_->waiting_.clear();
    }
    Reading(const Reading&) = delete;
    Reading& operator=(const Reading&) = delete;

private:
    RegistryRefresh* owner_;
    std::uint64_t ticket_;
};

RegistryRefresh::RegistryRefresh(
    const boost::asio::any_io_executor& executor,
    SqlPool& pool,
    std::chrono::milliseconds interval,
    RegistryHooks hooks
)
    : executor_(executor),
      pool_(&pool),
      interval_(interval),
      hooks_(std::move(hooks)),
      pace_(executor),
      read_at_(Clock::now()) {}

void RegistryRefresh::start() {
    running_ = true;
    auto task = run();
    spawn(executor_, "registry_refresh", std::move(task));
}

Task<> RegistryRefresh::run() {
    bool goes_on = true;
    while (goes_on) {
        co_await refresh_now();
        goes_on = co_await pace_.rest(interval_);
    }
    running_ = false;
}

Task<bool> RegistryRefresh::refresh_now() {
    // A read that is under way may have passed the change that the caller knows of.
    const std::uint64_t wanted = begun_ + 1;
    while (ended_ < wanted) {
        if (reading_) {
            Event ended(executor_);
            waiting_.push_back(&ended);
            co_await ended.wait();
            continue;
        }
        Reading reading(*this);
        const bool ok = co_await read_and_publish();
        last_ok_ = ok;
    }
    co_return last_ok_;
}

void RegistryRefresh::failed(const std::string& subject, const SqlError& error) {
    counts_.last_error = subject + ": " + std::to_string(error.code) + ' ' + error.message;
    if (log_limit_.allows(subject)) {
        spdlog::warn(
            "event=registry_read_failed subject={} code={} error=\"{}\"",
            subject,
            error.code,
            error.message
        );
    }
}

// Adds schemas that have a registry. One that is known stays: what is no longer listed may only be
// no longer visible, so the read of its rows decides.
Task<bool> RegistryRefresh::discover(SqlLink& link) {
    const std::string sql =
        "SELECT table_schema FROM information_schema.tables WHERE table_name='inventory_sku' "
        "AND table_type='BASE TABLE'";
    const auto reply = co_await link.query(sql);
    if (reply.error) {
        failed("discovery", reply.error);
        co_return false;
    }
    for (const auto& row : reply.rows) {
        if (!row[0] || contains(schemas_, *row[0])) continue;
        schemas_.push_back(*row[0]);
    }
    std::sort(schemas_.begin(), schemas_.end());
    discovered_ = Clock::now();
    co_return true;
}

Task<bool> RegistryRefresh::read_schema(
    SqlLink& link, const std::string& schema, std::vector<SchemaRows>& rows
) {
    const std::string sql = registry_query(schema);
    auto reply = co_await link.query(sql);
    const bool gone =
        reply.error.code == error_no_such_table || reply.error.code == error_unknown_database;
    if (gone) {
        std::erase(schemas_, schema);
        std::erase(announced_, schema);
        co_return true;
    }
    SchemaRows read;
    read.schema = schema;
    if (!reply.error) {
        read.rows = std::move(reply.rows);
        rows.push_back(std::move(read));
        co_return true;
    }
    failed("schema " + schema, reply.error);
    for (const auto& known : last_) {
        if (known.schema == schema) rows.push_back(known);
    }
    co_return false;
}

Task<bool> RegistryRefresh::announce(const std::vector<SchemaRows>& rows) {
    std::vector<std::string> fresh;
    for (const auto& schema : rows) {
        if (!contains(announced_, schema.schema)) fresh.push_back(schema.schema);
    }
    if (fresh.empty()) co_return true;
    std::vector<std::string> names = fresh;
    bool written = true;
    if (hooks_.announce) written = co_await hooks_.announce(std::move(names));
    if (!written) {
        SqlError error;
        error.message = "the heartbeat could not be written";
        failed("announcement", error);
        co_return false;
    }
    announced_.insert(announced_.end(), fresh.begin(), fresh.end());
    co_return true;
}

Task<bool> RegistryRefresh::read_and_publish() {
    SqlError error;
    auto link = co_await pool_->lease(error);
    if (error) {
        ++counts_.failures;
        failed("connection", error);
        co_return false;
    }
    bool ok = true;
    const bool due =
        discovered_ == Clock::time_point{} || Clock::now() - discovered_ >= discovery_interval;
    if (due) ok = co_await discover(*link);
    std::vector<SchemaRows> rows;
    const std::vector<std::string> schemas = schemas_;
    for (const auto& schema : schemas) {
        const bool read = co_await read_schema(*link, schema, rows);
        ok = ok && read;
    }
    if (ok) {
        ++counts_.reads;
        read_at_ = Clock::now();
    } else {
        ++counts_.failures;
    }
    const bool differs = current_->version == 0 ? ok : rows != last_;
    if (differs) {
        const bool announced = co_await announce(rows);
        if (!announced) co_return false;
        publish(std::move(rows));
    }
    co_return ok&& counts_.complete;
}

void RegistryRefresh::publish(std::vector<SchemaRows> rows) {
    auto parsed = parse_registry(rows);
    for (const auto& problem : parsed.problems) {
        spdlog::error(
            "event=registry_row_not_understood schema={} sku={} state=paused reason=\"{}\"",
            problem.schema,
            problem.sku_id,
            problem.what
        );
    }
    counts_.problems = parsed.problems.size();
    counts_.complete = parsed.complete;
    auto next = std::make_shared<Registry>(std::move(parsed.registry));
    next->version = current_->version + 1;
    const auto moved = moved_skus(*current_, *next);
    current_ = next;
    last_ = std::move(rows);
    spdlog::info(
        "event=registry_published version={} tables={} skus={} moved={}",
        current_->version,
        current_->tables.size(),
        current_->skus.size(),
        moved.size()
    );
    if (hooks_.publish) hooks_.publish(current_, moved);
}

RegistryStatus RegistryRefresh::status() const {
    RegistryStatus now = counts_;
    now.version = current_->version;
    now.schemas = last_.size();
    now.tables = current_->tables.size();
    now.skus = current_->skus.size();
    const auto age = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - read_at_);
    now.age_ms = static_cast<std::uint64_t>(age.count());
    return now;
}

}  // namespace proxy
