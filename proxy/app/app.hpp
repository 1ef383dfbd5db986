#pragma once
// The running proxy: owns every part, in the order in which they depend on each other, starts them
// and stops them. The control context (the thread that calls run) carries the listeners, the
// background services and the admin server; each core carries sessions.
//
// Start: read the registry, bring the gate up to date, start services, listen. Nobody is served
// before the registry was read once: without it a hot SKU would silently go to its base row. Stop:
// no new clients; sessions without a transaction end, the others at the end of theirs or at the
// deadline; what is undecided is decided; then everything ends.

#include "proxy/admin/admin_server.hpp"
#include "proxy/admin/metrics.hpp"
#include "proxy/app/core.hpp"
#include "proxy/gate/rebuild_targets.hpp"
#include "proxy/net/listener.hpp"
#include "proxy/services/heartbeat.hpp"
#include "proxy/services/projection.hpp"
#include "proxy/services/rebuild.hpp"
#include "proxy/services/recovery.hpp"
#include "proxy/services/registry_refresh.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>

#include <memory>
#include <vector>

namespace proxy {

class App {
public:
    explicit App(std::shared_ptr<const config::Config> config);
    ~App();

    // Until SIGTERM or SIGINT. The process's exit code.
    int run();

private:
    enum class Stage : std::uint8_t { starting, serving, draining, failed };

    void build_control();
    Task<> start_up();
    bool listen_all();
    Task<> shut_down();
    Task<> wait_for_signals();
    Task<> refresh_registry();
    void accepted(StreamSocket socket);
    bool load_tls();
    [[nodiscard]] Core& least_busy_core();
    [[nodiscard]] std::size_t session_total() const;
    Task<std::vector<bool>> live(std::string key, std::vector<RequestId> ids);
    Task<std::size_t> undecided();

    // admin_binding.cpp
    [[nodiscard]] AdminPorts admin_ports();
    [[nodiscard]] HealthReport health() const;
    [[nodiscard]] BreakerReport breaker_report() const;
    [[nodiscard]] std::vector<SkuReport> sku_reports() const;
    void add_samples(std::vector<MetricSample>& samples) const;
    void add_gate_samples(std::vector<MetricSample>& samples) const;

    std::shared_ptr<const config::Config> config_;
    std::uint32_t incarnation_;
    boost::asio::io_context control_{1};
    MetricsRegistry metrics_;
    LocalGate local_;
    LocalMaintenance local_maintenance_{local_};
    Breaker breaker_;
    std::unique_ptr<SqlPool> control_sql_;
    std::unique_ptr<SqlPool> rebuild_sql_;
    std::unique_ptr<RedisGate> control_redis_;
    std::unique_ptr<RebuildTargets> gates_;
    std::unique_ptr<Rebuilder> rebuilder_;
    std::unique_ptr<Heartbeat> heartbeat_;
    std::unique_ptr<RegistryRefresh> registry_;
    std::unique_ptr<Projection> projection_;
    std::unique_ptr<Recovery> recovery_;
    std::vector<std::unique_ptr<Core>> cores_;
    std::vector<std::unique_ptr<Listener>> listeners_;
    std::unique_ptr<AdminServer> admin_;
    boost::asio::signal_set signals_{control_};
    Core* chosen_core_ = nullptr;
    std::uint64_t next_session_ = 1;
    bool refreshing_ = false;
    Stage stage_ = Stage::starting;
    int exit_code_ = 0;
};

}  // namespace proxy
