// COM_STMT_EXECUTE and the attributes in front of a COM_QUERY. All views must lie in the packet,
// and the types that one execution tells must read the same packet again without them.

#include "protocol/packets.hpp"
#include "protocol/statement.hpp"
#include "protocol/text_row.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <vector>

namespace {

using protocol::Capabilities;

void require(bool condition) {
    if (!condition) std::abort();
}

bool lies_in(std::string_view view, std::span<const std::uint8_t> bytes) {
    if (view.empty()) return true;
    const auto* const begin = reinterpret_cast<const std::uint8_t*>(view.data());
    return begin >= bytes.data() && begin + view.size() <= bytes.data() + bytes.size();
}

void execute(
    std::span<const std::uint8_t> payload,
    std::uint16_t count,
    std::span<const protocol::ParamType> remembered,
    Capabilities caps
) {
    const auto decoded = protocol::decode_execute(payload, count, remembered, caps);
    if (!decoded) return;
    require(protocol::statement_id_of(payload).value() == decoded->statement_id);
    require(decoded->types.size() <= count || decoded->types.size() <= remembered.size());
    if (decoded->values.empty()) return;
    require(decoded->values.size() == count);
    for (const auto& value : decoded->values) require(lies_in(value.text, payload));
    if (!decoded->new_types || caps.has(protocol::capability::query_attributes)) return;

    // The same packet without its types, read with those remembered.
    const std::size_t flag_at = 10 + (count + 7U) / 8;
    std::vector<std::uint8_t> shorter(payload.begin(), payload.end());
    shorter[flag_at] = 0;
    const auto types_at = shorter.begin() + static_cast<std::ptrdiff_t>(flag_at) + 1;
    shorter.erase(types_at, types_at + 2 * count);
    const auto again = protocol::decode_execute(shorter, count, decoded->types, caps);
    require(again.has_value());
    for (std::size_t i = 0; i < count; ++i) {
        const auto& left = decoded->values[i];
        const auto& right = again->values[i];
        require(left.kind == right.kind && left.integer == right.integer);
        require(left.text == right.text);
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    constexpr std::size_t head_size = 4;
    if (size < head_size) return 0;
    Capabilities caps;
    caps.flags = protocol::capability::protocol_41;
    if (data[0] & 1) caps.flags |= protocol::capability::query_attributes;
    const auto count = static_cast<std::uint16_t>(data[1] | (data[0] & 0x80 ? data[2] << 8 : 0));
    std::vector<protocol::ParamType> remembered;
    const std::size_t remembered_size = std::min<std::size_t>(data[3] % 8, size - head_size);
    for (std::size_t i = 0; i < remembered_size; ++i) {
        remembered.push_back({data[head_size + i], (data[3] & 0x80) != 0});
    }
    const std::span<const std::uint8_t> payload =
        std::span(data, size).subspan(head_size + remembered_size);

    if (data[0] & 2) {
        execute(payload, count, remembered, caps);
    } else if (const auto sql = protocol::query_text(payload, caps)) {
        require(lies_in(*sql, payload));
    }
    static_cast<void>(protocol::decode_text_row(payload, count));
    static_cast<void>(protocol::decode_column_count(payload));
    return 0;
}
