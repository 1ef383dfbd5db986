#include "proxy/app/app.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <spdlog/spdlog.h>

#include <csignal>
#include <random>
#include <thread>

namespace proxy {

namespace asio = boost::asio;

namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds start_retry{500};
constexpr std::chrono::milliseconds drain_poll{20};
// After the drain deadline: for sessions to close and for what is undecided to be decided.
constexpr std::chrono::seconds settle_deadline{5};
constexpr std::chrono::milliseconds recovery_interval{100};
constexpr std::size_t control_pool_size = 4;
constexpr std::size_t rebuild_pool_size = 8;

unsigned core_count(const config::Config& config) {
    return config.threads != 0 ? config.threads : std::max(1U, std::thread::hardware_concurrency());
}

std::uint32_t new_incarnation() {
    std::random_device device;
    return static_cast<std::uint32_t>(device());
}

Task<> pause(const asio::any_io_executor& executor, Clock::duration duration) {
    asio::steady_timer timer{executor, duration};
    co_await timer.async_wait(asio::as_tuple(asio::use_awaitable));
}

}  // namespace

App::App(std::shared_ptr<const config::Config> config)
    : config_(std::move(config)),
      incarnation_(new_incarnation()),
      metrics_(core_count(*config_) + 1, STOCKGATE_VERSION),
      breaker_(config_->breaker, [this] { local_.clear(); }) {
    build_control();
    for (unsigned i = 0; i < core_count(*config_); ++i) {
        CoreParts parts;
        parts.config = config_;
        parts.incarnation = incarnation_;
        parts.metrics = &metrics_.shard(i);
        parts.local = &local_;
        parts.breaker = &breaker_;
        parts.dirty = rebuilder_.get();
        parts.refresh_registry = [this] {
            asio::post(control_, [this] {
                if (refreshing_) return;
                refreshing_ = true;
                auto task = refresh_registry();
                spawn(control_.get_executor(), "registry_refresh_now", std::move(task));
            });
        };
        cores_.push_back(std::make_unique<Core>(i, std::move(parts)));
    }
    metrics_.add_source([this](std::vector<MetricSample>& samples) { add_samples(samples); });
}

App::~App() = default;

void App::build_control() {
    const asio::any_io_executor control = control_.get_executor();
    control_sql_ = std::make_unique<SqlPool>(control, ledger_account(*config_), control_pool_size);
    rebuild_sql_ = std::make_unique<SqlPool>(control, ledger_account(*config_), rebuild_pool_size);

    RebuildHooks rebuild;
    rebuild.gates = [this] { return gates_->now(); };
    rebuild.live = [this](std::string key, std::vector<RequestId> ids) {
        return live(std::move(key), std::move(ids));
    };
    rebuild.registry = [this] { return registry_->current(); };
    rebuilder_ = std::make_unique<Rebuilder>(
        control, *rebuild_sql_, incarnation_, std::move(rebuild), RebuildLimits{}
    );

    HeartbeatHooks heartbeat;
    heartbeat.rebuild = [this](const std::string& schema) { rebuilder_->mark_schema(schema); };
    heartbeat_ = std::make_unique<Heartbeat>(
        control,
        *control_sql_,
        incarnation_,
        config_->instance,
        std::move(heartbeat),
        HeartbeatLimits{}
    );

    RegistryHooks registry;
    registry.announce = [this](std::vector<std::string> schemas) {
        return heartbeat_->announce(std::move(schemas));
    };
    registry.publish = [this](RegistryView view, const std::vector<std::string>& changed) {
        for (const auto& core : cores_) core->set_registry(view);
        for (const auto& sku : changed) rebuilder_->mark_sku(sku);
    };
    registry_ = std::make_unique<RegistryRefresh>(
        control, *control_sql_, config_->background.registry_refresh, std::move(registry)
    );
    projection_ = std::make_unique<Projection>(
        control,
        *control_sql_,
        config_->background.projection,
        [this] { return registry_->current(); }
    );

    if (config_->gate.kind == config::GateKind::redis) {
        auto options = redis_options(config_->gate.redis);
        options.check_policy = true;
        control_redis_ = std::make_unique<RedisGate>(control, std::move(options), *rebuilder_);
        recovery_ = std::make_unique<Recovery>(
            control, breaker_, *control_redis_, *rebuilder_, recovery_interval
        );
    }
    gates_ = std::make_unique<RebuildTargets>(control_redis_.get(), local_maintenance_, breaker_);
}

