#include "protocol/compressed.hpp"

#include "protocol/bytes.hpp"
#include "protocol/codec.hpp"

#include <algorithm>
#include <utility>

namespace protocol {

CompressedReader::CompressedReader(Compression algorithm) noexcept : algorithm_(algorithm) {}
CompressedReader::CompressedReader(CompressedReader&&) noexcept = default;
CompressedReader& CompressedReader::operator=(CompressedReader&&) noexcept = default;
CompressedReader::~CompressedReader() = default;

Result<CompressedReader::Step> CompressedReader::step(
    std::span<const std::uint8_t> input, std::span<std::uint8_t> output
) {
    Step done;
    for (;;) {
        Progress progress{{}, true};
        switch (where_) {
            case Where::header:
                progress = take_header(input);
                break;
            case Where::stored:
                progress = copy(input, output);
                break;
            case Where::packed:
                progress = unpack(input, output);
                break;
            case Where::failed:
                break;
        }
        if (where_ == Where::failed) return Errc::malformed;
        done.consumed += progress.step.consumed;
        done.produced += progress.step.produced;
        if (progress.waits) return done;
        input = input.subspan(progress.step.consumed);
        output = output.subspan(progress.step.produced);
    }
}

CompressedReader::Progress CompressedReader::take_header(std::span<const std::uint8_t> input) {
    const std::size_t size = std::min(input.size(), compressed_header_size - header_size_);
    std::copy_n(input.begin(), size, header_ + header_size_);
    header_size_ = static_cast<std::uint8_t>(header_size_ + size);
    if (header_size_ < compressed_header_size) return {{size, 0}, true};
    header_size_ = 0;
    begin_packet();
    return {{size, 0}, false};
}

void CompressedReader::begin_packet() {
    ByteReader reader(header_);
    input_left_ = reader.int3();
    last_sequence_ = reader.int1();
    output_left_ = reader.int3();
    if (output_left_ == 0) {
        where_ = input_left_ == 0 ? Where::header : Where::stored;
        return;
    }
    if (input_left_ == 0 || algorithm_ == Compression::none) return fail();
    decoder_ = take_decoder(algorithm_);
    where_ = Where::packed;
}

CompressedReader::Progress CompressedReader::copy(
    std::span<const std::uint8_t> input, std::span<std::uint8_t> output
) noexcept {
    const std::size_t size =
        std::min({input.size(), output.size(), static_cast<std::size_t>(input_left_)});
    std::copy_n(input.begin(), size, output.begin());
    input_left_ -= static_cast<std::uint32_t>(size);
    if (input_left_ == 0) end_packet();
    return {{size, size}, size == 0};
}

CompressedReader::Progress CompressedReader::unpack(
    std::span<const std::uint8_t> input, std::span<std::uint8_t> output
) {
    input = input.first(std::min<std::size_t>(input.size(), input_left_));
    output = output.first(std::min<std::size_t>(output.size(), output_left_));
    if (output.empty() && output_left_ > 0) return {{}, true};
    if (input.empty() && input_left_ > 0 && !pending_) return {{}, true};
    // All content is out: what is left must end it. If more comes out, the header was wrong.
    std::uint8_t surplus = 0;
    const bool at_end = output_left_ == 0;
    const auto room = at_end ? std::span(&surplus, 1) : output;
    const Decoder::Step step = decoder_->step(input, room);
    const bool moved = step.consumed > 0 || step.produced > 0;
    const bool surplus_came = at_end && step.produced > 0;
    const bool stuck = !moved && (!input.empty() || input_left_ == 0);
    input_left_ -= static_cast<std::uint32_t>(step.consumed);
    if (!at_end) output_left_ -= static_cast<std::uint32_t>(step.produced);
    pending_ = step.was_full;

    const bool ended = step.state == Decoder::Step::State::ended;
    const bool short_of = ended && (input_left_ > 0 || output_left_ > 0);
    if (step.state == Decoder::Step::State::bad || surplus_came || short_of || (stuck && !ended)) {
        fail();
        return {{}, true};
    }
    if (ended) end_packet();
    return {{step.consumed, step.produced}, false};
}

void CompressedReader::end_packet() noexcept {
    where_ = Where::header;
    pending_ = false;
    if (decoder_) give_back(algorithm_, std::move(decoder_));
}

void CompressedReader::fail() noexcept {
    where_ = Where::failed;
    pending_ = false;
    decoder_.reset();
}

void CompressedWriter::append(std::vector<std::uint8_t>& out, std::span<const std::uint8_t> bytes) {
    while (!bytes.empty()) {
        const std::size_t size = std::min(bytes.size(), compressed_content_max);
        append_packet(out, bytes.first(size));
        bytes = bytes.subspan(size);
    }
}

void CompressedWriter::append_packet(
    std::vector<std::uint8_t>& out, std::span<const std::uint8_t> content
) {
    const std::size_t begin = out.size();
    const std::size_t body = begin + compressed_header_size;
    out.resize(body);
    std::size_t size = 0;
    if (content.size() >= compressed_content_min) {
        // Room for less than the content itself: what does not fit there does not shrink.
        out.resize(body + content.size() - 1);
        size = encode(algorithm_, level_, content, std::span(out).subspan(body));
        out.resize(body + size);
    }
    const bool stored = size == 0;
    if (stored) out.insert(out.end(), content.begin(), content.end());
    const std::size_t sizes[] = {out.size() - body, stored ? 0 : content.size()};
    for (std::size_t byte = 0; byte < 3; ++byte) {
        out[begin + byte] = static_cast<std::uint8_t>(sizes[0] >> (8 * byte));
        out[begin + 4 + byte] = static_cast<std::uint8_t>(sizes[1] >> (8 * byte));
    }
    out[begin + 3] = sequence_++;
}

}  // namespace protocol
