#pragma once
// Bytes read and not yet consumed, always contiguous. Its memory follows the traffic: a small block
// while commands and replies are short, a large one while a stream runs, none that anybody asked
// for by a length field alone. Blocks come from a free list of the thread, so that a change of size
// costs no allocation. Used on one core only.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace proxy {

class ReadBuffer {
public:
    // What an idle connection keeps.
    static constexpr std::size_t small_size = 2 * 1024;
    // What a stream is read with, and so the most that one side may run ahead of the other.
    static constexpr std::size_t large_size = 64 * 1024;

    ReadBuffer() = default;
    ReadBuffer(const ReadBuffer&) = delete;
    ReadBuffer& operator=(const ReadBuffer&) = delete;
    ~ReadBuffer() { release(); }

    [[nodiscard]] std::span<std::uint8_t> data() noexcept {
        return {block_.get() + begin_, end_ - begin_};
    }
    [[nodiscard]] std::size_t size() const noexcept { return end_ - begin_; }
    void consume(std::size_t count) noexcept {
        begin_ += count;
        if (begin_ == end_) begin_ = end_ = 0;
    }

    // Room for a packet of `size` bytes from data().begin() on, existing bytes kept. `size` must
    // have been checked against a bound of the caller's.
    void reserve(std::size_t size);
    // Room to read into, never empty.
    [[nodiscard]] std::span<std::uint8_t> space();
    void filled(std::size_t count) noexcept;
    // The last read took all the room there was: more is probably waiting.
    [[nodiscard]] bool streams() const noexcept { return streams_; }
    // Nothing more is waiting: an empty buffer goes back to its small block.
    void rest() noexcept;
    // Appends bytes that came another way.
    void append(std::span<const std::uint8_t> bytes);

private:
    void change_block(std::size_t size);
    void release() noexcept;

    std::unique_ptr<std::uint8_t[]> block_;
    std::size_t capacity_ = 0;
    std::size_t begin_ = 0;
    std::size_t end_ = 0;
    std::size_t offered_ = 0;
    bool streams_ = false;
};

}  // namespace proxy
