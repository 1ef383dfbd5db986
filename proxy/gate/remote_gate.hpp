#pragma once
// A gate in another process, as the switch sees it: not only what the bucket answered but how the
// call ended, because the breaker, the live set and the dirty marks need to know. Implemented by
// RedisGate, and by scripted fakes in tests. One per core, used on its thread only.

#include "proxy/gate/gate_codec.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

namespace proxy {

enum class CallEnd : std::uint8_t {
    answered,
    not_sent,  // it never left: nothing changed
    refused,   // an error reply (replica, out of memory, ...): nothing changed
    unknown,   // it may have run, or may run yet
};

struct RemoteReply {
    CallEnd end = CallEnd::not_sent;
    BucketReply bucket;  // valid when answered
    std::chrono::microseconds duration{0};
};

class RemoteGate {
public:
    using Done = std::function<void(const RemoteReply&)>;
    virtual ~RemoteGate() = default;

    virtual Task<RemoteReply> reserve(
        const std::string& key, const RequestId& id, std::int64_t units, bool forced
    ) = 0;
    // `done` runs once, on the core, perhaps before the call returns.
    virtual void settle(const std::string& key, const RequestId& id, Done done) = 0;
    virtual void release(const std::string& key, const RequestId& id, Done done) = 0;
    virtual void credit(const std::string& key, std::int64_t units, Done done) = 0;
};

}  // namespace proxy
