#pragma once
// Prepared statements: the parameter block of COM_STMT_EXECUTE. Only integers and short strings are
// ever read (amounts and keys); all other values are skipped by their type.
// Source: MySQL "COM_STMT_EXECUTE", "Binary Protocol Value".

#include "protocol/capabilities.hpp"
#include "protocol/errc.hpp"

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace protocol {

struct ParamType {
    std::uint8_t type = 0;     // MYSQL_TYPE_*
    bool is_unsigned = false;  // high bit of the pair, as the client sent it
    bool operator==(const ParamType&) const = default;
};

struct ParamValue {
    enum class Kind : std::uint8_t {
        null,
        signed_integer,
        unsigned_integer,
        text,
        real,
        other
    } kind;
    std::int64_t integer = 0;  // signed_integer; unsigned_integer: same bits
    double real = 0;
    std::string_view text;  // text: strings, blobs, decimals; view into the packet
};

struct Execute {
    std::uint32_t statement_id = 0;
    std::uint8_t flags = 0;
    std::uint32_t iterations = 0;
    bool new_types = false;
    std::size_t new_types_at = 0;    // where the payload says so; 0: it does not say
    std::vector<ParamType> types;    // the types in force: the packet's own, or `remembered`
    std::vector<ParamValue> values;  // one per parameter
};

// `payload` begins with the command byte. `remembered`: the types of this statement's last
// execution that carried them. Fails where parameters need types and none are known. Query
// attributes and parameter counts above 65,535/8 handled per capability.
[[nodiscard]] Result<Execute> decode_execute(
    std::span<const std::uint8_t> payload,
    std::uint16_t param_count,
    std::span<const ParamType> remembered,
    Capabilities caps
);

// The same COM_STMT_EXECUTE with the types that it leaves out, as one payload: for a server that
// has not seen the execution that carried them. `execute` is what decode_execute made of it. Empty
// where that cannot be done (query attributes beside the parameters).
[[nodiscard]] std::vector<std::uint8_t> with_types(
    std::span<const std::uint8_t> payload,
    const Execute& execute,
    std::uint16_t param_count,
    Capabilities caps
);

// Statement id of COM_STMT_EXECUTE / CLOSE / RESET / FETCH / SEND_LONG_DATA / bulk execute.
[[nodiscard]] Result<std::uint32_t> statement_id_of(std::span<const std::uint8_t> payload);

}  // namespace protocol
