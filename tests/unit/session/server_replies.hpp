#pragma once
// Replies of a backend as bytes, for a scripted one. No EOF is deprecated: all framing variants
// are the tracker's and tested there.

#include "protocol/capabilities.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace proxy::testing {

using Bytes = std::vector<std::uint8_t>;

[[nodiscard]] protocol::Capabilities test_capabilities();

[[nodiscard]] Bytes frame(std::uint8_t sequence, std::string_view payload);
[[nodiscard]] Bytes ok_reply(
    std::uint64_t affected_rows,
    std::uint16_t status = protocol::status::autocommit,
    std::uint8_t sequence = 1
);
[[nodiscard]] Bytes err_reply(std::uint16_t code, std::string_view message);
[[nodiscard]] Bytes eof_frame(std::uint8_t sequence, std::uint16_t status);
// One column.
[[nodiscard]] Bytes rows_reply(
    const std::vector<std::string>& rows, std::uint16_t status = protocol::status::autocommit
);
[[nodiscard]] Bytes prepare_reply(std::uint32_t statement_id);
[[nodiscard]] Bytes infile_reply(std::string_view file);

[[nodiscard]] Bytes joined(const std::vector<Bytes>& parts);
// As a COM_QUERY frame.
[[nodiscard]] Bytes query(std::string_view sql);

}  // namespace proxy::testing
