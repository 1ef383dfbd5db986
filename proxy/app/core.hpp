#pragma once
// One worker: an event loop, and everything its sessions share without locks (gate link, ledger
// pool, judge, request ids). Owned by App. Built and destroyed on the control thread while the loop
// does not run; everything else happens on the loop.

#include "proxy/gate/gate_switch.hpp"
#include "proxy/gate/redis_gate.hpp"
#include "proxy/ledger/judge.hpp"
#include "proxy/runtime/event_loop.hpp"
#include "proxy/session/core_context.hpp"
#include "proxy/session/session.hpp"
#include "proxy/sql/sql_pool.hpp"

#include <atomic>
#include <memory>
#include <unordered_map>

namespace proxy {

// What sessions secure their two sides with.
struct TlsContexts {
    std::shared_ptr<const TlsContext> client;
    std::shared_ptr<const TlsContext> backend;
};

struct CoreParts {
    std::shared_ptr<const config::Config> config;
    std::uint32_t incarnation = 0;
    SessionMetrics* metrics = nullptr;
    LocalGate* local = nullptr;
    Breaker* breaker = nullptr;
    DirtyBuckets* dirty = nullptr;
    std::function<void()> refresh_registry;
};

class Core {
public:
    Core(unsigned index, CoreParts parts);

    void start();
    void stop();
    [[nodiscard]] boost::asio::io_context& io() noexcept { return loop_.io(); }

    // Any thread.
    void set_registry(RegistryView registry);
    void adopt(StreamSocket socket, std::uint64_t number);
    // Sessions that begin from now on use these.
    void set_tls(TlsContexts contexts);
    void drain_sessions();
    void abort_sessions();
    [[nodiscard]] std::size_t session_count() const noexcept { return session_count_.load(); }

    // On the loop.
    [[nodiscard]] GateSwitch& gate() noexcept { return *gate_; }
    [[nodiscard]] Judge& judge() noexcept { return *judge_; }

    // Thread-safe figures for metrics; the counters are relaxed atomics.
    [[nodiscard]] const GateCounters& gate_counters() const noexcept { return gate_->counters(); }
    [[nodiscard]] const LinkCounters* link_counters() const noexcept {
        return redis_ ? &redis_->link().counters() : nullptr;
    }

private:
    Task<> run_session(std::shared_ptr<Session> session);
    Task<> watch_sessions();

    EventLoop loop_;
    CoreContext context_;
    std::unique_ptr<SqlPool> sql_;
    std::unique_ptr<RedisGate> redis_;
    std::unique_ptr<GateSwitch> gate_;
    std::unique_ptr<Judge> judge_;
    std::unordered_map<std::uint64_t, std::weak_ptr<Session>> sessions_;
    std::atomic<std::size_t> session_count_{0};
};

[[nodiscard]] SqlAccount ledger_account(const config::Config& config);
[[nodiscard]] RedisOptions redis_options(const config::Redis& redis);

}  // namespace proxy
