#include "protocol/compressed.hpp"

#include "captures.hpp"
#include "captures_compressed.hpp"
#include "hex.hpp"
#include "protocol/bytes.hpp"
#include "protocol/codec.hpp"
#include "protocol/frame.hpp"
#include "protocol/packets.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <string>

namespace protocol {
namespace {

constexpr Compression algorithms[] = {Compression::zlib, Compression::zstd};

std::string name_of(Compression algorithm) {
    return algorithm == Compression::zlib ? "zlib" : "zstd";
}

// What a server said, as one stream: shrinks like real traffic.
Bytes replies() {
    Bytes bytes;
    for (const Capture& capture : mysql_captures()) {
        for (const std::string_view frame : capture.frames) {
            const Bytes part = from_hex(frame);
            bytes.insert(bytes.end(), part.begin(), part.end());
        }
    }
    return bytes;
}

// Does not shrink.
Bytes noise(std::size_t size) {
    Bytes bytes(size);
    std::uint32_t state = 1;
    for (std::uint8_t& byte : bytes) {
        state = state * 1664525U + 1013904223U;
        byte = static_cast<std::uint8_t>(state >> 24);
    }
    return bytes;
}

void add(Bytes& to, const Bytes& bytes) {
    to.insert(to.end(), bytes.begin(), bytes.end());
}

Bytes packet(std::size_t plain_size, const Bytes& body) {
    Bytes bytes(compressed_header_size);
    write_frame_header(bytes.data(), {static_cast<std::uint32_t>(body.size()), 9});
    for (std::size_t byte = 0; byte < 3; ++byte) {
        bytes[4 + byte] = static_cast<std::uint8_t>(plain_size >> (8 * byte));
    }
    add(bytes, body);
    return bytes;
}

Bytes encoded(Compression algorithm, const Bytes& content) {
    Bytes body(content.size() + 1024);
    body.resize(encode(algorithm, -1, content, body));
    return body;
}

struct Read {
    Bytes bytes;
    bool failed = false;
    std::uint8_t last_sequence = 0;
    bool at_boundary = false;
};

// `next_input` and `next_output` say how much is given at a time.
Read read_in_pieces(
    Compression algorithm,
    const Bytes& stream,
    const std::function<std::size_t(std::size_t)>& next_input,
    std::size_t output_size
) {
    CompressedReader reader(algorithm);
    Read read;
    Bytes output(output_size);
    std::size_t position = 0;
    while (position < stream.size()) {
        const std::size_t wanted = std::max<std::size_t>(next_input(position), 1);
        auto input =
            std::span(stream).subspan(position, std::min(wanted, stream.size() - position));
        position += input.size();
        do {
            const auto step = reader.step(input, output);
            if (!step) {
                read.failed = true;
                EXPECT_EQ(step.error(), make_error_code(Errc::malformed));
                EXPECT_FALSE(reader.step({}, output).has_value());
                EXPECT_FALSE(reader.has_pending());
                return read;
            }
            EXPECT_TRUE(step->consumed == input.size() || step->produced == output_size);
            read.bytes.insert(
                read.bytes.end(),
                output.begin(),
                output.begin() + static_cast<std::ptrdiff_t>(step->produced)
            );
            input = input.subspan(step->consumed);
        } while (!input.empty() || reader.has_pending());
    }
    read.last_sequence = reader.last_sequence();
    read.at_boundary = reader.at_boundary();
    return read;
}

Read read_whole(Compression algorithm, const Bytes& stream) {
    return read_in_pieces(
        algorithm, stream, [&](std::size_t) { return stream.size(); }, 1U << 16
    );
}

TEST(CompressedWriter, StoresWhatIsShort) {
    for (const Compression algorithm : algorithms) {
        CompressedWriter writer(algorithm, 6);
        Bytes out = from_hex("aa");
        writer.append(out, from_hex("0100000001"));
        EXPECT_EQ(
            to_hex(out),
            "aa"
            "05000000000000"
            "0100000001"
        );
        out.clear();
        writer.append(out, Bytes(compressed_content_min - 1));
        EXPECT_EQ(to_hex(out).substr(0, 14), "31000001000000");
        out.clear();
        writer.append(out, Bytes(compressed_content_min));
        EXPECT_EQ(to_hex(out).substr(6, 8), "02320000");
        EXPECT_LT(out.size(), compressed_content_min);
        EXPECT_EQ(writer.next_sequence(), 3);
    }
}

TEST(CompressedWriter, WritesNothingForNothing) {
    CompressedWriter writer(Compression::zlib, 6);
    Bytes out;
    writer.append(out, {});
    EXPECT_TRUE(out.empty());
    EXPECT_EQ(writer.next_sequence(), 0);
}

TEST(CompressedWriter, StoresWhatDoesNotShrink) {
    const Bytes content = noise(1000);
    for (const Compression algorithm : {Compression::none, Compression::zlib, Compression::zstd}) {
        CompressedWriter writer(algorithm, 6);
        writer.set_sequence(7);
        Bytes out;
        writer.append(out, content);
        EXPECT_EQ(out.size(), compressed_header_size + content.size());
        EXPECT_EQ(to_hex(out).substr(0, 14), "e8030007000000");
        EXPECT_TRUE(std::equal(content.begin(), content.end(), out.begin() + 7));
    }
}

TEST(CompressedWriter, CountsItsPacketsAndWraps) {
    const Bytes content(3 * compressed_content_max + 1);
    CompressedWriter writer(Compression::zstd, 1);
    writer.set_sequence(254);
    Bytes out;
    writer.append(out, content);
    EXPECT_EQ(writer.next_sequence(), 2);
    const Read read = read_whole(Compression::zstd, out);
    EXPECT_EQ(read.bytes, content);
    EXPECT_EQ(read.last_sequence, 1);
}

// A level that the algorithm does not have is its default, and one level leaves no trace in the
// next.
TEST(CompressedWriter, KnowsEveryLevel) {
    const Bytes content = replies();
    for (const Compression algorithm : algorithms) {
        std::vector<std::size_t> sizes;
        for (const int level : {0, 1, -1, 9, 6, 1, 3, 22, 23, 1000, -1000, 3}) {
            Bytes out;
            CompressedWriter(algorithm, level).append(out, content);
            EXPECT_EQ(read_whole(algorithm, out).bytes, content) << level;
            sizes.push_back(out.size());
        }
        EXPECT_EQ(sizes[0], sizes[2]);
        EXPECT_EQ(sizes[1], sizes[5]);
        EXPECT_EQ(sizes[9], sizes[10]);
        EXPECT_GT(sizes[1], sizes[3]);
    }
}

// Stored packets among compressed ones, empty ones, ones that do not shrink.
Bytes mixed_stream(Compression algorithm, Bytes& content) {
    CompressedWriter writer(algorithm, 0);
    Bytes stream;
    const auto append = [&](const Bytes& bytes) {
        writer.append(stream, bytes);
        add(content, bytes);
    };
    const Bytes text = replies();
    append(Bytes(text.begin(), text.begin() + 700));
    append(from_hex("0100000001"));
    add(stream, packet(0, {}));
    append(noise(60));
    append(Bytes(text.begin() + 700, text.begin() + 1100));
    append(Bytes(300, 0x61));
    return stream;
}

TEST(CompressedReader, GivesTheSameAtEveryCut) {
    for (const Compression algorithm : algorithms) {
        Bytes content;
        const Bytes stream = mixed_stream(algorithm, content);
        for (std::size_t cut = 1; cut < stream.size(); ++cut) {
            for (const std::size_t room : {std::size_t{1}, std::size_t{64}, content.size()}) {
                const auto next = [&](std::size_t position) {
                    return position < cut ? cut - position : stream.size();
                };
                const Read read = read_in_pieces(algorithm, stream, next, room);
                ASSERT_FALSE(read.failed) << name_of(algorithm) << " " << cut << " " << room;
                ASSERT_EQ(read.bytes, content) << name_of(algorithm) << " " << cut << " " << room;
                ASSERT_TRUE(read.at_boundary);
            }
        }
    }
}

TEST(CompressedReader, GivesTheSameInSmallPieces) {
    for (const Compression algorithm : algorithms) {
        Bytes content;
        const Bytes stream = mixed_stream(algorithm, content);
        for (const std::size_t size : {1U, 2U, 3U, 7U, 8U, 50U}) {
            for (const std::size_t room : {1U, 2U, 5U, 33U, 4096U}) {
                const Read read = read_in_pieces(
                    algorithm, stream, [&](std::size_t) { return size; }, room
                );
                EXPECT_EQ(read.bytes, content) << name_of(algorithm) << size << " " << room;
                EXPECT_TRUE(read.at_boundary);
            }
        }
    }
}

std::uint32_t crc32_of(const Bytes& bytes) {
    std::uint32_t crc = 0xffffffff;
    for (const std::uint8_t byte : bytes) {
        crc ^= byte;
        for (int bit = 0; bit < 8; ++bit) {
            crc = crc >> 1 ^ ((crc & 1) != 0 ? 0xedb88320U : 0);
        }
    }
    return ~crc;
}

TEST(CompressedReader, ReadsWhatRealServersSendAtEveryCut) {
    for (const CompressedCapture& capture : compressed_captures()) {
        const Bytes stream = from_hex(capture.stream);
        const Bytes content = read_whole(capture.algorithm, stream).bytes;
        ASSERT_EQ(content.size(), capture.content_size) << capture.name;
        EXPECT_EQ(crc32_of(content), capture.content_crc32) << capture.name;
        for (std::size_t cut = 1; cut < stream.size(); ++cut) {
            const auto next = [&](std::size_t position) {
                return position < cut ? cut - position : stream.size();
            };
            const Read read = read_in_pieces(capture.algorithm, stream, next, 1000);
            ASSERT_FALSE(read.failed) << capture.name << " " << cut;
            ASSERT_TRUE(read.bytes == content) << capture.name << " " << cut;
            ASSERT_TRUE(read.at_boundary);
        }
    }
}

TEST(CompressedReader, GivesThePacketsOfRealServers) {
    for (const CompressedCapture& capture : compressed_captures()) {
        const Bytes content = read_whole(capture.algorithm, from_hex(capture.stream)).bytes;
        const std::string letters(as_text(content));
        EXPECT_NE(letters.find("abcabcabcabc"), std::string::npos);
        FrameScanner scanner;
        std::span<const std::uint8_t> left(content);
        std::span<const std::uint8_t> last;
        std::size_t packets = 0;
        while (!left.empty()) {
            const auto run = scanner.step(left);
            last = left.first(run.size);
            left = left.subspan(run.size);
            packets += run.packet_ends ? 1U : 0U;
        }
        EXPECT_TRUE(scanner.at_boundary());
        EXPECT_EQ(packets, capture.packets);
        const auto err = decode_err(last, plain);
        ASSERT_TRUE(err.has_value());
        EXPECT_EQ(err->message, "No database selected");
    }
}

TEST(CompressedWriter, WritesWhatIsReadAgain) {
    for (const CompressedCapture& capture : compressed_captures()) {
        const Bytes content = read_whole(capture.algorithm, from_hex(capture.stream)).bytes;
        CompressedWriter writer(capture.algorithm, -1);
        Bytes stream;
        for (std::size_t position = 0; position < content.size(); position += 977) {
            const auto piece = std::span(content).subspan(position);
            writer.append(stream, piece.first(std::min<std::size_t>(piece.size(), 977)));
        }
        EXPECT_LT(stream.size(), content.size() / 2);
        EXPECT_TRUE(read_whole(capture.algorithm, stream).bytes == content);
    }
}

// Each of the reader's states can be moved away from.
TEST(CompressedReader, CanBeMovedAtAnyPoint) {
    for (const Compression algorithm : algorithms) {
        Bytes content;
        const Bytes stream = mixed_stream(algorithm, content);
        Bytes bytes;
        Bytes output(4096);
        CompressedReader reader(algorithm);
        for (const std::uint8_t byte : stream) {
            CompressedReader next(std::move(reader));
            const auto step = next.step({&byte, 1}, output);
            ASSERT_TRUE(step.has_value());
            bytes.insert(
                bytes.end(),
                output.begin(),
                output.begin() + static_cast<std::ptrdiff_t>(step->produced)
            );
            reader = std::move(next);
        }
        EXPECT_EQ(bytes, content);
    }
}

TEST(CompressedReader, ReadsTheLargestPacketThereIs) {
    Bytes content(0xffffff);
    const Bytes text = replies();
    for (std::size_t index = 0; index < content.size(); ++index) {
        content[index] = static_cast<std::uint8_t>(text[index % text.size()] ^ (index >> 16));
    }
    for (const Compression algorithm : algorithms) {
        const Bytes stream = packet(content.size(), encoded(algorithm, content));
        EXPECT_TRUE(read_whole(algorithm, stream).bytes == content) << name_of(algorithm);
    }
    EXPECT_TRUE(read_whole(Compression::none, packet(0, content)).bytes == content);
}

// However much a packet holds, it only fills what it is given.
TEST(CompressedReader, ABombFillsTheOutputOnly) {
    for (const Compression algorithm : algorithms) {
        const Bytes stream = packet(0xffffff, encoded(algorithm, Bytes(0xffffff)));
        EXPECT_LT(stream.size(), 20'000U);
        CompressedReader reader(algorithm);
        Bytes output(1000);
        std::size_t position = 0;
        for (int round = 0; round < 100; ++round) {
            const auto step = reader.step(std::span(stream).subspan(position), output);
            ASSERT_TRUE(step.has_value());
            ASSERT_EQ(step->produced, output.size());
            position += step->consumed;
        }
    }
}

TEST(CompressedReader, SaysThatOutputIsPending) {
    for (const Compression algorithm : algorithms) {
        const Bytes stream = packet(1000, encoded(algorithm, Bytes(1000)));
        CompressedReader reader(algorithm);
        Bytes output(999);
        EXPECT_FALSE(reader.has_pending());
        const auto first = reader.step(stream, output);
        ASSERT_TRUE(first.has_value());
        EXPECT_EQ(first->produced, 999U);
        EXPECT_TRUE(reader.has_pending());
        const auto second = reader.step(std::span(stream).subspan(first->consumed), output);
        ASSERT_TRUE(second.has_value());
        EXPECT_EQ(second->produced, 1U);
        EXPECT_FALSE(reader.has_pending());
        EXPECT_TRUE(reader.at_boundary());
        EXPECT_EQ(reader.last_sequence(), 9);
    }
}

struct Malformed {
    std::string what;
    Bytes stream;
};

std::vector<Malformed> malformed(Compression algorithm) {
    const Bytes content(200, 0x61);
    const Bytes body = encoded(algorithm, content);
    Bytes short_body(body.begin(), body.end() - 1);
    Bytes long_body = body;
    long_body.push_back(0);
    Bytes twice = body;
    add(twice, body);
    Bytes damaged = body;
    damaged[0] ^= 0xff;
    return {
        {"one byte less than the header says", packet(content.size() + 1, body)},
        {"one byte more than the header says", packet(content.size() - 1, body)},
        {"a bomb that calls itself small", packet(1, body)},
        {"cut short", packet(content.size(), short_body)},
        {"a byte behind the end", packet(content.size(), long_body)},
        {"content behind the end", packet(content.size(), twice)},
        {"content twice, as long as the header says", packet(2 * content.size(), twice)},
        {"damaged at the begin", packet(content.size(), damaged)},
        {"not compressed at all", packet(content.size(), content)},
        {"nothing that becomes something", packet(1, {})},
    };
}

TEST(CompressedReader, RefusesWhatIsNotAsItsHeaderSays) {
    for (const Compression algorithm : algorithms) {
        for (const Malformed& item : malformed(algorithm)) {
            Bytes stream = packet(0, from_hex("0100000001"));
            add(stream, item.stream);
            EXPECT_TRUE(read_whole(algorithm, stream).failed) << item.what;
            for (const std::size_t room : {1U, 7U, 200U, 201U}) {
                const auto single = [](std::size_t) { return std::size_t{1}; };
                const Read read = read_in_pieces(algorithm, stream, single, room);
                EXPECT_TRUE(read.failed) << name_of(algorithm) << " " << item.what << " " << room;
            }
        }
    }
}

TEST(CompressedReader, TakesOnlyTheAlgorithmThatWasAgreedOn) {
    const Bytes content(200, 0x61);
    for (const Compression algorithm : algorithms) {
        const Bytes stream = packet(content.size(), encoded(algorithm, content));
        for (const Compression other : {Compression::none, Compression::zlib, Compression::zstd}) {
            EXPECT_EQ(read_whole(other, stream).failed, other != algorithm);
        }
    }
}

// After a packet that was given up, the next connection's reader begins afresh.
TEST(CompressedReader, LeavesNothingBehindForTheNext) {
    for (const Compression algorithm : algorithms) {
        const Bytes content = replies();
        const Bytes stream = packet(content.size(), encoded(algorithm, content));
        for (std::size_t size = 0; size < stream.size(); size += 40) {
            const Bytes part(stream.begin(), stream.begin() + static_cast<std::ptrdiff_t>(size));
            EXPECT_FALSE(read_whole(algorithm, part).failed);
            EXPECT_EQ(read_whole(algorithm, stream).bytes, content);
        }
    }
}

// Blocks so short that several end while the decoder is still fed what may be its header.
TEST(CompressedReader, ReadsZstdBlocksOfOneByte) {
    const Bytes stream = packet(3, from_hex("28b52ffd 20 03 08000061 08000062 09000063"));
    for (const std::size_t size : {1U, 5U, 10U, 25U}) {
        for (const std::size_t room : {1U, 2U, 3U, 4U}) {
            const Read read = read_in_pieces(
                Compression::zstd, stream, [&](std::size_t) { return size; }, room
            );
            EXPECT_EQ(to_hex(read.bytes), "616263") << size << " " << room;
        }
    }
}

// Formats from before zstd's first release, and frames to be skipped.
TEST(CompressedReader, RefusesOtherKindsOfZstd) {
    const std::string rest = " 20 03 08000061 08000062 09000063";
    for (const std::string_view magic : {"25b52ffd", "26b52ffd", "27b52ffd", "1eb52ffd"}) {
        const Bytes stream = packet(3, from_hex(std::string(magic) + rest));
        EXPECT_TRUE(read_whole(Compression::zstd, stream).failed) << magic;
    }
    const Bytes skipped = from_hex("502a4d18 01000000 ff 28b52ffd" + rest);
    EXPECT_TRUE(read_whole(Compression::zstd, packet(3, skipped)).failed);
    EXPECT_TRUE(read_whole(Compression::zstd, packet(3, from_hex("28b52ffe"))).failed);
}

// The packet goes on, but what came with the begin of its frame is out. Three of its bytes are all
// there should be, so the fourth is one too many.
TEST(CompressedReader, HoldsNothingOfZstdBack) {
    const std::string head = "ff0000 01 030000 28b52ffd a0 03080000";
    for (const std::string_view letters : {"616263", "61626364"}) {
        const Bytes stream = from_hex(head + "610800" + std::string(letters));
        const bool too_many = letters.size() > 6;
        const Read read = read_whole(Compression::zstd, stream);
        EXPECT_EQ(read.failed, too_many);
        EXPECT_EQ(to_hex(read.bytes), too_many ? "" : "616263");
        const auto single = [](std::size_t) { return std::size_t{1}; };
        EXPECT_EQ(read_in_pieces(Compression::zstd, stream, single, 1).failed, too_many);
    }
}

// Window of 32 MiB: more than a packet can hold. However it is cut, and although the content that
// the header names is small.
TEST(CompressedReader, RefusesAZstdWindowLargerThanAnyPacket) {
    const std::string blocks = "08000061 08000062 09000063";
    for (const std::string_view window : {"70", "78"}) {
        const Bytes frame = from_hex("28b52ffd 80" + std::string(window) + "03000000" + blocks);
        const Bytes stream = packet(3, frame);
        const bool refused = window == "78";
        EXPECT_EQ(read_whole(Compression::zstd, stream).failed, refused);
        const auto single = [](std::size_t) { return std::size_t{1}; };
        EXPECT_EQ(read_in_pieces(Compression::zstd, stream, single, 100).failed, refused);
    }
}

}  // namespace
}  // namespace protocol
