#include "protocol/codec.hpp"

#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <new>
#include <utility>

namespace protocol {
namespace {

constexpr std::size_t kept_bytes_max = 1U << 20;    // what a spare zstd decoder may hold
constexpr std::size_t kept_encoder_max = 8U << 20;  // likewise an encoder
constexpr int window_log_max = 24;                  // no frame has more content than that

class ZlibDecoder final : public Decoder {
public:
    ZlibDecoder() {
        if (inflateInit(&stream_) != Z_OK) throw std::bad_alloc();
    }
    ~ZlibDecoder() override { inflateEnd(&stream_); }
    ZlibDecoder(const ZlibDecoder&) = delete;
    ZlibDecoder& operator=(const ZlibDecoder&) = delete;

    Step step(std::span<const std::uint8_t> input, std::span<std::uint8_t> output) override {
        stream_.next_in = const_cast<Bytef*>(input.data());  // zlib only reads it
        stream_.avail_in = static_cast<uInt>(input.size());
        stream_.next_out = output.data();
        stream_.avail_out = static_cast<uInt>(output.size());
        const int result = inflate(&stream_, Z_NO_FLUSH);
        if (result == Z_MEM_ERROR) throw std::bad_alloc();
        Step step{input.size() - stream_.avail_in, output.size() - stream_.avail_out};
        step.was_full = stream_.avail_out == 0;
        if (result == Z_STREAM_END) step.state = Step::State::ended;
        // A call that changes nothing is Z_BUF_ERROR and does no harm.
        const bool good = result == Z_OK || result == Z_STREAM_END || result == Z_BUF_ERROR;
        if (!good) step.state = Step::State::bad;
        return step;
    }
    bool reset() noexcept override { return inflateReset(&stream_) == Z_OK; }

private:
    z_stream stream_{};
};

class ZstdDecoder final : public Decoder {
public:
    ZstdDecoder() : context_(ZSTD_createDCtx()) {
        if (context_ == nullptr) throw std::bad_alloc();
        // The window is reserved as soon as a frame names it, and filled by content only.
        ZSTD_DCtx_setParameter(context_, ZSTD_d_windowLogMax, window_log_max);
    }
    ~ZstdDecoder() override { ZSTD_freeDCtx(context_); }
    ZstdDecoder(const ZstdDecoder&) = delete;
    ZstdDecoder& operator=(const ZstdDecoder&) = delete;

    Step step(std::span<const std::uint8_t> input, std::span<std::uint8_t> output) override {
        if (!begins_well(input)) return {0, 0, false, Step::State::bad};
        // No room while it reads its header. With room it would take a shortcut for whole frames
        // that skips the limit on the window, so that the result depended on how input is cut.
        if (consumed_ < header_bytes_max && !input.empty()) {
            const auto head = input.first(std::min(input.size(), header_bytes_max - consumed_));
            const Step step = decode(head, output.first(0));
            // Otherwise the header is complete, and content behind it waits for room.
            if (step.consumed > 0 || step.state != Step::State::goes_on) return step;
        }
        return decode(input, output);
    }
    bool reset() noexcept override {
        consumed_ = 0;
        ZSTD_DCtx_reset(context_, ZSTD_reset_session_only);
        return ZSTD_sizeof_DCtx(context_) <= kept_bytes_max;
    }

private:
    static constexpr std::size_t header_bytes_max = 18;

    // The library knows formats from before the first release as well, and skips frames without
    // content. Nobody speaks those here, so nobody shall reach the code that does.
    [[nodiscard]] bool begins_well(std::span<const std::uint8_t> input) const noexcept {
        static constexpr std::array<std::uint8_t, 4> magic = {0x28, 0xb5, 0x2f, 0xfd};
        if (consumed_ >= magic.size()) return true;
        const std::size_t size = std::min(input.size(), magic.size() - consumed_);
        return std::equal(
            input.begin(),
            input.begin() + static_cast<std::ptrdiff_t>(size),
            magic.begin() + consumed_
        );
    }

    Step decode(std::span<const std::uint8_t> input, std::span<std::uint8_t> output) {
        ZSTD_inBuffer in{input.data(), input.size(), 0};
        ZSTD_outBuffer out{output.data(), output.size(), 0};
        const std::size_t result = ZSTD_decompressStream(context_, &out, &in);
        consumed_ += in.pos;
        Step step{in.pos, out.pos};
        step.was_full = out.pos == out.size;
        if (ZSTD_isError(result) != 0) {
            if (ZSTD_getErrorCode(result) == ZSTD_error_memory_allocation) throw std::bad_alloc();
            step.state = Step::State::bad;
        } else if (result == 0) {
            step.state = Step::State::ended;
        }
        return step;
    }

