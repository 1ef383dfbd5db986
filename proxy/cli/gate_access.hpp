#pragma once
// The gate's Redis for commands: each call runs a private event loop until its answer is there. One
// thread. False always means "could not be asked"; nothing here retries. A command waits longer
// than a session would: `patience_min` per call, at least.

#include "config/config.hpp"
#include "proxy/gate/gate.hpp"
#include "proxy/gate/redis_link.hpp"

#include <boost/asio/io_context.hpp>

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

namespace proxy {

class GateAccess {
public:
    static constexpr std::chrono::milliseconds patience_min{2000};

    explicit GateAccess(const config::Redis& redis);
    ~GateAccess();
    GateAccess(const GateAccess&) = delete;
    GateAccess& operator=(const GateAccess&) = delete;

    [[nodiscard]] bool ping();
    [[nodiscard]] bool read(const std::string& key, BucketState& state);
    [[nodiscard]] bool remove(const std::string& key);
    // The text of a reply such as INFO's, or the last element of an array such as CONFIG GET's.
    // `error` gets the server's refusal.
    [[nodiscard]] bool text(
        const std::vector<std::string_view>& words, std::string& answer, std::string& error
    );

private:
    LinkReply call(std::string bytes);

    boost::asio::io_context loop_;
    RedisLink link_;
};

}  // namespace proxy
