#include "proxy/gate/redis_error.hpp"

#include <array>

namespace proxy {
namespace {

struct Prefix {
    std::string_view word;
    RedisError error;
};

constexpr std::array prefixes{
    Prefix{"READONLY", RedisError::readonly},
    Prefix{"LOADING", RedisError::loading},
    Prefix{"MOVED", RedisError::moved},
    Prefix{"ASK", RedisError::moved},
    Prefix{"OOM", RedisError::out_of_memory},
    Prefix{"NOAUTH", RedisError::authentication},
    Prefix{"WRONGPASS", RedisError::authentication},
    Prefix{"NOPERM", RedisError::no_permission},
    Prefix{"NOSCRIPT", RedisError::no_script},
    Prefix{"BUSY", RedisError::busy},
    Prefix{"MISCONF", RedisError::not_writable},
    Prefix{"NOREPLICAS", RedisError::not_writable},
    Prefix{"MASTERDOWN", RedisError::not_writable},
    Prefix{"CLUSTERDOWN", RedisError::not_writable},
};

// Errors inside a script: Redis 7 keeps the code in front; earlier versions wrap it as
// "ERR Error running script (...): @user_script:1: @user_script: 1: -OOM command not allowed ...".
std::string_view inner_error(std::string_view text) noexcept {
    if (!text.starts_with("ERR ")) return text;
    const auto dash = text.rfind(": -");
    return dash == std::string_view::npos ? text : text.substr(dash + 3);
}

}  // namespace

RedisError classify_redis_error(std::string_view text) noexcept {
    const auto inner = inner_error(text);
    const auto word = inner.substr(0, inner.find(' '));
    for (const auto& prefix : prefixes) {
        if (word == prefix.word) return prefix.error;
    }
    return RedisError::other;
}

std::string_view redis_error_name(RedisError error) noexcept {
    switch (error) {
        case RedisError::readonly:
            return "readonly";
        case RedisError::loading:
            return "loading";
        case RedisError::moved:
            return "moved";
        case RedisError::out_of_memory:
            return "out_of_memory";
        case RedisError::authentication:
            return "authentication";
        case RedisError::no_permission:
            return "no_permission";
        case RedisError::no_script:
            return "no_script";
        case RedisError::busy:
            return "busy";
        case RedisError::not_writable:
            return "not_writable";
        case RedisError::other:
            break;
    }
    return "other";
}

std::string_view redis_error_hint(RedisError error) noexcept {
    switch (error) {
        case RedisError::readonly:
            return "this Redis is a replica; point gate.redis at the master";
        case RedisError::loading:
            return "Redis is still loading its data set; it will be tried again";
        case RedisError::moved:
            return "this Redis is a cluster node and does not own the slot";
        case RedisError::out_of_memory:
            return "Redis is at maxmemory; raise it, keep noeviction";
        case RedisError::authentication:
            return "Redis refused the user name or password; check gate.redis.username and "
                   "password";
        case RedisError::no_permission:
            return "the ACL user may not run EVALSHA, SCRIPT LOAD, hash commands, TYPE, EXISTS, "
                   "DEL or PING";
        case RedisError::no_script:
            return "Redis forgot the scripts right after they were loaded";
        case RedisError::busy:
            return "a long script blocks Redis; see SCRIPT KILL";
        case RedisError::not_writable:
            return "Redis accepts no writes now; see its log";
        case RedisError::other:
            break;
    }
    return "unexpected error reply";
}

}  // namespace proxy
