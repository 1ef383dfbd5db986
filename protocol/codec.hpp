#pragma once
// zlib and zstd behind one face, for the frames of compressed.hpp. Their contexts are large (a
// quarter of a megabyte to compress with zlib), so nobody holds one between two frames: each thread
// keeps one spare of a kind. Throws std::bad_alloc only.

#include "protocol/compressed.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace protocol {

// Decodes the content of one frame, in pieces.
class Decoder {
public:
    struct Step {
        std::size_t consumed = 0;
        std::size_t produced = 0;
        bool was_full = false;  // more may come without further input
        enum class State : std::uint8_t { goes_on, ended, bad } state = State::goes_on;
    };

    Decoder() = default;
    Decoder(const Decoder&) = delete;
    Decoder& operator=(const Decoder&) = delete;
    virtual ~Decoder() = default;

    // `output` must not be empty. May be called without input for what it still holds.
    [[nodiscard]] virtual Step step(
        std::span<const std::uint8_t> input, std::span<std::uint8_t> output
    ) = 0;
    // For the next frame. False: it has grown too large to be kept.
    [[nodiscard]] virtual bool reset() noexcept = 0;
};

// Null for Compression::none.
[[nodiscard]] std::unique_ptr<Decoder> take_decoder(Compression algorithm);
void give_back(Compression algorithm, std::unique_ptr<Decoder> decoder) noexcept;

// Compresses all of `bytes` into the begin of `output`. Returns the size there, or 0 where it does
// not fit.
[[nodiscard]] std::size_t encode(
    Compression algorithm,
    int level,
    std::span<const std::uint8_t> bytes,
    std::span<std::uint8_t> output
);

}  // namespace protocol
