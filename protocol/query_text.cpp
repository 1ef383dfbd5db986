#include "protocol/binary_value.hpp"
#include "protocol/bytes.hpp"
#include "protocol/command.hpp"
#include "protocol/packets.hpp"

namespace protocol {

namespace {

void skip_attributes(ByteReader& reader) {
    const std::uint64_t count = reader.length_encoded();
    const std::uint64_t sets = reader.length_encoded();
    if (sets != 1) reader.fail(Errc::malformed);
    if (reader.failed() || count == 0) return;

    const ParameterBlock block = read_parameter_block(reader, count, true);
    // Attributes have no earlier execution whose types could be in force.
    if (!reader.failed() && !block.new_types) reader.fail(Errc::malformed);
    for (std::size_t i = 0; i < block.types.size() && !reader.failed(); ++i) {
        if (!is_null(block, i)) static_cast<void>(read_binary_value(reader, block.types[i]));
    }
}

}  // namespace

Result<std::string_view> query_text(std::span<const std::uint8_t> payload, Capabilities caps) {
    ByteReader reader(payload);
    if (reader.int1() != static_cast<std::uint8_t>(Command::query)) reader.fail(Errc::malformed);
    if (caps.has(capability::query_attributes)) skip_attributes(reader);
    const std::string_view sql = reader.rest();
    if (reader.failed()) return reader.error();
    return sql;
}

}  // namespace protocol
