#include "protocol/text_row.hpp"

#include "protocol/bytes.hpp"
#include "protocol/frame.hpp"

namespace protocol {

namespace {

constexpr std::uint8_t null_value = 0xfb;

// Takes the first frame off `frames`; its payload, which may be empty.
Result<std::span<const std::uint8_t>> take_frame(std::span<const std::uint8_t>& frames) {
    if (frames.size() < frame_header_size) return Errc::incomplete;
    const FrameHeader header = read_frame_header(frames.data());
    if (header.length >= frame_payload_max) return Errc::unsupported;
    if (frames.size() - frame_header_size < header.length) return Errc::incomplete;
    const std::span<const std::uint8_t> payload = frames.subspan(frame_header_size, header.length);
    frames = frames.subspan(frame_header_size + header.length);
    if (payload.empty()) return Errc::malformed;
    return payload;
}

}  // namespace

Result<TextRow> decode_text_row(std::span<const std::uint8_t> payload, std::size_t columns) {
    // A value takes at least one byte, so a wild count cannot make us reserve much.
    if (columns > payload.size()) return Errc::incomplete;
    ByteReader reader(payload);
    TextRow row;
    row.reserve(columns);
    for (std::size_t i = 0; i < columns && reader.left() > 0; ++i) {
        if (reader.peek() == null_value) {
            reader.skip(1);
            row.emplace_back(std::nullopt);
        } else {
            row.emplace_back(std::string(reader.text_length_encoded()));
        }
    }
    if (reader.failed()) return reader.error();
    if (row.size() < columns) return Errc::incomplete;
    if (reader.left() > 0) return Errc::trailing_bytes;
    return row;
}

Result<std::uint64_t> decode_column_count(std::span<const std::uint8_t> payload) {
    ByteReader reader(payload);
    const std::uint64_t count = reader.length_encoded();
    if (reader.failed()) return reader.error();
    // A byte that says whether definitions follow may come behind the count.
    if (count == 0 || reader.left() > 1) return Errc::malformed;
    return count;
}

Result<std::vector<TextRow>> collect_text_rows(
    std::span<const std::uint8_t> reply, Capabilities caps
) {
    std::vector<TextRow> rows;
    const auto first = take_frame(reply);
    if (!first) return first.error();
    if ((*first)[0] == 0x00) return rows;
    if ((*first)[0] == 0xff || (*first)[0] == null_value) return Errc::unsupported;
    const auto columns = decode_column_count(*first);
    if (!columns) return columns.error();

    const bool has_flag = caps.has(capability::optional_resultset_metadata) ||
                          caps.has_mariadb(mariadb_capability::cache_metadata);
    const bool definitions_follow = !has_flag || first->back() != 0;
    const std::uint64_t before_rows =
        (definitions_follow ? *columns : 0) + (caps.has(capability::deprecate_eof) ? 0 : 1);
    for (std::uint64_t i = 0; i < before_rows; ++i) {
        const auto skipped = take_frame(reply);
        if (!skipped) return skipped.error();
        if ((*skipped)[0] == 0xff) return Errc::unsupported;
    }
    for (;;) {
        const auto payload = take_frame(reply);
        if (!payload) return payload.error();
        if ((*payload)[0] == 0xfe) return rows;
        if ((*payload)[0] == 0xff) return Errc::unsupported;
        auto row = decode_text_row(*payload, static_cast<std::size_t>(*columns));
        if (!row) return row.error();
        rows.push_back(std::move(*row));
    }
}

}  // namespace protocol
