#pragma once
// Keeps the process's Registry equal to what `inventory_sku` says in every schema that has one, by
// reading the (few) rows at a short interval and publishing a new snapshot when one differs. One
// per process, control context only. While the database cannot be read the last snapshot stays: a
// SKU once known as managed becomes unmanaged only when its row, table or schema is seen to be
// gone.

#include "proxy/ledger/registry.hpp"
#include "proxy/services/pace.hpp"
#include "proxy/services/registry_rows.hpp"
#include "proxy/services/subject_log_limit.hpp"
#include "proxy/sql/sql_pool.hpp"

#include <chrono>
#include <functional>
#include <string>
#include <vector>

namespace proxy {

struct RegistryHooks {
    // Before a schema is published for the first time: makes this process known there (Heartbeat).
    // Nothing of a schema is published until it succeeded, because a reservation of a process that
    // is not known counts as left over.
    std::function<Task<bool>(std::vector<std::string>)> announce;
    // A new snapshot, and the SKUs (SCHEMA.SKU_ID) whose buckets the gate must be given anew.
    std::function<void(RegistryView, const std::vector<std::string>&)> publish;
};

struct RegistryStatus {
    std::uint64_t version = 0;  // of the published snapshot
    std::size_t schemas = 0;
    std::size_t tables = 0;
    std::size_t skus = 0;
    std::size_t problems = 0;  // rows that could not be understood
    bool complete = true;      // false: a table has no row that could
    std::uint64_t age_ms = 0;  // since the last read that succeeded
    std::uint64_t reads = 0;
    std::uint64_t failures = 0;
    std::string last_error;
};

class RegistryRefresh {
public:
    RegistryRefresh(
        const boost::asio::any_io_executor& executor,
        SqlPool& pool,
        std::chrono::milliseconds interval,
        RegistryHooks hooks
    );

    void start();
    void stop() { pace_.stop(); }
    [[nodiscard]] bool running() const noexcept { return running_; }

    // Reads now, and returns when a read that began after this call has ended; calls made meanwhile
    // share one. False: it failed, or a table has no row that can be understood.
    Task<bool> refresh_now();

    [[nodiscard]] RegistryView current() const noexcept { return current_; }
    [[nodiscard]] RegistryStatus status() const;

private:
    using Clock = std::chrono::steady_clock;
    class Reading;

    Task<> run();
    Task<bool> read_and_publish();
    Task<bool> discover(SqlLink& link);
    Task<bool> read_schema(SqlLink& link, const std::string& schema, std::vector<SchemaRows>& rows);
    Task<bool> announce(const std::vector<SchemaRows>& rows);
    void publish(std::vector<SchemaRows> rows);
    void failed(const std::string& subject, const SqlError& error);

    boost::asio::any_io_executor executor_;
    SqlPool* pool_;
    std::chrono::milliseconds interval_;
    RegistryHooks hooks_;
    Pace pace_;
    SubjectLogLimit log_limit_{std::chrono::seconds{10}};
    RegistryView current_ = std::make_shared<Registry>();
    std::vector<SchemaRows> last_;      // what `current_` was built from
    std::vector<std::string> schemas_;  // that have a registry, published or not
    std::vector<std::string> announced_;
    std::vector<Event*> waiting_;  // callers of refresh_now
    std::uint64_t begun_ = 0;      // reads
    std::uint64_t ended_ = 0;
    bool reading_ = false;
    bool last_ok_ = false;
    bool running_ = false;
    Clock::time_point discovered_{};
    Clock::time_point read_at_;
    RegistryStatus counts_;
};

}  // namespace proxy
