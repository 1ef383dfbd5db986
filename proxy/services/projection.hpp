#pragma once
// Keeps the base row's stock equal to the remainder of the ledger, off the hot path, so that
// reports and unmoved readers see a figure that is at most about one interval old. Control context;
// one per process. It writes only over what it wrote itself: a base row that says anything else was
// written past the gate; that is alarmed, and the SKU stays unprojected until the two agree again.
//
// Several proxies may project the same SKU at the same time. Each locks the base row, then the
// registry row, and only then reads the ledger (READ COMMITTED: what is committed by then). So they
// go one after the other, and whoever comes later sees the other's figures and a ledger at least as
// new: the base row never steps back. Locks are asked for without waiting; a row that somebody
// holds is left for the next round.

#include "proxy/services/pace.hpp"
#include "proxy/services/projection_plan.hpp"
#include "proxy/services/subject_log_limit.hpp"
#include "proxy/sql/sql_pool.hpp"

#include <functional>
#include <string>
#include <unordered_map>

namespace proxy {

struct ProjectionStatus {
    std::uint64_t rounds = 0;  // that asked every schema
    std::uint64_t failures = 0;
    std::uint64_t age_ms = 0;  // since the last such round
    std::uint64_t projected = 0;
    std::uint64_t skipped = 0;  // rows held by somebody
    std::size_t alarmed = 0;    // SKUs that are not projected until an operator looks
    std::uint64_t alarms = 0;
    std::string last_error;
};

class Projection {
public:
    Projection(
        const boost::asio::any_io_executor& executor,
        SqlPool& pool,
        std::chrono::milliseconds interval,
        std::function<RegistryView()> registry
    );

    void start();
    void stop() { pace_.stop(); }
    [[nodiscard]] bool running() const noexcept { return running_; }

    // One round over all schemas. False: a schema could not be asked.
    Task<bool> project_now();

    [[nodiscard]] ProjectionStatus status() const;

private:
    using Clock = std::chrono::steady_clock;
    struct Target;

    Task<> run();
    Task<bool> project_schema(SqlLink& link, const std::string& schema, RegistryView registry);
    Task<SqlError> project_sku(SqlLink& link, const Target& target);
    Task<SqlError> read_facts(SqlLink& link, const Target& target, ProjectionFacts& facts);
    Task<SqlError> write(
        SqlLink& link,
        const Target& target,
        const ProjectionFacts& facts,
        const ProjectionPlan& plan
    );
    void note(const Target& target, const ProjectionFacts& facts, const ProjectionPlan& plan);
    void failed(const std::string& subject, const SqlError& error);

    boost::asio::any_io_executor executor_;
    SqlPool* pool_;
    std::chrono::milliseconds interval_;
    std::function<RegistryView()> registry_;
    Pace pace_;
    SubjectLogLimit log_limit_{std::chrono::seconds{60}};
    bool running_ = false;
    bool nowait_ = true;  // false once a server did not know the word
    Clock::time_point projected_at_;
    std::unordered_map<std::string, std::string> alarmed_;  // SCHEMA.SKU_ID to what was logged
    ProjectionStatus counts_;
};

}  // namespace proxy
