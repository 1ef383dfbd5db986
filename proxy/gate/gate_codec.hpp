#pragma once
// The words of lua/README.md in C++: reply codes, commands and the reading of replies. Pure
// functions, any thread. Units outside 0 .. units_max never reach a script: Lua numbers are exact
// up to there.

#include "proxy/gate/gate.hpp"
#include "proxy/gate/resp.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace proxy {

enum class BucketCode : std::int8_t {
    done = 1,  // granted, ended, added, rebuilt
    insufficient = 0,
    missing = -1,
    damaged = -2,  // not what we wrote; treated as missing, a rebuild repairs it
};

struct BucketReply {
    BucketCode code = BucketCode::missing;
    std::int64_t left = 0;  // valid for reserve (done, insufficient) and rebuild
};

inline constexpr std::int64_t units_max = 9'007'199'254'740'991;  // 2^53 - 1

[[nodiscard]] constexpr bool is_valid_units(std::int64_t units) noexcept {
    return units >= 0 && units <= units_max;
}

[[nodiscard]] std::string encode_reserve(
    std::string_view key, const RequestId& id, std::int64_t units, bool forced
);
[[nodiscard]] std::string encode_settle(std::string_view key, const RequestId& id);
[[nodiscard]] std::string encode_release(std::string_view key, const RequestId& id);
[[nodiscard]] std::string encode_credit(std::string_view key, std::int64_t units);
[[nodiscard]] std::string encode_rebuild(
    std::string_view key, std::int64_t remainder, const std::vector<RequestId>& settled
);
[[nodiscard]] std::string encode_read(std::string_view key);
[[nodiscard]] std::string encode_remove(std::string_view key);
[[nodiscard]] std::string encode_ping();

// Nothing: not a reply of ours (an error reply, or a shape that no script gives).
[[nodiscard]] std::optional<BucketReply> decode_bucket_reply(RespValue reply);
// The reply to encode_read. A key of another type reads as a bucket that does not exist; so does
// one whose `left` is no number, with the reservations that can still be read.
[[nodiscard]] std::optional<BucketState> decode_state(RespValue reply);

}  // namespace proxy
