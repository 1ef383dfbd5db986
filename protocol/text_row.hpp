#pragma once
// Collects a small text-protocol result set of our own queries: values of the rows as strings.

#include "protocol/capabilities.hpp"
#include "protocol/errc.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace protocol {

using TextRow = std::vector<std::optional<std::string>>;

// Decodes one row packet (without frame header) of `columns` values.
[[nodiscard]] Result<TextRow> decode_text_row(
    std::span<const std::uint8_t> payload, std::size_t columns
);
// Column count from the first packet of a result set.
[[nodiscard]] Result<std::uint64_t> decode_column_count(std::span<const std::uint8_t> payload);

// The rows of the first result set in `reply`, which holds whole frames as the ResponseTracker
// bounded them. Empty for an OK. An ERR, a LOCAL INFILE request and rows over one frame are
// `unsupported`: look at ReplyEnd first.
[[nodiscard]] Result<std::vector<TextRow>> collect_text_rows(
    std::span<const std::uint8_t> reply, Capabilities caps
);

}  // namespace protocol
