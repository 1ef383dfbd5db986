// CompressedReader: the outcome must not depend on how input and output are cut, and whatever the
// writer wrote comes back. Input: algorithm, what to do, cut seed, room seed, then a stream of
// packets or the content of some.

#include "protocol/compressed.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <vector>

namespace {

using protocol::CompressedReader;
using protocol::CompressedWriter;
using protocol::Compression;
using Bytes = std::vector<std::uint8_t>;

// A few bytes can hold millions; the rest of them would tell nothing new.
constexpr std::size_t content_max = 1U << 18;

void require(bool condition) {
    if (!condition) std::abort();
}

struct Outcome {
    Bytes content;
    bool failed = false;
    bool full = false;  // stopped at content_max
    bool at_boundary = false;
    std::uint8_t last_sequence = 0;
};

// The sizes of the pieces: large, single bytes, or by a small generator.
class Sizes {
public:
    Sizes(std::uint32_t seed, std::size_t large) : seed_(seed), large_(large) {}
    std::size_t next() {
        if (seed_ == 0) return large_;
        if (seed_ == 1) return 1;
        state_ = state_ * 1664525U + seed_;
        return (state_ >> 24) % 37 + 1;
    }

private:
    std::uint32_t seed_;
    std::size_t large_;
    std::uint32_t state_ = 1;
};

// False when there is nothing more to do.
bool take(
    CompressedReader& reader, std::span<const std::uint8_t> input, Sizes& rooms, Outcome& to
) {
    do {
        Bytes output(std::min(rooms.next(), content_max - to.content.size()));
        const auto step = reader.step(input, output);
        if (!step) {
            require(!reader.step(input, output).has_value());
            to.failed = true;
            return false;
        }
        require(step->consumed <= input.size() && step->produced <= output.size());
        require(step->consumed == input.size() || step->produced == output.size());
        output.resize(step->produced);
        to.content.insert(to.content.end(), output.begin(), output.end());
        to.full = to.content.size() == content_max;
        if (to.full) return false;
        input = input.subspan(step->consumed);
    } while (!input.empty() || reader.has_pending());
    return true;
}

Outcome read(
    Compression algorithm,
    std::span<const std::uint8_t> stream,
    std::uint32_t cut_seed,
    std::uint32_t room_seed
) {
    CompressedReader reader(algorithm);
    Sizes cuts(cut_seed, stream.size());
    Sizes rooms(room_seed, 4096);
    Outcome outcome;
    while (!stream.empty()) {
        const std::size_t size = std::min(cuts.next(), stream.size());
        if (!take(reader, stream.first(size), rooms, outcome)) return outcome;
        stream = stream.subspan(size);
    }
    outcome.at_boundary = reader.at_boundary();
    outcome.last_sequence = reader.last_sequence();
    return outcome;
}

void require_same(const Outcome& left, const Outcome& right) {
    const std::size_t common = std::min(left.content.size(), right.content.size());
    require(std::equal(
        left.content.begin(),
        left.content.begin() + static_cast<std::ptrdiff_t>(common),
        right.content.begin()
    ));
    if (left.full || right.full) return;
    require(left.failed == right.failed);
    if (left.failed) return;
    require(left.content.size() == right.content.size());
    require(left.at_boundary == right.at_boundary);
    require(left.last_sequence == right.last_sequence);
}

void check_round_trip(
    Compression algorithm, int level, std::span<const std::uint8_t> content, std::uint32_t seed
) {
    CompressedWriter writer(algorithm, level);
    Sizes pieces(seed, 300);
    Bytes stream;
    std::size_t packets = 0;
    for (std::size_t position = 0; position < content.size();) {
        const std::size_t size = std::min(pieces.next(), content.size() - position);
        writer.append(stream, content.subspan(position, size));
        position += size;
        ++packets;
    }
    const Outcome outcome = read(algorithm, stream, seed, seed);
    require(!outcome.failed && outcome.at_boundary);
    require(
        std::equal(content.begin(), content.end(), outcome.content.begin(), outcome.content.end())
    );
    require(writer.next_sequence() == static_cast<std::uint8_t>(packets));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    constexpr std::size_t head_size = 4;
    if (size < head_size) return 0;
    const std::span<const std::uint8_t> input(data, size);
    static constexpr Compression algorithms[] = {
        Compression::zlib, Compression::zstd, Compression::none};
    const Compression algorithm = algorithms[input[0] % std::size(algorithms)];
    const std::span<const std::uint8_t> bytes = input.subspan(head_size);
    if (input[1] >= 128) {
        const std::size_t most = std::min(bytes.size(), content_max - 1);
        check_round_trip(algorithm, input[1] - 128, bytes.first(most), input[2]);
        return 0;
    }
    const Outcome whole = read(algorithm, bytes, 0, 0);
    require_same(whole, read(algorithm, bytes, 1, input[3] + 1U));
    require_same(whole, read(algorithm, bytes, input[2] + 2U, input[3]));
    return 0;
}
