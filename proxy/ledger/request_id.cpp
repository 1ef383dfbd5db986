#include "proxy/ledger/request_id.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>

namespace proxy {
namespace {

constexpr std::size_t incarnation_at = 6;
constexpr char digits[] = "0123456789ABCDEF";

int digit_value(char c) noexcept {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return -1;
}

}  // namespace

std::uint32_t RequestId::incarnation() const noexcept {
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < 4; ++i) value = value << 8 | bytes[incarnation_at + i];
    return value;
}

std::uint64_t RequestId::milliseconds() const noexcept {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < incarnation_at; ++i) value = value << 8 | bytes[i];
    return value;
}

std::string RequestId::hex() const {
    std::string text(32, '0');
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        text[2 * i] = digits[bytes[i] >> 4];
        text[2 * i + 1] = digits[bytes[i] & 15];
    }
    return text;
}

std::optional<RequestId> RequestId::from_hex(std::string_view text) {
    if (text.size() != 32) return std::nullopt;
    RequestId id;
    for (std::size_t i = 0; i < id.bytes.size(); ++i) {
        const int high = digit_value(text[2 * i]);
        const int low = digit_value(text[2 * i + 1]);
        if (high < 0 || low < 0) return std::nullopt;
        id.bytes[i] = static_cast<std::uint8_t>(high << 4 | low);
    }
    return id;
}

std::size_t RequestIdHash::operator()(const RequestId& id) const noexcept {
    // The low half (core, counter, part of the incarnation) differs between neighbours.
    std::uint64_t high = 0;
    std::uint64_t low = 0;
    std::memcpy(&high, id.bytes.data(), sizeof high);
    std::memcpy(&low, id.bytes.data() + sizeof high, sizeof low);
    return static_cast<std::size_t>((low ^ (high >> 7)) * 0x9e3779b97f4a7c15ULL);
}

RequestId RequestIdGenerator::next() noexcept {
    const auto now = std::chrono::duration_cast<std::chrono::milliseconds>(
                         std::chrono::system_clock::now().time_since_epoch()
    )
                         .count();
    last_ms_ = std::max(last_ms_, static_cast<std::uint64_t>(now));
    // The counter runs on across milliseconds; when it wraps, the millisecond moves.
    if (++counter_ == 0) ++last_ms_;
    RequestId id;
    for (std::size_t i = 0; i < 6; ++i)
        id.bytes[i] = static_cast<std::uint8_t>(last_ms_ >> (40 - 8 * i));
    for (std::size_t i = 0; i < 4; ++i)
        id.bytes[6 + i] = static_cast<std::uint8_t>(incarnation_ >> (24 - 8 * i));
    id.bytes[10] = static_cast<std::uint8_t>(core_ >> 8);
    id.bytes[11] = static_cast<std::uint8_t>(core_);
    for (std::size_t i = 0; i < 4; ++i)
        id.bytes[12 + i] = static_cast<std::uint8_t>(counter_ >> (24 - 8 * i));
    return id;
}

}  // namespace proxy
