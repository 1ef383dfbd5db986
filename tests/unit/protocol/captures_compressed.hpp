#pragma once
// Compressed replies of real servers, for the tests of CompressedReader.

#include "protocol/compressed.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace protocol {

struct CompressedCapture {
    std::string_view name;
    Compression algorithm;
    std::size_t compressed_packets;
    std::size_t content_size;
    std::size_t packets;  // in the content
    std::uint32_t content_crc32;
    std::string_view stream;  // hexadecimal
};

[[nodiscard]] const std::vector<CompressedCapture>& compressed_captures();

}  // namespace protocol
