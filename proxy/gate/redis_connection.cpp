// The connection side of RedisLink: connect, hand shake, read, write, and do it again.
#include "proxy/gate/redis_link_impl.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/connect.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <vector>

namespace proxy {
namespace asio = boost::asio;
using asio::ip::tcp;
using namespace asio::experimental::awaitable_operators;

namespace {

// Kinds for the log limit beside the RedisError values.
constexpr std::size_t connect_failed_kind = 13;
constexpr std::size_t disconnected_kind = 14;

}  // namespace

Task<> RedisLink::Impl::run(std::shared_ptr<Impl> self) {
    auto backoff = self->options.reconnect_min;
    while (self->state != State::stopped) {
        self->state = State::connecting;
        const bool connected = co_await self->connect();
        if (self->state == State::stopped) break;
        if (connected) {
            const auto since = Clock::now();
            self->state = State::connected;
            self->counters.connects.add();
            self->counters.connected.add();
            co_await (self->read_replies() || self->write_calls());
            self->counters.connected.subtract();
            self->disconnect();
            if (self->state == State::stopped) break;
            if (Clock::now() - since >= self->options.reconnect_max) {
                // It lived: most likely a restart, so try at once; calls may wait for it.
                backoff = self->options.reconnect_min;
                continue;
            }
        } else {
            self->counters.connect_failures.add();
            self->disconnect();
        }
        self->state = State::down;
        self->queue.refuse_waiting(Clock::now());
        self->note_length();
        co_await self->pause(backoff);
        backoff = std::min(backoff * 2, self->options.reconnect_max);
    }
}

Task<bool> RedisLink::Impl::connect() {
    reader = RespReader();
    const auto result = co_await (attempt() || pause(options.connect_timeout));
    if (result.index() == 0) co_return std::get<0>(result);
    const auto held_back = log_limit.admit(connect_failed_kind, Clock::now());
    if (held_back && state != State::stopped) {
        spdlog::warn(
            "event=redis_connect_failed host={} port={} error=\"no connection within {} ms\" "
            "held_back={}",
            options.host,
            options.port,
            options.connect_timeout.count(),
            *held_back
        );
    }
    co_return false;
}

Task<bool> RedisLink::Impl::attempt() {
    // GCC-12: `if (!co_await ...)` ends in a trap when built with -fsanitize=undefined.
    const bool open = co_await open_socket();
    if (!open) co_return false;
    const bool ready = co_await handshake();
    co_return ready;
}

Task<bool> RedisLink::Impl::open_socket() {
    boost::system::error_code error;
    std::vector<tcp::endpoint> addresses;
    const auto literal = asio::ip::make_address(options.host, error);
    if (!error) {
        addresses.emplace_back(literal, options.port);
    } else {
        auto [resolve_error, found] = co_await resolver.async_resolve(
            options.host, std::to_string(options.port), asio::as_tuple(asio::use_awaitable)
        );
        error = resolve_error;
        for (const auto& entry : found) addresses.push_back(entry.endpoint());
    }
    if (!error) {
        auto [connect_error, end_point] =
            co_await asio::async_connect(socket, addresses, asio::as_tuple(asio::use_awaitable));
        error = connect_error;
    }
    if (error) {
        const auto held_back = log_limit.admit(connect_failed_kind, Clock::now());
        if (held_back && error != asio::error::operation_aborted) {
            spdlog::warn(
                "event=redis_connect_failed host={} port={} error=\"{}\" held_back={}",
                options.host,
                options.port,
                error.message(),
                *held_back
            );
        }
        co_return false;
    }
    boost::system::error_code ignored;
    socket.set_option(tcp::no_delay(true), ignored);
    socket.set_option(asio::socket_base::keep_alive(true), ignored);
    co_return true;
}

Task<bool> RedisLink::Impl::handshake() {
    auto commands = handshake_commands(options);
    std::string bytes;
    for (const auto& command : commands) bytes += command.bytes;
    auto [error, written] = co_await asio::async_write(
        socket, asio::buffer(bytes), asio::as_tuple(asio::use_awaitable)
    );
    if (error) co_return false;
    const bool ready = co_await read_handshake(std::move(commands));
    co_return ready;
}

Task<bool> RedisLink::Impl::read_handshake(std::vector<HandshakeCommand> commands) {
    std::size_t next = 0;
    while (next < commands.size()) {
        auto [error, length] = co_await socket.async_read_some(
            asio::buffer(read_buffer), asio::as_tuple(asio::use_awaitable)
        );
        if (error) co_return false;
        reader.feed(std::string_view(read_buffer.data(), length));
        while (next < commands.size()) {
            const RespReply reply = reader.next();
            if (!reply) break;
            const auto problem = judge_handshake(commands[next], reply.value());
            ++next;
            if (!problem) continue;
            log_error(problem->error, problem->what);
            if (problem->fatal) co_return false;
        }
        if (reader.is_broken()) co_return false;
    }
    co_return true;
}

Task<> RedisLink::Impl::pause(std::chrono::milliseconds duration) {
    if (state == State::stopped) co_return;
    pause_timer.expires_after(duration);
    co_await pause_timer.async_wait(asio::as_tuple(asio::use_awaitable));
}

Task<> RedisLink::Impl::read_replies() {
    for (;;) {
        auto [error, length] = co_await socket.async_read_some(
            asio::buffer(read_buffer), asio::as_tuple(asio::use_awaitable)
        );
        if (error || state != State::connected) co_return;
        reader.feed(std::string_view(read_buffer.data(), length));
        const auto now = Clock::now();
        for (RespReply reply = reader.next(); reply; reply = reader.next()) {
            on_reply(std::move(reply), now);
            // A waiter may have stopped the link, or the reply was nobody's.
            if (state != State::connected || !socket.is_open()) co_return;
        }
        note_length();
        if (reader.is_broken()) {
            spdlog::error(
                "event=redis_protocol host={} port={} error=\"not a reply of Redis\"",
                options.host,
                options.port
            );
            co_return;
        }
    }
}

Task<> RedisLink::Impl::write_calls() {
    write_buffer.clear();
    for (;;) {
        while (!queue.has_waiting()) {
            if (state != State::connected) co_return;
            writer_idle = true;
            co_await wake_writer.wait();
            writer_idle = false;
        }
        const auto now = Clock::now();
        queue.stage(write_buffer, now);
        arm_for(now + options.stall_timeout);
        auto [error, written] = co_await asio::async_write(
            socket, asio::buffer(write_buffer), asio::as_tuple(asio::use_awaitable)
        );
        if (error || state != State::connected) co_return;
        write_buffer.clear();
    }
}

void RedisLink::Impl::disconnect() {
    boost::system::error_code ignored;
    socket.close(ignored);
    writer_idle = false;
    reloads_pending = 0;
    if (state == State::connected) {
        const auto held_back = log_limit.admit(disconnected_kind, Clock::now());
        if (held_back) {
            spdlog::warn(
                "event=redis_disconnected host={} port={} calls_in_flight={} held_back={}",
                options.host,
                options.port,
                queue.length(),
                *held_back
            );
        }
    }
    for (const auto& key : queue.lose_written(Clock::now())) {
        if (on_late) on_late(key);
    }
    note_length();
    arm();  // calls that wait for the next connection have deadlines too
}

}  // namespace proxy