// Reads the certificates and hands them to the cores. What cannot be used is logged, and the former
// ones stay.
bool App::load_tls() {
    TlsContexts contexts;
    std::string wrong;
    if (config_->client.tls.mode != config::ClientTls::Mode::off) {
        auto loaded = TlsContext::load_server(config_->client.tls);
        contexts.client = std::move(loaded.context);
        if (!loaded.wrong.empty()) wrong = "key=client.tls error=\"" + loaded.wrong + '"';
    }
    auto loaded = TlsContext::load_client(config_->backend.tls, config_->backend.address.host);
    contexts.backend = std::move(loaded.context);
    if (!loaded.wrong.empty()) wrong = "key=backend.tls error=\"" + loaded.wrong + '"';
    if (!wrong.empty()) {
        spdlog::critical("event=tls_unusable {}", wrong);
        return false;
    }
    for (const auto& core : cores_) core->set_tls(contexts);
    return true;
}

int App::run() {
    if (!load_tls()) return 1;
    signals_.add(SIGTERM);
    signals_.add(SIGINT);
    signals_.add(SIGHUP);
    std::signal(SIGPIPE, SIG_IGN);
    auto waiting = wait_for_signals();
    spawn(control_.get_executor(), "signals", std::move(waiting));
    for (const auto& core : cores_) core->start();
    auto starting = start_up();
    spawn(control_.get_executor(), "start_up", std::move(starting));
    const auto work = asio::make_work_guard(control_);
    control_.run();
    for (const auto& core : cores_) core->stop();
    return exit_code_;
}

Task<> App::start_up() {
    const asio::any_io_executor control = control_.get_executor();
    if (control_redis_) control_redis_->start();
    admin_ = std::make_unique<AdminServer>(control, admin_ports());
    const auto port = admin_->listen(config_->admin.address);
    if (!port) {
        spdlog::critical(
            "event=listen_failed key=admin.address address={} error=\"{}\"",
            config::to_string(config_->admin.address),
            port.error().message()
        );
        exit_code_ = 1;
        control_.stop();
        co_return;
    }
    if (!config_->ledger.user.empty()) {
        bool is_read = co_await registry_->refresh_now();
        while (!is_read) {
            spdlog::warn(
                "event=registry_unreadable action=retry error=\"{}\"",
                registry_->status().last_error
            );
            co_await pause(control, start_retry);
            if (stage_ != Stage::starting) co_return;
            is_read = co_await registry_->refresh_now();
        }
        heartbeat_->start();
        rebuilder_->start();
        if (recovery_) {
            co_await recovery_->begin();
            recovery_->start();
        }
        registry_->start();
        projection_->start();
    }
    if (stage_ != Stage::starting) co_return;
    if (!listen_all()) {
        exit_code_ = 1;
        control_.stop();
        co_return;
    }
    stage_ = Stage::serving;
}

bool App::listen_all() {
    for (const auto& address : config_->listen) {
        ListenerHooks hooks;
        hooks.choose_loop = [this]() -> asio::io_context& {
            chosen_core_ = &least_busy_core();
            return chosen_core_->io();
        };
        hooks.accepted = [this](StreamSocket socket) { accepted(std::move(socket)); };
        auto listener = std::make_unique<Listener>(control_.get_executor(), std::move(hooks));
        const std::string wrong = listener->listen(address);
        if (!wrong.empty()) {
            spdlog::critical(
                "event=listen_failed key=listen address={} error=\"{}\"",
                config::to_string(address),
                wrong
            );
            return false;
        }
        auto bound = address;
        if (!bound.is_unix()) bound.port = listener->port();
        spdlog::info(
            "event=listening address={} backend={} cores={}",
            config::to_string(bound),
            config::to_string(config_->backend.address),
            cores_.size()
        );
        listeners_.push_back(std::move(listener));
    }
    return true;
}

Core& App::least_busy_core() {
    return **std::min_element(cores_.begin(), cores_.end(), [](const auto& a, const auto& b) {
        return a->session_count() < b->session_count();
    });
}

std::size_t App::session_total() const {
    std::size_t total = 0;
    for (const auto& core : cores_) total += core->session_count();
    return total;
}

