#pragma once
// The inside of RedisLink, shared by redis_link.cpp (calls and deadlines) and redis_connection.cpp
// (connect, reader, writer). Held by the link and by its running tasks, so that a link may be
// destroyed at any moment on its core: the tasks then end at their next step. Not for other files.

#include "proxy/gate/log_limit.hpp"
#include "proxy/gate/redis_error.hpp"
#include "proxy/gate/redis_handshake.hpp"
#include "proxy/gate/redis_link.hpp"
#include "proxy/runtime/event.hpp"

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>

#include <array>

namespace proxy {

struct RedisLink::Impl : std::enable_shared_from_this<RedisLink::Impl> {
    using Clock = std::chrono::steady_clock;
    enum class State : std::uint8_t {
        connecting,  // calls wait
        connected,
        down,  // the last attempt failed, or the connection did not live long: calls are refused
        stopped,
    };

    Impl(const boost::asio::any_io_executor& executor, RedisOptions given, LateEnd late);

    // redis_link.cpp
    void submit(LinkQueue::Call call);
    void arm_for(Clock::time_point time);
    void arm();
    void on_deadline();
    void on_reply(RespReply reply, Clock::time_point now);
    void reload_scripts();
    void note_length();
    void log_error(RedisError error, std::string_view detail);
    void stop();

    // redis_connection.cpp. `run` owns a share of the link; the others run inside it.
    static Task<> run(std::shared_ptr<Impl> self);
    Task<bool> connect();
    Task<bool> attempt();
    Task<bool> open_socket();
    Task<bool> handshake();
    Task<bool> read_handshake(std::vector<HandshakeCommand> commands);
    Task<> pause(std::chrono::milliseconds duration);
    Task<> read_replies();
    Task<> write_calls();
    void disconnect();

    boost::asio::any_io_executor executor;
    RedisOptions options;
    LateEnd on_late;
    LinkQueue queue;
    LinkCounters counters;
    LogLimit log_limit{std::chrono::milliseconds(5000)};
    State state = State::connecting;
    bool started = false;
    bool writer_idle = false;
    bool deadline_armed = false;
    Clock::time_point armed_for{};
    std::size_t reloads_pending = 0;

    boost::asio::ip::tcp::socket socket;
    boost::asio::ip::tcp::resolver resolver;
    boost::asio::steady_timer deadline_timer;
    boost::asio::steady_timer pause_timer;
    Event wake_writer;
    RespReader reader;
    std::string write_buffer;
    std::array<char, 16384> read_buffer{};
};

}  // namespace proxy