    ZSTD_DCtx* context_;
    std::size_t consumed_ = 0;
};

class ZlibEncoder {
public:
    ZlibEncoder() {
        if (deflateInit(&stream_, Z_DEFAULT_COMPRESSION) != Z_OK) throw std::bad_alloc();
    }
    ~ZlibEncoder() { deflateEnd(&stream_); }
    ZlibEncoder(const ZlibEncoder&) = delete;
    ZlibEncoder& operator=(const ZlibEncoder&) = delete;

    std::size_t encode(
        int level, std::span<const std::uint8_t> bytes, std::span<std::uint8_t> output
    ) noexcept {
        const bool known = level >= Z_BEST_SPEED && level <= Z_BEST_COMPRESSION;
        const int wanted = known ? level : Z_DEFAULT_COMPRESSION;
        deflateReset(&stream_);
        stream_.next_in = const_cast<Bytef*>(bytes.data());  // zlib only reads it
        stream_.avail_in = static_cast<uInt>(bytes.size());
        stream_.next_out = output.data();
        stream_.avail_out = static_cast<uInt>(output.size());
        if (wanted != level_) deflateParams(&stream_, wanted, Z_DEFAULT_STRATEGY);
        level_ = wanted;
        if (deflate(&stream_, Z_FINISH) != Z_STREAM_END) return 0;
        return output.size() - stream_.avail_out;
    }

private:
    z_stream stream_{};
    int level_ = Z_DEFAULT_COMPRESSION;
};

class ZstdEncoder {
public:
    ZstdEncoder() : context_(ZSTD_createCCtx()) {
        if (context_ == nullptr) throw std::bad_alloc();
    }
    ~ZstdEncoder() { ZSTD_freeCCtx(context_); }
    ZstdEncoder(const ZstdEncoder&) = delete;
    ZstdEncoder& operator=(const ZstdEncoder&) = delete;

    std::size_t encode(
        int level, std::span<const std::uint8_t> bytes, std::span<std::uint8_t> output
    ) noexcept {
        const bool known = level >= 1 && level <= ZSTD_maxCLevel();
        const std::size_t size = ZSTD_compressCCtx(
            context_,
            output.data(),
            output.size(),
            bytes.data(),
            bytes.size(),
            known ? level : ZSTD_CLEVEL_DEFAULT
        );
        return ZSTD_isError(size) != 0 ? 0 : size;
    }
    [[nodiscard]] bool is_large() const noexcept {
        return ZSTD_sizeof_CCtx(context_) > kept_encoder_max;
    }

private:
    ZSTD_CCtx* context_;
};

struct Spares {
    std::unique_ptr<Decoder> zlib_decoder;
    std::unique_ptr<Decoder> zstd_decoder;
    std::unique_ptr<ZlibEncoder> zlib_encoder;
    std::unique_ptr<ZstdEncoder> zstd_encoder;
};

Spares& spares() noexcept {
    thread_local Spares own;
    return own;
}

template <class Made, class Kept>
std::unique_ptr<Kept> take(std::unique_ptr<Kept>& spare) {
    if (spare) return std::move(spare);
    return std::make_unique<Made>();
}

}  // namespace

std::unique_ptr<Decoder> take_decoder(Compression algorithm) {
    if (algorithm == Compression::zlib) return take<ZlibDecoder>(spares().zlib_decoder);
    if (algorithm == Compression::zstd) return take<ZstdDecoder>(spares().zstd_decoder);
    return nullptr;
}

void give_back(Compression algorithm, std::unique_ptr<Decoder> decoder) noexcept {
    if (!decoder || !decoder->reset()) return;
    if (algorithm == Compression::zlib) spares().zlib_decoder = std::move(decoder);
    if (algorithm == Compression::zstd) spares().zstd_decoder = std::move(decoder);
}

std::size_t encode(
    Compression algorithm,
    int level,
    std::span<const std::uint8_t> bytes,
    std::span<std::uint8_t> output
) {
    if (algorithm == Compression::zlib) {
        auto encoder = take<ZlibEncoder>(spares().zlib_encoder);
        const std::size_t size = encoder->encode(level, bytes, output);
        spares().zlib_encoder = std::move(encoder);
        return size;
    }
    if (algorithm == Compression::zstd) {
        auto encoder = take<ZstdEncoder>(spares().zstd_encoder);
        const std::size_t size = encoder->encode(level, bytes, output);
        if (!encoder->is_large()) spares().zstd_encoder = std::move(encoder);
        return size;
    }
    return 0;
}

}  // namespace protocol
