#pragma once
// Replies of real servers, with what a tracker must say about each. Used by the tracker's tests.

#include "protocol/capabilities.hpp"
#include "protocol/command.hpp"
#include "protocol/response_tracker.hpp"

#include <cstdint>
#include <string_view>
#include <vector>

namespace protocol {

using How = ReplyEnd::How;

// For replies that carry no status.
inline constexpr std::uint32_t no_status = 0xffffffff;

struct Capture {
    std::string_view name;
    ReplyShape shape;
    Capabilities caps;
    std::vector<std::string_view> frames;  // hexadecimal, with headers
    How how;
    std::uint32_t status;
    std::uint16_t code;
    bool had_rows;
};

inline constexpr Capabilities plain{capability::protocol_41, 0};
inline constexpr Capabilities deprecate_eof{capability::protocol_41 | capability::deprecate_eof, 0};
inline constexpr Capabilities deprecate_eof_and_track{
    capability::protocol_41 | capability::deprecate_eof | capability::session_track, 0};
inline constexpr Capabilities optional_metadata{
    capability::protocol_41 | capability::optional_resultset_metadata, 0};
inline constexpr Capabilities optional_metadata_and_deprecate_eof{
    capability::protocol_41 | capability::optional_resultset_metadata | capability::deprecate_eof,
    0};
inline constexpr Capabilities cache_metadata{
    capability::protocol_41, mariadb_capability::cache_metadata};
inline constexpr Capabilities cache_metadata_and_deprecate_eof{
    capability::protocol_41 | capability::deprecate_eof, mariadb_capability::cache_metadata};

[[nodiscard]] const std::vector<Capture>& mariadb_captures();
[[nodiscard]] const std::vector<Capture>& mariadb_more_captures();
[[nodiscard]] const std::vector<Capture>& mysql_captures();
[[nodiscard]] const std::vector<Capture>& mysql_metadata_captures();

}  // namespace protocol
