#pragma once
// The gate's Lua scripts, embedded at build time from lua/*.lua. Constant data, any thread. `sha1`
// is what SCRIPT LOAD answers for `text`, so EVALSHA can be written before the server was ever
// asked.

#include <array>
#include <string_view>

namespace lua {

struct Script {
    std::string_view name;  // file name without extension: "reserve-1"
    std::string_view text;
    std::string_view sha1;  // 40 lower-case hex digits
    int keys = 0;           // number of KEYS, from the file name
};

extern const Script reserve;
extern const Script settle;
extern const Script release;
extern const Script credit;
extern const Script rebuild;

[[nodiscard]] const std::array<const Script*, 5>& all() noexcept;

}  // namespace lua
