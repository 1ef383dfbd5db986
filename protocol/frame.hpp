#pragma once
// The frame: 3 bytes payload length (little endian), 1 byte sequence, payload. A payload of
// exactly max_payload bytes is followed by another frame (perhaps empty) of the same logical
// packet. Source: MySQL "Protocol::Packet". All of it resumes at any byte.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace protocol {

inline constexpr std::size_t frame_header_size = 4;
inline constexpr std::uint32_t frame_payload_max = 0xffffff;

struct FrameHeader {
    std::uint32_t length = 0;
    std::uint8_t sequence = 0;
};

// `bytes` must hold at least frame_header_size bytes.
[[nodiscard]] inline FrameHeader read_frame_header(const std::uint8_t* bytes) noexcept {
    const std::uint32_t length = bytes[0] | static_cast<std::uint32_t>(bytes[1]) << 8 |
                                 static_cast<std::uint32_t>(bytes[2]) << 16;
    return {length, bytes[3]};
}
// `header.length` must not exceed frame_payload_max.
void write_frame_header(std::uint8_t* bytes, FrameHeader header) noexcept;

// Appends `payload` as frames, split at `payload_max`, with sequences from `sequence` on (they wrap
// after 255). An exact multiple ends with an empty frame. Returns the sequence behind the last
// frame.
std::uint8_t append_frames(
    std::vector<std::uint8_t>& out,
    std::uint8_t sequence,
    std::span<const std::uint8_t> payload,
    std::uint32_t payload_max = frame_payload_max
);

// Walks a byte stream and names the runs in it; holds no bytes of its own but the header's four.
// Usage: while input is left, `step(input)` says what the first `size` bytes are.
class FrameScanner {
public:
    explicit FrameScanner(std::uint32_t payload_max = frame_payload_max)
        : payload_max_(payload_max) {}

    struct Run {
        enum class What : std::uint8_t { header, payload } what;
        std::size_t size;    // bytes of the input that belong to this run, at least 1
        bool packet_begins;  // header run completed just now, first frame of a logical packet
        bool packet_ends;    // the logical packet is complete with this run's last byte
        std::size_t offset;  // payload run: position of its first byte in the logical packet
    };
    // `input` must not be empty.
    [[nodiscard]] Run step(std::span<const std::uint8_t> input) noexcept;

    [[nodiscard]] FrameHeader current() const noexcept { return header_; }
    // No byte of a next packet has been seen.
    [[nodiscard]] bool at_boundary() const noexcept { return header_size_ == 0 && !in_packet_; }
    [[nodiscard]] std::uint32_t payload_left() const noexcept { return payload_left_; }
    [[nodiscard]] std::uint32_t payload_max() const noexcept { return payload_max_; }

    // For a caller that walked over whole packets by itself, at_boundary() before and after: `last`
    // is the header of the last of them.
    void walked_over(FrameHeader last) noexcept { header_ = last; }

private:
    [[nodiscard]] Run step_header(std::span<const std::uint8_t> input) noexcept;

    std::uint32_t payload_max_;
    std::uint8_t header_bytes_[frame_header_size] = {};
    std::size_t header_size_ = 0;  // header bytes held, 0..3; 4 = in payload
    FrameHeader header_;
    std::uint32_t payload_left_ = 0;
    std::size_t packet_offset_ = 0;
    bool in_packet_ = false;  // a first frame was seen and its logical packet is not complete
};

}  // namespace protocol
