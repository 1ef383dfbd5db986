#pragma once
// Collects a small text-protocol result set of our own queries: values of the rows as strings.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "protocol/capabilities.hpp"
#include "protocol/errc.hpp"

namespace protocol {

using TextRow = std::vector<std::optional<std::string>>;

// Decodes one row packet (without frame header) of `columns` values.
[[nodiscard]] Result<TextRow> decode_text_row(std::span<const std::uint8_t> payload, std::size_t columns);
// Column count from the first packet of a result set.
[[nodiscard]] Result<std::uint64_t> decode_column_count(std::span<const std::uint8_t> payload);

}  // namespace protocol
