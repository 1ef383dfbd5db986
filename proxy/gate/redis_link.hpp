#pragma once
// One pipelined connection to Redis, for one core: a writer that sends whatever has gathered, a
// reader that matches replies by order, a deadline for every call. Everything runs on the core's
// thread. It connects and reconnects by itself; a call made while connecting waits, one made while
// Redis is known to be down, or with a full queue, ends at once as `not_sent`. Every call ends,
// whatever happens, within its deadline.

#include "proxy/gate/link_queue.hpp"
#include "proxy/gate/redis_options.hpp"
#include "proxy/runtime/metrics.hpp"
#include "proxy/runtime/spawn.hpp"

#include <boost/asio/any_io_executor.hpp>

#include <functional>
#include <memory>
#include <string>

namespace proxy {

// Written by the link's core, readable anywhere.
struct LinkCounters {
    Counter calls;
    Counter refused_full;  // queue_length_max reached
    Counter refused_down;  // not connected and not about to be
    Counter timeouts;
    Counter late_replies;  // of calls whose caller had been told `unknown`
    Counter error_replies;
    Counter connects;
    Counter connect_failures;
    Counter script_reloads;
    Gauge queue_length;
    Gauge connected;           // 0 or 1
    LatencyHistogram latency;  // of answered calls
};

class RedisLink {
public:
    // The bucket of a call that came to an unclear end which is only now over: its late reply
    // arrived, or its connection is gone. Called on the core.
    using LateEnd = std::function<void(const std::string& key)>;

    RedisLink(const boost::asio::any_io_executor& executor, RedisOptions options, LateEnd on_late);
    // Stops. Must run on the core's thread, or when its context no longer runs.
    ~RedisLink();
    RedisLink(const RedisLink&) = delete;
    RedisLink& operator=(const RedisLink&) = delete;

    void start();
    // Ends every call and closes the socket; later calls are refused. Idempotent.
    void stop();

    // `key` may be empty: nothing to repair when the end is unclear.
    Task<LinkReply> call(std::string key, std::string bytes);
    // The same without a coroutine. `done` runs once on the core, perhaps before this returns.
    void post(std::string key, std::string bytes, std::function<void(LinkReply)> done);

    [[nodiscard]] bool is_connected() const noexcept;
    [[nodiscard]] std::size_t queue_length() const noexcept;
    [[nodiscard]] const LinkCounters& counters() const noexcept;

    struct Impl;

private:
    std::shared_ptr<Impl> impl_;
};

}  // namespace proxy
