#include "proxy/app/core.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>

namespace proxy {

namespace asio = boost::asio;

namespace {
constexpr std::chrono::milliseconds watch_interval{500};
}  // namespace

SqlAccount ledger_account(const config::Config& config) {
    SqlAccount account = backend_account(config.backend);
    account.user = config.ledger.user;
    account.password = config.ledger.password.reveal();
    account.timeout = config.ledger.timeout;
    return account;
}

RedisOptions redis_options(const config::Redis& redis) {
    RedisOptions options;
    options.host = redis.address.host;
    options.port = redis.address.port;
    options.username = redis.username;
    options.password = redis.password;
    options.database = redis.database;
    options.timeout = redis.timeout;
    options.connect_timeout = redis.connect_timeout;
    options.queue_length_max = redis.queue_length_max;
    return options;
}

Core::Core(unsigned index, CoreParts parts) {
    const asio::any_io_executor executor = loop_.io().get_executor();
    const auto& config = *parts.config;
    context_.index = index;
    context_.executor = executor;
    context_.config = parts.config;
    context_.passable = protocol::passable_capabilities();
    for (const std::string& name : config.client.mask) {
        const auto withheld = protocol::capability_named(name);
        context_.passable.flags &= ~withheld.flags;
        context_.passable.mariadb_flags &= ~withheld.mariadb_flags;
    }
    context_.metrics = parts.metrics;
    context_.ids = RequestIdGenerator{parts.incarnation, static_cast<std::uint16_t>(index)};
    context_.random.seed(parts.incarnation + index);
    context_.refresh_registry = std::move(parts.refresh_registry);
    DirtyBuckets* dirty = parts.dirty;
    context_.mark_dirty = [dirty](const std::string& key) { dirty->mark(key); };
    context_.registry = std::make_shared<Registry>();
    sql_ = std::make_unique<SqlPool>(executor, ledger_account(config), config.ledger.pool_size);
    if (config.gate.kind == config::GateKind::redis) {
        redis_ = std::make_unique<RedisGate>(executor, redis_options(config.gate.redis), *dirty);
    }
    GateSwitchParts gate;
    gate.remote = redis_.get();
    gate.local = parts.local;
    gate.breaker = parts.breaker;
    gate.dirty = dirty;
    gate.on_missing = [dirty](const std::string& key) { dirty->mark(key); };
    gate_ = std::make_unique<GateSwitch>(std::move(gate));
    judge_ = std::make_unique<Judge>(executor, *sql_, *gate_);
    context_.gate = gate_.get();
    context_.sql = sql_.get();
    context_.judge = judge_.get();
}

void Core::start() {
    if (redis_) redis_->start();
    auto watch = watch_sessions();
    spawn(loop_.io().get_executor(), "session_watch", std::move(watch));
    loop_.start();
}

void Core::stop() {
    loop_.stop();
    loop_.join();
}

void Core::set_registry(RegistryView registry) {
    asio::post(loop_.io(), [this, registry = std::move(registry)] {
        context_.registry = registry;
    });
}

void Core::adopt(StreamSocket socket, std::uint64_t number) {
    session_count_.fetch_add(1);
    auto session = std::make_shared<Session>(context_, std::move(socket), number);
    asio::post(loop_.io(), [this, session] {
        sessions_.emplace(session->number(), session);
        auto task = run_session(session);
        spawn(loop_.io().get_executor(), "session", std::move(task));
    });
}

Task<> Core::run_session(std::shared_ptr<Session> session) {
    co_await session->run();
    sessions_.erase(session->number());
    session_count_.fetch_sub(1);
}

void Core::set_tls(TlsContexts contexts) {
    asio::post(loop_.io(), [this, contexts = std::move(contexts)] {
        context_.client_tls = contexts.client;
        context_.backend_tls = contexts.backend;
    });
}

// One timer for all sessions' slow timeouts, instead of one that each moves with every command.
Task<> Core::watch_sessions() {
    asio::steady_timer timer{loop_.io()};
    for (;;) {
        timer.expires_after(watch_interval);
        const auto [error] = co_await timer.async_wait(asio::as_tuple(asio::deferred));
        if (error) co_return;
        const auto now = std::chrono::steady_clock::now();
        for (const auto& [number, weak] : sessions_) {
            if (const auto session = weak.lock()) session->on_tick(now);
        }
    }
}

void Core::drain_sessions() {
    asio::post(loop_.io(), [this] {
        for (const auto& [number, weak] : sessions_) {
            if (const auto session = weak.lock()) session->drain();
        }
    });
}

void Core::abort_sessions() {
    asio::post(loop_.io(), [this] {
        for (const auto& [number, weak] : sessions_) {
            if (const auto session = weak.lock()) session->abort();
        }
    });
}

}  // namespace proxy
