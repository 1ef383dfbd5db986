#include "proxy/net/read_buffer.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

namespace proxy {
namespace {

using Block = std::unique_ptr<std::uint8_t[]>;

// Blocks of one size that nobody uses.
class FreeList {
public:
    FreeList(std::size_t size, std::size_t keep) : size_(size), keep_(keep) {}

    Block take() {
        if (free_.empty()) return std::make_unique_for_overwrite<std::uint8_t[]>(size_);
        Block block = std::move(free_.back());
        free_.pop_back();
        return block;
    }
    void give(Block block) noexcept {
        if (free_.size() >= keep_) return;
        free_.reserve(keep_);
        free_.push_back(std::move(block));
    }

private:
    std::size_t size_;
    std::size_t keep_;
    std::vector<Block> free_;
};

FreeList* list_of(std::size_t size) {
    // 256 KiB and 2 MiB at most for each thread.
    thread_local FreeList small{ReadBuffer::small_size, 128};
    thread_local FreeList large{ReadBuffer::large_size, 32};
    if (size == ReadBuffer::small_size) return &small;
    if (size == ReadBuffer::large_size) return &large;
    return nullptr;
}

}  // namespace

void ReadBuffer::release() noexcept {
    if (!block_) return;
    if (FreeList* list = list_of(capacity_)) list->give(std::move(block_));
    block_.reset();
    capacity_ = 0;
}

void ReadBuffer::change_block(std::size_t size) {
    FreeList* list = list_of(size);
    Block block =
        list != nullptr ? list->take() : std::make_unique_for_overwrite<std::uint8_t[]>(size);
    const std::size_t held = end_ - begin_;
    if (held > 0) std::memcpy(block.get(), block_.get() + begin_, held);
    release();
    block_ = std::move(block);
    capacity_ = size;
    begin_ = 0;
    end_ = held;
}

void ReadBuffer::reserve(std::size_t size) {
    if (capacity_ - begin_ >= size) return;
    if (capacity_ >= size) {
        std::memmove(block_.get(), block_.get() + begin_, end_ - begin_);
        end_ -= begin_;
        begin_ = 0;
        return;
    }
    change_block(size <= small_size ? small_size : std::max(size, large_size));
}

std::span<std::uint8_t> ReadBuffer::space() {
    if (begin_ == end_) {
        begin_ = end_ = 0;
        // A packet longer than a stream's block has passed: do not keep its memory.
        const std::size_t wanted = streams_ ? large_size : small_size;
        if (capacity_ < wanted || capacity_ > large_size) change_block(wanted);
    } else if (streams_ && capacity_ < large_size) {
        change_block(large_size);
    } else if (end_ == capacity_) {
        const std::size_t held = end_ - begin_;
        if (begin_ > 0 && held <= capacity_ / 2) {
            reserve(capacity_);
        } else {
            change_block(capacity_ < large_size ? large_size : capacity_ + large_size);
        }
    }
    offered_ = capacity_ - end_;
    return {block_.get() + end_, offered_};
}

void ReadBuffer::filled(std::size_t count) noexcept {
    end_ += count;
    streams_ = count == offered_ || (streams_ && count > small_size);
}

void ReadBuffer::rest() noexcept {
    streams_ = false;
    if (begin_ == end_ && capacity_ > small_size) release();
}

void ReadBuffer::append(std::span<const std::uint8_t> bytes) {
    if (bytes.empty()) return;
    reserve(size() + bytes.size());
    std::memcpy(block_.get() + end_, bytes.data(), bytes.size());
    end_ += bytes.size();
}

}  // namespace proxy
