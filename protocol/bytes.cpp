#include "protocol/bytes.hpp"

#include <algorithm>

namespace protocol {

namespace {
constexpr std::uint8_t prefix_null = 0xfb;
constexpr std::uint8_t prefix_int2 = 0xfc;
constexpr std::uint8_t prefix_int3 = 0xfd;
constexpr std::uint8_t prefix_int8 = 0xfe;
}  // namespace

void ByteReader::fail(Errc why) noexcept {
    if (!failed()) error_ = why;
    position_ = bytes_.size();
}

std::uint64_t ByteReader::fixed(std::size_t size) noexcept {
    if (left() < size) {
        fail(Errc::incomplete);
        return 0;
    }
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < size; ++i) {
        value |= static_cast<std::uint64_t>(bytes_[position_ + i]) << (8 * i);
    }
    position_ += size;
    return value;
}

std::uint64_t ByteReader::length_encoded() noexcept {
    const std::uint8_t first = int1();
    if (first < prefix_null) return first;
    if (first == prefix_int2) return int2();
    if (first == prefix_int3) return int3();
    if (first == prefix_int8) return int8();
    fail(Errc::malformed);
    return 0;
}

std::string_view ByteReader::text(std::uint64_t size) noexcept {
    if (size > left()) {
        fail(Errc::incomplete);
        return {};
    }
    const auto length = static_cast<std::size_t>(size);
    const std::string_view view = as_text(bytes_.subspan(position_, length));
    position_ += length;
    return view;
}

std::string_view ByteReader::text_to_nul() noexcept {
    const std::span<const std::uint8_t> ahead = bytes_.subspan(position_);
    const auto nul = std::find(ahead.begin(), ahead.end(), std::uint8_t{0});
    if (nul == ahead.end()) {
        fail(Errc::incomplete);
        return {};
    }
    const auto length = static_cast<std::size_t>(nul - ahead.begin());
    position_ += length + 1;
    return as_text(ahead.first(length));
}

std::string_view ByteReader::text_to_nul_or_end() noexcept {
    const std::span<const std::uint8_t> ahead = bytes_.subspan(position_);
    if (std::find(ahead.begin(), ahead.end(), std::uint8_t{0}) == ahead.end()) return rest();
    return text_to_nul();
}

void ByteWriter::fixed(std::uint64_t value, std::size_t size) {
    for (std::size_t i = 0; i < size; ++i) {
        out_.push_back(static_cast<std::uint8_t>(value >> (8 * i)));
    }
}

void ByteWriter::length_encoded(std::uint64_t value) {
    if (value < prefix_null) {
        int1(static_cast<std::uint8_t>(value));
    } else if (value <= 0xffff) {
        int1(prefix_int2);
        fixed(value, 2);
    } else if (value <= 0xffffff) {
        int1(prefix_int3);
        fixed(value, 3);
    } else {
        int1(prefix_int8);
        fixed(value, 8);
    }
}

void ByteWriter::text_nul(std::string_view value) {
    text(value);
    int1(0);
}

void ByteWriter::text_length_encoded(std::string_view value) {
    length_encoded(value.size());
    text(value);
}

}  // namespace protocol
