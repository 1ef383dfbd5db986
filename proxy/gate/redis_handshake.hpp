#pragma once
// The first exchange on a new Redis connection: AUTH, SELECT, SCRIPT LOAD of every script and, on
// request, a look at the eviction policy. Pure: builds the commands and judges the replies; the
// link does the I/O. No message made here contains what was sent.

#include "proxy/gate/redis_error.hpp"
#include "proxy/gate/redis_options.hpp"
#include "proxy/gate/resp.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace lua {
struct Script;
}

namespace proxy {

enum class HandshakeStep : std::uint8_t { auth, select, load_script, memory_policy };

struct HandshakeCommand {
    HandshakeStep step = HandshakeStep::auth;
    const lua::Script* script = nullptr;  // of load_script
    std::string bytes;
};

[[nodiscard]] std::vector<HandshakeCommand> handshake_commands(const RedisOptions& options);
[[nodiscard]] std::string encode_load(const lua::Script& script);

struct HandshakeProblem {
    RedisError error = RedisError::other;
    std::string what;   // one sentence for the log, no secrets
    bool fatal = true;  // false: worth a warning, the connection works
};

// Nothing: the reply is as it should be.
[[nodiscard]] std::optional<HandshakeProblem> judge_handshake(
    const HandshakeCommand& command, RespValue reply
);

}  // namespace proxy
