#pragma once
// Values of the binary protocol, as clients send them: one value after the other, each laid out by
// its type. Used by COM_STMT_EXECUTE and by query attributes. Views point into the packet.
// Source: MySQL "Binary Protocol Value".

#include "protocol/bytes.hpp"
#include "protocol/statement.hpp"

namespace protocol {

// Largest number of parameters that servers accept in one packet, attributes included.
inline constexpr std::uint64_t parameter_count_max = 65'535;

// NULL, types and values of one packet. `types` are those in force for all `count` parameters;
// fewer are fine as long as the parameters without a type are NULL.
struct ParameterBlock {
    std::span<const std::uint8_t> null_bits;
    bool new_types = false;
    std::vector<ParamType> types;
};

// Reads null bits, the new-types flag and, if set, types (each followed by a name if `named`).
// Failures are left in `reader`. `types` stays empty without the flag.
[[nodiscard]] ParameterBlock read_parameter_block(
    ByteReader& reader, std::uint64_t count, bool named
);

[[nodiscard]] bool is_null(const ParameterBlock& block, std::size_t index) noexcept;

// Reads one value that is not NULL. A type that servers do not take as a parameter fails as
// unsupported.
[[nodiscard]] ParamValue read_binary_value(ByteReader& reader, ParamType type) noexcept;

}  // namespace protocol
