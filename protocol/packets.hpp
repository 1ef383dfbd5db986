#pragma once
// OK, ERR and EOF packets: decode (views into the payload), encode (frames appended to a vector).
// Source: MySQL "OK_Packet", "ERR_Packet", "EOF_Packet".

#include "protocol/capabilities.hpp"
#include "protocol/errc.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace protocol {

struct OkPacket {
    std::uint8_t header = 0x00;  // 0x00, or 0xfe where deprecate_eof ends rows
    std::uint64_t affected_rows = 0;
    std::uint64_t last_insert_id = 0;
    std::uint16_t status = 0;
    std::uint16_t warnings = 0;
    std::string_view info;
    std::string_view session_state;  // raw block, present only with status::session_state_changed
};

struct ErrPacket {
    std::uint16_t code = 0;
    std::string_view sql_state;  // five characters, or empty before protocol_41
    std::string_view message;
};

struct EofPacket {
    std::uint16_t warnings = 0;
    std::uint16_t status = 0;
};

[[nodiscard]] Result<OkPacket> decode_ok(std::span<const std::uint8_t> payload, Capabilities caps);
[[nodiscard]] Result<ErrPacket> decode_err(
    std::span<const std::uint8_t> payload, Capabilities caps
);
[[nodiscard]] Result<EofPacket> decode_eof(std::span<const std::uint8_t> payload);
// As decode_ok, for a payload of which only a prefix is held: `info` and `session_state` are cut
// where the prefix ends. Fails only if the fields before them are incomplete.
[[nodiscard]] Result<OkPacket> decode_ok_prefix(
    std::span<const std::uint8_t> prefix, Capabilities caps
);

// Each appends one whole frame (header included) with the given sequence.
void encode_ok(
    std::vector<std::uint8_t>& out, std::uint8_t sequence, const OkPacket& ok, Capabilities caps
);
// Messages longer than 512 bytes are cut, as the server does.
void encode_err(
    std::vector<std::uint8_t>& out, std::uint8_t sequence, const ErrPacket& err, Capabilities caps
);

inline constexpr std::size_t message_size_max = 512;

// The new current schema, if the session state block of an OK tells one (SESSION_TRACK_SCHEMA).
// A block that is cut or malformed gives what its whole entries tell.
[[nodiscard]] std::optional<std::string_view> tracked_schema(std::string_view session_state);

// Appends COM_QUERY frames (sequence 0 and on, split at frame_payload_max) for `sql`; with
// query_attributes negotiated the empty attribute block is written.
void encode_query(std::vector<std::uint8_t>& out, std::string_view sql, Capabilities caps);
// Appends COM_STMT_PREPARE / COM_STMT_CLOSE frames.
void encode_stmt_prepare(std::vector<std::uint8_t>& out, std::string_view sql);
void encode_stmt_close(std::vector<std::uint8_t>& out, std::uint32_t statement_id);

// The SQL text inside a COM_QUERY payload (command byte included in `payload`), past the attributes
// if query_attributes is negotiated. Fails on malformed attribute blocks.
[[nodiscard]] Result<std::string_view> query_text(
    std::span<const std::uint8_t> payload, Capabilities caps
);

}  // namespace protocol
