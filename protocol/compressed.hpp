#pragma once
// The layer of compressed packets that lies around the ordinary frames once compression is agreed
// on: 3 bytes length of what follows (little endian), 1 byte sequence (of its own, from 0 at each
// command), 3 bytes length before compression, 0 where it is stored as it is. It may cut the frames
// inside anywhere. Source: MySQL "Compressed Packet", MariaDB "Compressed packet".
//
// No memory is taken on the word of these lengths, and what is decoded goes into the caller's
// buffer only. zlib needs 32 KiB of history; zstd as much as the peer's frame names, at most 16
// MiB, and only while that frame lasts. Values of one owner, any thread. Throws std::bad_alloc
// only.

#include "protocol/errc.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace protocol {

enum class Compression : std::uint8_t { none, zlib, zstd };

inline constexpr std::size_t compressed_header_size = 7;
// Shorter content is stored as it is, as the server does.
inline constexpr std::size_t compressed_content_min = 50;
// The protocol allows 16 MiB - 1. More than this compresses no better, but must be received whole
// before a peer can begin to decode, and takes much more memory to compress.
inline constexpr std::size_t compressed_content_max = 262'144;

class Decoder;

// Takes the layer off. With Compression::none only stored packets are accepted.
class CompressedReader {
public:
    explicit CompressedReader(Compression algorithm) noexcept;
    CompressedReader(CompressedReader&&) noexcept;
    CompressedReader& operator=(CompressedReader&&) noexcept;
    ~CompressedReader();

    struct Step {
        std::size_t consumed = 0;
        std::size_t produced = 0;
    };
    // Decodes until the input is used up or the output is full; both may be cut anywhere. Malformed
    // when the content is damaged, or more or less than its header says; then for good. The
    // sequence is not judged.
    [[nodiscard]] Result<Step> step(
        std::span<const std::uint8_t> input, std::span<std::uint8_t> output
    );
    // Of the last header that was seen whole.
    [[nodiscard]] std::uint8_t last_sequence() const noexcept { return last_sequence_; }
    // More output may come without further input.
    [[nodiscard]] bool has_pending() const noexcept { return pending_; }
    // No byte of a next packet has been seen.
    [[nodiscard]] bool at_boundary() const noexcept {
        return where_ == Where::header && header_size_ == 0;
    }

private:
    enum class Where : std::uint8_t { header, stored, packed, failed };
    struct Progress {
        Step step;
        bool waits = false;  // for input or for room
    };

    [[nodiscard]] Progress take_header(std::span<const std::uint8_t> input);
    [[nodiscard]] Progress copy(
        std::span<const std::uint8_t> input, std::span<std::uint8_t> output
    ) noexcept;
    [[nodiscard]] Progress unpack(
        std::span<const std::uint8_t> input, std::span<std::uint8_t> output
    );
    void begin_packet();
    void end_packet() noexcept;
    void fail() noexcept;

    Compression algorithm_;
    Where where_ = Where::header;
    bool pending_ = false;
    std::uint8_t last_sequence_ = 0;
    std::uint8_t header_size_ = 0;  // bytes held
    std::uint8_t header_[compressed_header_size] = {};
    std::uint32_t input_left_ = 0;      // of the packet's content
    std::uint32_t output_left_ = 0;     // what must still come out of it
    std::unique_ptr<Decoder> decoder_;  // only inside a compressed packet
};

// Puts the layer on.
class CompressedWriter {
public:
    // A level outside of the algorithm's range means its default.
    CompressedWriter(Compression algorithm, int level) noexcept
        : algorithm_(algorithm), level_(level) {}

    // Appends `bytes` to `out` as packets; stored where they are short or would not shrink.
    void append(std::vector<std::uint8_t>& out, std::span<const std::uint8_t> bytes);
    // The next packet has this sequence, later ones count on and wrap after 255.
    void set_sequence(std::uint8_t next) noexcept { sequence_ = next; }
    [[nodiscard]] std::uint8_t next_sequence() const noexcept { return sequence_; }

private:
    void append_packet(std::vector<std::uint8_t>& out, std::span<const std::uint8_t> content);

    Compression algorithm_;
    std::uint8_t sequence_ = 0;
    int level_;
};

}  // namespace protocol
