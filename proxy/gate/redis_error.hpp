#pragma once
// What an error reply of Redis means for the gate. Pure functions, any thread. Every error reply
// means that the script changed nothing: each script writes with one command, or after an HDEL that
// Redis never takes back. The text of an error is not logged where it could repeat what we sent
// (AUTH).

#include <cstdint>
#include <string_view>

namespace proxy {

enum class RedisError : std::uint8_t {
    readonly,  // a replica
    loading,   // still reading its data set
    moved,     // a cluster node that does not own the slot
    out_of_memory,
    authentication,
    no_permission,
    no_script,
    busy,          // a script of somebody is running too long
    not_writable,  // MISCONF, NOREPLICAS, MASTERDOWN, CLUSTERDOWN
    other,
};

[[nodiscard]] RedisError classify_redis_error(std::string_view text) noexcept;

// One word for metrics and logs, and a sentence that tells an operator what to do.
[[nodiscard]] std::string_view redis_error_name(RedisError error) noexcept;
[[nodiscard]] std::string_view redis_error_hint(RedisError error) noexcept;

}  // namespace proxy
