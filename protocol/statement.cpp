#include "protocol/statement.hpp"

#include "protocol/binary_value.hpp"
#include "protocol/bytes.hpp"
#include "protocol/command.hpp"

#include <algorithm>

namespace protocol {

namespace {

// In the flags byte, with query_attributes: the count is sent even for a statement without
// parameters. The other flags ask for cursors, which change the reply only.
constexpr std::uint8_t parameter_count_available = 0x08;

void read_values(
    ByteReader& reader,
    const ParameterBlock& block,
    std::size_t count,
    std::size_t wanted,
    Execute& execute
) {
    execute.values.reserve(wanted);
    for (std::size_t i = 0; i < count && !reader.failed(); ++i) {
        ParamValue value{ParamValue::Kind::null, 0, 0, {}};
        if (!is_null(block, i)) {
            if (i >= execute.types.size()) return reader.fail(Errc::malformed);
            value = read_binary_value(reader, execute.types[i]);
        }
        if (i < wanted) execute.values.push_back(value);
    }
}

}  // namespace

Result<Execute> decode_execute(
    std::span<const std::uint8_t> payload,
    std::uint16_t param_count,
    std::span<const ParamType> remembered,
    Capabilities caps
) {
    ByteReader reader(payload);
    if (reader.int1() != static_cast<std::uint8_t>(Command::stmt_execute)) {
        reader.fail(Errc::malformed);
    }
    Execute execute;
    execute.statement_id = reader.int4();
    execute.flags = reader.int1();
    execute.iterations = reader.int4();

    const bool attributes = caps.has(capability::query_attributes);
    std::uint64_t count = param_count;
    if (attributes && (param_count > 0 || (execute.flags & parameter_count_available) != 0)) {
        count = reader.length_encoded();
        if (count < param_count) reader.fail(Errc::malformed);
    }
    if (reader.failed()) return reader.error();
    // Servers do not look further then, whatever else the packet holds.
    if (count == 0) return execute;

    const std::size_t flag_at = reader.position() + static_cast<std::size_t>((count + 7) / 8);
    if (count == param_count && flag_at < payload.size()) execute.new_types_at = flag_at;
    ParameterBlock block = read_parameter_block(reader, count, attributes);
    execute.new_types = block.new_types;
    if (block.new_types) {
        execute.types = std::move(block.types);
    } else {
        execute.types.assign(remembered.begin(), remembered.end());
    }
    if (!reader.failed()) {
        read_values(reader, block, static_cast<std::size_t>(count), param_count, execute);
    }
    if (reader.failed()) return reader.error();
    // Attributes follow the parameters and are not remembered by servers.
    if (execute.types.size() > param_count) execute.types.resize(param_count);
    return execute;
}

std::vector<std::uint8_t> with_types(
    std::span<const std::uint8_t> payload,
    const Execute& execute,
    std::uint16_t param_count,
    Capabilities caps
) {
    const std::size_t at = execute.new_types_at;
    if (at == 0 || at >= payload.size() || execute.types.size() != param_count) return {};
    std::vector<std::uint8_t> out(payload.begin(), payload.begin() + static_cast<long>(at));
    out.push_back(1);
    for (const ParamType& type : execute.types) {
        out.push_back(type.type);
        out.push_back(type.is_unsigned ? 0x80 : 0);
        if (caps.has(capability::query_attributes)) out.push_back(0);  // no name
    }
    out.insert(out.end(), payload.begin() + static_cast<long>(at) + 1, payload.end());
    return out;
}

Result<std::uint32_t> statement_id_of(std::span<const std::uint8_t> payload) {
    ByteReader reader(payload);
    reader.skip(1);
    const std::uint32_t id = reader.int4();
    if (reader.failed()) return reader.error();
    return id;
}

}  // namespace protocol
