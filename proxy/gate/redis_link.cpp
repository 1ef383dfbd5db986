#include "proxy/gate/redis_link.hpp"

#include "lua/scripts.hpp"
#include "proxy/gate/redis_link_impl.hpp"

#include <boost/asio/async_result.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <utility>

namespace proxy {
namespace asio = boost::asio;

namespace {

constexpr std::size_t detail_length_max = 200;

// Resumes a coroutine. Through the loop, not from inside the reader: the coroutine may make calls,
// end its session, or stop the link.
template <class Handler>
class CoroutineWaiter final : public LinkWaiter {
public:
    explicit CoroutineWaiter(Handler handler) : handler_(std::move(handler)) {}
    void finish(LinkReply reply) override {
        const auto executor = asio::get_associated_executor(handler_);
        asio::post(executor, [handler = std::move(handler_), reply = std::move(reply)]() mutable {
            std::move(handler)(std::move(reply));
        });
    }

private:
    Handler handler_;
};

class FunctionWaiter final : public LinkWaiter {
public:
    explicit FunctionWaiter(std::function<void(LinkReply)> done) : done_(std::move(done)) {}
    void finish(LinkReply reply) override {
        if (done_) done_(std::move(reply));
    }

private:
    std::function<void(LinkReply)> done_;
};

struct Submit {
    std::shared_ptr<RedisLink::Impl> impl;
    template <class Handler>
    void operator()(Handler&& handler, std::string key, std::string bytes) const {
        LinkQueue::Call call;
        call.key = std::move(key);
        call.bytes = std::move(bytes);
        call.waiter =
            std::make_unique<CoroutineWaiter<std::decay_t<Handler>>>(std::forward<Handler>(handler)
            );
        impl->submit(std::move(call));
    }
};

}  // namespace

RedisLink::Impl::Impl(const asio::any_io_executor& given_executor, RedisOptions given, LateEnd late)
    : executor(given_executor),
      options(std::move(given)),
      on_late(std::move(late)),
      queue(options.queue_length_max),
      socket(executor),
      resolver(executor),
      deadline_timer(executor),
      pause_timer(executor),
      wake_writer(executor) {}

void RedisLink::Impl::submit(LinkQueue::Call call) {
    const auto now = Clock::now();
    call.started = now;
    call.deadline = now + options.timeout;
    counters.calls.add();
    if (state == State::down || state == State::stopped) {
        counters.refused_down.add();
        call.finish(LinkOutcome::not_sent, {}, now);
        return;
    }
    const auto deadline = call.deadline;
    if (!queue.push(call)) {
        counters.refused_full.add();
        call.finish(LinkOutcome::not_sent, {}, now);
        return;
    }
    note_length();
    arm_for(deadline);
    if (writer_idle) wake_writer.notify();
}

// One timer for all deadlines. It is not moved when calls end in time, so it fires about once per
// timeout while there are calls, and each time looks for what is really late.
void RedisLink::Impl::arm_for(Clock::time_point time) {
    if (state == State::stopped) return;
    if (deadline_armed && armed_for <= time) return;
    deadline_armed = true;
    armed_for = time;
    // Cancels the wait for a later time, which ends as aborted.
    deadline_timer.expires_at(time);
    deadline_timer.async_wait([self = shared_from_this()](const boost::system::error_code& error) {
        if (error || self->state == State::stopped) return;
        self->deadline_armed = false;
        self->on_deadline();
    });
}

void RedisLink::Impl::arm() {
    if (const auto next = queue.next_deadline()) arm_for(*next);
    if (const auto written = queue.oldest_written()) arm_for(*written + options.stall_timeout);
}

void RedisLink::Impl::on_deadline() {
    const auto now = Clock::now();
    const auto given_up = queue.expire(now);
    counters.timeouts.add(given_up);
    note_length();
    const auto written = queue.oldest_written();
    if (state == State::connected && written && *written + options.stall_timeout <= now) {
        spdlog::warn(
            "event=redis_stalled host={} port={} owed_ms={} calls={}",
            options.host,
            options.port,
            std::chrono::duration_cast<std::chrono::milliseconds>(now - *written).count(),
            queue.length()
        );
        boost::system::error_code ignored;
        socket.close(ignored);  // the reader notices
    }
    // The stall limit alone would re-arm in the past until the reader has run.
    if (state != State::connected || socket.is_open()) arm();
}

void RedisLink::Impl::on_reply(RespReply reply, Clock::time_point now) {
    auto call = queue.take_answered();
    if (!call) {
        spdlog::error(
            "event=redis_protocol host={} port={} error=\"a reply that nobody asked for\"",
            options.host,
            options.port
        );
        boost::system::error_code ignored;
        socket.close(ignored);
        return;
    }
    if (call->abandoned) {
        counters.late_replies.add();
        if (on_late && !call->key.empty()) on_late(call->key);
        return;
    }
    if (reply.value().kind() == RespKind::error) {
        const auto error = classify_redis_error(reply.value().text());
        // Not run, so it may be sent once more, behind the scripts.
        if (error == RedisError::no_script && call->waiter && !call->retried) {
            reload_scripts();
            call->retried = true;
            queue.push_admitted(std::move(*call));
            if (writer_idle) wake_writer.notify();
            return;
        }
        counters.error_replies.add();
        log_error(error, reply.value().text());
    }
    if (!call->waiter) {
        if (reloads_pending > 0) --reloads_pending;
        return;
    }
    counters.latency.record(now - call->started);
    call->finish(LinkOutcome::answered, std::move(reply), now);
}

void RedisLink::Impl::reload_scripts() {
    if (reloads_pending > 0) return;
    counters.script_reloads.add();
    spdlog::warn("event=redis_noscript host={} port={} action=reload", options.host, options.port);
    for (const auto* script : lua::all()) {
        LinkQueue::Call call;
        call.bytes = encode_load(*script);
        queue.push_admitted(std::move(call));
        ++reloads_pending;
    }
}

void RedisLink::Impl::note_length() {
    const auto length = static_cast<std::int64_t>(queue.length());
    counters.queue_length.add(length - counters.queue_length.value());
}

void RedisLink::Impl::log_error(RedisError error, std::string_view detail) {
    const auto held_back = log_limit.admit(static_cast<std::size_t>(error), Clock::now());
    if (!held_back) return;
    spdlog::warn(
        "event=redis_error host={} port={} class={} hint=\"{}\" detail=\"{}\" held_back={}",
        options.host,
        options.port,
        redis_error_name(error),
        redis_error_hint(error),
        detail.substr(0, detail_length_max),
        *held_back
    );
}

void RedisLink::Impl::stop() {
    if (state == State::stopped) return;
    state = State::stopped;
    boost::system::error_code ignored;
    socket.close(ignored);
    resolver.cancel();
    deadline_timer.cancel();
    pause_timer.cancel();
    wake_writer.notify();
    const auto now = Clock::now();
    for (const auto& key : queue.lose_written(now)) {
        if (on_late) on_late(key);
    }
    queue.refuse_waiting(now);
    note_length();
    on_late = nullptr;
}

RedisLink::RedisLink(const asio::any_io_executor& executor, RedisOptions options, LateEnd on_late)
    : impl_(std::make_shared<Impl>(executor, std::move(options), std::move(on_late))) {}

RedisLink::~RedisLink() {
    stop();
}

void RedisLink::start() {
    if (impl_->started || impl_->state == Impl::State::stopped) return;
    impl_->started = true;
    auto task = Impl::run(impl_);
    spawn(impl_->executor, "redis_link", std::move(task));
}

void RedisLink::stop() {
    impl_->stop();
}

Task<LinkReply> RedisLink::call(std::string key, std::string bytes) {
    // Not a coroutine itself, so that no temporary lives across a suspension (GCC-12).
    return asio::async_initiate<const asio::use_awaitable_t<>&, void(LinkReply)>(
        Submit{impl_}, asio::use_awaitable, std::move(key), std::move(bytes)
    );
}

void RedisLink::post(std::string key, std::string bytes, std::function<void(LinkReply)> done) {
    LinkQueue::Call call;
    call.key = std::move(key);
    call.bytes = std::move(bytes);
    call.waiter = std::make_unique<FunctionWaiter>(std::move(done));
    impl_->submit(std::move(call));
}

bool RedisLink::is_connected() const noexcept {
    return impl_->state == Impl::State::connected;
}

std::size_t RedisLink::queue_length() const noexcept {
    return impl_->queue.length();
}

const LinkCounters& RedisLink::counters() const noexcept {
    return impl_->counters;
}

}  // namespace proxy
