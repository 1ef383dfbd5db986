#include "protocol/frame.hpp"

#include "hex.hpp"

#include <gtest/gtest.h>

#include <numeric>

namespace protocol {
namespace {

constexpr std::uint32_t small_max = 5;

Bytes counted(std::size_t size) {
    Bytes bytes(size);
    std::iota(bytes.begin(), bytes.end(), std::uint8_t{1});
    return bytes;
}

// What a scanner saw of a stream: the logical packets, put together from its runs.
struct Seen {
    std::vector<Bytes> packets;
    bool at_boundary = false;
};

Seen scan(const Bytes& stream, const std::vector<std::size_t>& piece_sizes) {
    FrameScanner scanner(small_max);
    Seen seen;
    std::size_t position = 0;
    std::size_t piece = 0;
    while (position < stream.size()) {
        const std::size_t wanted = piece_sizes[piece++ % piece_sizes.size()];
        std::span<const std::uint8_t> input =
            std::span(stream).subspan(position, std::min(wanted, stream.size() - position));
        position += input.size();
        while (!input.empty()) {
            const FrameScanner::Run run = scanner.step(input);
            EXPECT_GE(run.size, 1U);
            EXPECT_LE(run.size, input.size());
            if (run.packet_begins) seen.packets.emplace_back();
            if (run.what == FrameScanner::Run::What::payload) {
                Bytes& packet = seen.packets.back();
                EXPECT_EQ(run.offset, packet.size());
                const auto payload = input.first(run.size);
                packet.insert(packet.end(), payload.begin(), payload.end());
            }
            EXPECT_EQ(scanner.at_boundary(), run.packet_ends);
            input = input.subspan(run.size);
        }
    }
    seen.at_boundary = scanner.at_boundary();
    return seen;
}

TEST(FrameHeader, IsLittleEndianAndUnsigned) {
    const Bytes bytes = from_hex("fbffff07");
    const FrameHeader header = read_frame_header(bytes.data());
    EXPECT_EQ(header.length, 0xfffffbU);
    EXPECT_EQ(header.sequence, 7);
    Bytes written(frame_header_size);
    write_frame_header(written.data(), {0x010203, 0xff});
    EXPECT_EQ(to_hex(written), "030201ff");
}

TEST(FrameScanner, FindsPacketsOfEverySizeAroundTheLimitAtEveryCut) {
    const std::vector<std::size_t> sizes = {0, 1, 4, 5, 6, 9, 10, 11, 15, 0, 5, 0};
    std::vector<Bytes> packets;
    Bytes stream;
    for (const std::size_t size : sizes) {
        packets.push_back(counted(size));
        append_frames(stream, 0, packets.back(), small_max);
    }
    for (std::size_t cut = 1; cut <= stream.size(); ++cut) {
        const Seen seen = scan(stream, {cut, stream.size()});
        EXPECT_EQ(seen.packets, packets) << cut;
        EXPECT_TRUE(seen.at_boundary);
    }
    EXPECT_EQ(scan(stream, {1}).packets, packets);
    EXPECT_EQ(scan(stream, {3, 1, 7}).packets, packets);
}

TEST(FrameScanner, IsNotAtABoundaryBetweenTheFramesOfOnePacket) {
    Bytes stream;
    append_frames(stream, 0, counted(small_max), small_max);
    ASSERT_EQ(stream.size(), 2 * frame_header_size + small_max);
    stream.resize(frame_header_size + small_max);
    const Seen seen = scan(stream, {stream.size()});
    ASSERT_EQ(seen.packets.size(), 1U);
    EXPECT_FALSE(seen.at_boundary);
}

TEST(FrameScanner, SaysWhichHeaderIsCurrent) {
    const Bytes stream = from_hex("0200000961620000000a");
    FrameScanner scanner;
    EXPECT_TRUE(scanner.at_boundary());
    const auto first = scanner.step(stream);
    EXPECT_EQ(first.what, FrameScanner::Run::What::header);
    EXPECT_TRUE(first.packet_begins);
    EXPECT_FALSE(first.packet_ends);
    EXPECT_EQ(scanner.current().length, 2U);
    EXPECT_EQ(scanner.current().sequence, 9);
    EXPECT_EQ(scanner.payload_left(), 2U);
    EXPECT_TRUE(scanner.step(std::span(stream).subspan(4)).packet_ends);
    const auto empty = scanner.step(std::span(stream).subspan(6));
    EXPECT_TRUE(empty.packet_begins);
    EXPECT_TRUE(empty.packet_ends);
    EXPECT_EQ(scanner.current().sequence, 10);
}

TEST(FrameScanner, SkipsAPayloadInOneStep) {
    Bytes stream = from_hex("ffff0000");
    stream.resize(frame_header_size + 0xffff);
    FrameScanner scanner;
    EXPECT_EQ(scanner.step(stream).size, frame_header_size);
    const auto run = scanner.step(std::span(stream).subspan(frame_header_size));
    EXPECT_EQ(run.size, 0xffffU);
    EXPECT_TRUE(run.packet_ends);
}

TEST(AppendFrames, EndsAnExactMultipleWithAnEmptyFrame) {
    Bytes out;
    EXPECT_EQ(append_frames(out, 254, counted(4), 2), 1);
    EXPECT_EQ(
        to_hex(out),
        "020000fe0102"
        "020000ff0304"
        "00000000"
    );
}

TEST(AppendFrames, SplitsAtTheRealLimit) {
    for (const std::size_t size :
         {std::size_t{0xfffffe}, std::size_t{0xffffff}, std::size_t{0x1000000}}) {
        Bytes out;
        append_frames(out, 0, Bytes(size));
        const std::size_t frames = size < 0xffffff ? 1 : 2;
        EXPECT_EQ(out.size(), size + frames * frame_header_size);
        EXPECT_EQ(read_frame_header(out.data()).length, std::min<std::size_t>(size, 0xffffff));
    }
}

}  // namespace
}  // namespace protocol