void App::accepted(StreamSocket socket) {
    // The socket was opened on the loop that choose_loop named; several listeners share it one at a
    // time.
    Core* core = nullptr;
    for (const auto& candidate : cores_) {
        if (&candidate->io() ==
            &socket.get_executor().target<asio::io_context::executor_type>()->context()) {
            core = candidate.get();
        }
    }
    if (core == nullptr) return;
    if (session_total() >= config_->limits.connections_max) {
        metrics_.shard(cores_.size()).sessions_refused.add();
        const OwnError refusal = replies::too_many_connections();
        std::vector<std::uint8_t> packet;
        protocol::ErrPacket err;
        err.code = refusal.code;
        err.sql_state = refusal.sql_state;
        err.message = refusal.message;
        protocol::Capabilities caps;
        caps.flags = protocol::capability::protocol_41;
        protocol::encode_err(packet, 0, err, caps);
        // A fresh socket's buffer takes this much at once; whatever happens, it is closed.
        boost::system::error_code ignored;
        socket.non_blocking(true, ignored);
        socket.write_some(asio::buffer(packet), ignored);
        socket.shutdown(StreamSocket::shutdown_send, ignored);
        return;
    }
    core->adopt(std::move(socket), next_session_++);
}

Task<> App::refresh_registry() {
    co_await registry_->refresh_now();
    refreshing_ = false;
}

// Asks every core which of these ids its sessions or its judge still hold.
Task<std::vector<bool>> App::live(std::string key, std::vector<RequestId> ids) {
    struct Answers {
        explicit Answers(const asio::any_io_executor& executor) : changed(executor) {}
        std::vector<bool> live;
        std::size_t missing = 0;
        Event changed;
    };
    const auto answers = std::make_shared<Answers>(control_.get_executor());
    const auto asked = std::make_shared<const std::vector<RequestId>>(std::move(ids));
    answers->live.resize(asked->size());
    answers->missing = cores_.size();
    for (const auto& core : cores_) {
        asio::post(core->io(), [this, core = core.get(), key, asked, answers] {
            std::vector<bool> found(asked->size());
            for (std::size_t i = 0; i < asked->size(); ++i)
                found[i] = core->gate().is_live(key, (*asked)[i]);
            asio::post(control_, [answers, found = std::move(found)] {
                for (std::size_t i = 0; i < found.size(); ++i) {
                    if (found[i]) answers->live[i] = true;
                }
                --answers->missing;
                answers->changed.notify();
            });
        });
    }
    while (answers->missing > 0) co_await answers->changed.wait();
    co_return answers->live;
}

// Reservations that the judges of all cores have not decided yet.
Task<std::size_t> App::undecided() {
    struct Answers {
        explicit Answers(const asio::any_io_executor& executor) : changed(executor) {}
        std::size_t total = 0;
        std::size_t missing = 0;
        Event changed;
    };
    const auto answers = std::make_shared<Answers>(control_.get_executor());
    answers->missing = cores_.size();
    for (const auto& core : cores_) {
        asio::post(core->io(), [this, core = core.get(), answers] {
            const std::size_t waiting = core->judge().waiting();
            asio::post(control_, [answers, waiting] {
                answers->total += waiting;
                --answers->missing;
                answers->changed.notify();
            });
        });
    }
    while (answers->missing > 0) co_await answers->changed.wait();
    co_return answers->total;
}

Task<> App::wait_for_signals() {
    int number = SIGHUP;
    while (number == SIGHUP) {
        const auto [error, received] =
            co_await signals_.async_wait(asio::as_tuple(asio::use_awaitable));
        if (error) co_return;
        number = received;
        if (number == SIGHUP && load_tls()) spdlog::info("event=certificates_reloaded");
    }
    spdlog::info("event=shutdown signal={}", number);
    stage_ = Stage::draining;
    co_await shut_down();
    control_.stop();
}

Task<> App::shut_down() {
    const asio::any_io_executor control = control_.get_executor();
    for (const auto& listener : listeners_) listener->stop();
    for (const auto& core : cores_) core->drain_sessions();
    auto deadline = Clock::now() + config_->limits.drain_timeout;
    while (session_total() > 0 && Clock::now() < deadline) co_await pause(control, drain_poll);
    if (session_total() > 0) {
        spdlog::warn("event=drain_deadline sessions={}", session_total());
        for (const auto& core : cores_) core->abort_sessions();
    }
    deadline = Clock::now() + settle_deadline;
    std::size_t open = co_await undecided();
    while ((session_total() > 0 || open > 0) && Clock::now() < deadline) {
        co_await pause(control, drain_poll);
        open = co_await undecided();
    }
    // What is still undecided is decided by the next rebuild of its bucket, here or in another
    // proxy: our heartbeat row stays, and its silence tells them.
    if (open == 0 && session_total() == 0 && stage_ == Stage::draining)
        co_await heartbeat_->withdraw();
    if (admin_) admin_->stop();
    spdlog::info("event=stopped sessions_left={} undecided={}", session_total(), open);
}

}  // namespace proxy
