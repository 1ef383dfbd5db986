#include "protocol/frame.hpp"

#include <algorithm>
#include <cassert>

namespace protocol {

void write_frame_header(std::uint8_t* bytes, FrameHeader header) noexcept {
    assert(header.length <= frame_payload_max);
    bytes[0] = static_cast<std::uint8_t>(header.length);
    bytes[1] = static_cast<std::uint8_t>(header.length >> 8);
    bytes[2] = static_cast<std::uint8_t>(header.length >> 16);
    bytes[3] = header.sequence;
}

std::uint8_t append_frames(
    std::vector<std::uint8_t>& out,
    std::uint8_t sequence,
    std::span<const std::uint8_t> payload,
    std::uint32_t payload_max
) {
    assert(payload_max > 0 && payload_max <= frame_payload_max);
    for (;;) {
        const std::size_t size = std::min<std::size_t>(payload.size(), payload_max);
        std::uint8_t header[frame_header_size];
        write_frame_header(header, {static_cast<std::uint32_t>(size), sequence});
        out.insert(out.end(), header, header + frame_header_size);
        const std::span<const std::uint8_t> piece = payload.first(size);
        out.insert(out.end(), piece.begin(), piece.end());
        ++sequence;
        if (size < payload_max) return sequence;
        payload = payload.subspan(size);
    }
}

FrameScanner::Run FrameScanner::step(std::span<const std::uint8_t> input) noexcept {
    assert(!input.empty());
    if (header_size_ < frame_header_size) return step_header(input);

    const std::size_t size = std::min<std::size_t>(input.size(), payload_left_);
    const std::size_t offset = packet_offset_;
    payload_left_ -= static_cast<std::uint32_t>(size);
    packet_offset_ += size;
    if (payload_left_ > 0) return {Run::What::payload, size, false, false, offset};
    header_size_ = 0;
    in_packet_ = header_.length >= payload_max_;
    return {Run::What::payload, size, false, !in_packet_, offset};
}

FrameScanner::Run FrameScanner::step_header(std::span<const std::uint8_t> input) noexcept {
    const std::size_t size = std::min(input.size(), frame_header_size - header_size_);
    std::copy_n(input.begin(), size, header_bytes_ + header_size_);
    header_size_ += size;
    if (header_size_ < frame_header_size) {
        return {Run::What::header, size, false, false, packet_offset_};
    }

    header_ = read_frame_header(header_bytes_);
    payload_left_ = header_.length;
    const bool begins = !in_packet_;
    if (begins) packet_offset_ = 0;
    in_packet_ = true;
    if (header_.length > 0) return {Run::What::header, size, begins, false, packet_offset_};
    header_size_ = 0;
    in_packet_ = false;
    return {Run::What::header, size, begins, true, packet_offset_};
}

}  // namespace protocol
