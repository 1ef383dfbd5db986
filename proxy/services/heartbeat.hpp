#pragma once
// Makes this process known to the others and finds those that died. Every second it touches its row
// of `inventory_proxy` in each schema (with the database's clock); a row of another proxy that
// stands still is deleted by exactly one of the watchers, who then has the schema's buckets
// rebuilt, which drops what the dead one had reserved. One per process, control context only.
// Should it be declared dead itself (it was stopped for long), it comes back as new and rebuilds
// what was cleared behind it.

#include "proxy/services/pace.hpp"
#include "proxy/services/proxy_watch.hpp"
#include "proxy/services/subject_log_limit.hpp"
#include "proxy/sql/sql_pool.hpp"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace proxy {

struct HeartbeatHooks {
    // Rebuild every bucket of the schema, and go on until it is done (Rebuilder::mark_schema).
    std::function<void(const std::string& schema)> rebuild;
};

struct HeartbeatLimits {
    std::chrono::milliseconds interval{1000};
    std::chrono::milliseconds dead_after{10'000};
    // Rows that were not watched for longer are watched anew.
    std::chrono::milliseconds gap_max{3000};
};

struct HeartbeatStatus {
    std::size_t schemas = 0;
    std::uint64_t beats = 0;  // rounds in which every schema answered
    std::uint64_t failures = 0;
    std::uint64_t age_ms = 0;   // since the last such round
    std::uint64_t claimed = 0;  // dead proxies cleaned up by us
    std::uint64_t revived = 0;  // times that we were declared dead
    std::string last_error;
};

class Heartbeat {
public:
    Heartbeat(
        const boost::asio::any_io_executor& executor,
        SqlPool& pool,
        std::uint32_t incarnation,
        std::string instance,
        HeartbeatHooks hooks,
        HeartbeatLimits limits
    );

    void start();
    void stop() { pace_.stop(); }
    [[nodiscard]] bool running() const noexcept { return running_; }

    // Writes our row into these schemas and keeps beating there. True: all have it.
    Task<bool> announce(std::vector<std::string> schemas);
    // Deletes our rows: only after a drain that left nothing reserved or undecided.
    Task<> withdraw();

    [[nodiscard]] HeartbeatStatus status() const;

private:
    using Clock = std::chrono::steady_clock;
    struct Schema {
        bool written = false;  // our row was there
        ProxyWatch watch;
    };

    Task<> run();
    Task<bool> beat_all();
    Task<bool> beat(SqlLink& link, const std::string& schema);
    Task<bool> watch(SqlLink& link, const std::string& schema);
    Task<bool> claim(SqlLink& link, const std::string& schema, const ProxyRow& row);
    bool failed(const std::string& schema, const SqlError& error);

    boost::asio::any_io_executor executor_;
    SqlPool* pool_;
    std::uint32_t incarnation_;
    std::string instance_;
    HeartbeatHooks hooks_;
    HeartbeatLimits limits_;
    Pace pace_;
    SubjectLogLimit log_limit_{std::chrono::seconds{10}};
    std::map<std::string, Schema> schemas_;
    bool running_ = false;
    Clock::time_point beaten_;
    HeartbeatStatus counts_;
};

}  // namespace proxy
