#pragma once
// The id of one deduction or return: 16 bytes, ordered by time so that detail inserts append.
// Layout, big endian: 6 bytes milliseconds since 1970, 4 bytes incarnation of the proxy process
// (random at start, so that what a dead process left can be told apart), 2 bytes core, 4 bytes
// counter. Unique by construction: a generator belongs to one core and never repeats a
// (millisecond, counter).

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace proxy {

struct RequestId {
    std::array<std::uint8_t, 16> bytes{};
    auto operator<=>(const RequestId&) const = default;

    [[nodiscard]] std::uint32_t incarnation() const noexcept;
    [[nodiscard]] std::uint64_t milliseconds() const noexcept;
    [[nodiscard]] std::string hex() const;  // 32 upper-case digits
    [[nodiscard]] static std::optional<RequestId> from_hex(std::string_view text);
};

struct RequestIdHash {
    std::size_t operator()(const RequestId& id) const noexcept;
};

// One per core; not thread-safe.
class RequestIdGenerator {
public:
    RequestIdGenerator(std::uint32_t incarnation, std::uint16_t core) noexcept
        : incarnation_(incarnation), core_(core) {}
    [[nodiscard]] RequestId next() noexcept;

private:
    std::uint32_t incarnation_;
    std::uint16_t core_;
    std::uint64_t last_ms_ = 0;  // never goes back, whatever the clock does
    std::uint32_t counter_ = 0;
};

}  // namespace proxy
