#pragma once
// Checked access to bytes: ByteReader walks a payload, ByteWriter appends to a vector. Little
// endian, lengths in bytes. A reader that ran out of bytes stays failed: every later read gives
// zero or an empty view, so a decoder may read all its fields and ask `error()` once. Views point
// into the input. Pure values, any thread.

#include "protocol/errc.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace protocol {

[[nodiscard]] inline std::string_view as_text(std::span<const std::uint8_t> bytes) noexcept {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}
[[nodiscard]] inline std::span<const std::uint8_t> as_bytes(std::string_view text) noexcept {
    return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

class ByteReader {
public:
    explicit ByteReader(std::span<const std::uint8_t> bytes) noexcept : bytes_(bytes) {}

    [[nodiscard]] std::uint8_t int1() noexcept { return static_cast<std::uint8_t>(fixed(1)); }
    [[nodiscard]] std::uint16_t int2() noexcept { return static_cast<std::uint16_t>(fixed(2)); }
    [[nodiscard]] std::uint32_t int3() noexcept { return static_cast<std::uint32_t>(fixed(3)); }
    [[nodiscard]] std::uint32_t int4() noexcept { return static_cast<std::uint32_t>(fixed(4)); }
    [[nodiscard]] std::uint64_t int8() noexcept { return fixed(8); }
    // 1, 3, 4 or 9 bytes; 0xfb (NULL) and 0xff (ERR) are not numbers and fail as malformed.
    [[nodiscard]] std::uint64_t length_encoded() noexcept;

    [[nodiscard]] std::string_view text(std::uint64_t size) noexcept;
    // Up to the next zero byte, which is consumed and not part of the view; fails without one.
    [[nodiscard]] std::string_view text_to_nul() noexcept;
    // As above, but takes all that is left where the zero byte is missing.
    [[nodiscard]] std::string_view text_to_nul_or_end() noexcept;
    [[nodiscard]] std::string_view text_length_encoded() noexcept { return text(length_encoded()); }
    [[nodiscard]] std::string_view rest() noexcept { return text(left()); }
    void skip(std::uint64_t size) noexcept { static_cast<void>(text(size)); }

    // The next byte without consuming it; only when left() > 0.
    [[nodiscard]] std::uint8_t peek() const noexcept { return bytes_[position_]; }
    [[nodiscard]] std::size_t left() const noexcept { return bytes_.size() - position_; }
    [[nodiscard]] std::size_t position() const noexcept { return position_; }
    [[nodiscard]] bool failed() const noexcept { return error_ != Errc::ok; }
    [[nodiscard]] Errc error() const noexcept { return error_; }
    void fail(Errc why) noexcept;

private:
    [[nodiscard]] std::uint64_t fixed(std::size_t size) noexcept;

    std::span<const std::uint8_t> bytes_;
    std::size_t position_ = 0;
    Errc error_ = Errc::ok;
};

class ByteWriter {
public:
    explicit ByteWriter(std::vector<std::uint8_t>& out) noexcept : out_(out) {}

    void int1(std::uint8_t value) { out_.push_back(value); }
    void int2(std::uint16_t value) { fixed(value, 2); }
    void int3(std::uint32_t value) { fixed(value, 3); }
    void int4(std::uint32_t value) { fixed(value, 4); }
    void int8(std::uint64_t value) { fixed(value, 8); }
    void length_encoded(std::uint64_t value);
    void text(std::string_view value) { out_.insert(out_.end(), value.begin(), value.end()); }
    void text_nul(std::string_view value);
    void text_length_encoded(std::string_view value);

private:
    void fixed(std::uint64_t value, std::size_t size);

    std::vector<std::uint8_t>& out_;
};

}  // namespace protocol
