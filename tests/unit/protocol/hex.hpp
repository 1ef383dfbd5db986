#pragma once
// Bytes from hexadecimal text, for tests. Spaces are allowed between bytes.

#include <cassert>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace protocol {

using Bytes = std::vector<std::uint8_t>;

inline Bytes from_hex(std::string_view text) {
    static constexpr std::string_view digits = "0123456789abcdef";
    Bytes bytes;
    std::size_t high = std::string_view::npos;
    for (const char c : text) {
        if (c == ' ') continue;
        const std::size_t digit = digits.find(c);
        assert(digit != std::string_view::npos);
        if (high == std::string_view::npos) {
            high = digit;
        } else {
            bytes.push_back(static_cast<std::uint8_t>(high << 4 | digit));
            high = std::string_view::npos;
        }
    }
    assert(high == std::string_view::npos);
    return bytes;
}

inline std::string to_hex(const Bytes& bytes) {
    static constexpr std::string_view digits = "0123456789abcdef";
    std::string text;
    for (const std::uint8_t byte : bytes) {
        text.push_back(digits[byte >> 4]);
        text.push_back(digits[byte & 0xf]);
    }
    return text;
}

inline Bytes bytes_of(std::string_view text) {
    return {text.begin(), text.end()};
}

}  // namespace protocol
