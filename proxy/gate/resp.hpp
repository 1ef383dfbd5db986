#pragma once
// The Redis wire format: commands out, replies in. The only home of hiredis, which is used as a
// formatter and parser and never touches a socket. RespReader belongs to one connection and one
// core; a broken byte stream is an error value, after which the connection must be closed.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

struct redisReply;
struct redisReader;

namespace proxy {

// Appends nothing and returns an empty string only when memory is exhausted.
[[nodiscard]] std::string resp_command(std::span<const std::string_view> words);

enum class RespKind : std::uint8_t { none, text, array, integer, nil, status, error };

// A look at a reply or at one element of it; valid as long as the RespReply it came from.
class RespValue {
public:
    RespValue() = default;
    explicit RespValue(const redisReply* reply) noexcept : reply_(reply) {}

    [[nodiscard]] RespKind kind() const noexcept;
    [[nodiscard]] std::int64_t integer() const noexcept;   // 0 unless an integer
    [[nodiscard]] std::string_view text() const noexcept;  // text, status, error; else empty
    [[nodiscard]] std::size_t size() const noexcept;       // elements of an array; else 0
    [[nodiscard]] RespValue at(std::size_t index) const noexcept;  // `none` when out of range

private:
    const redisReply* reply_ = nullptr;
};

class RespReply {
public:
    RespReply() = default;
    explicit RespReply(redisReply* reply) noexcept : owned_(reply) {}
    [[nodiscard]] RespValue value() const noexcept { return RespValue(owned_.get()); }
    [[nodiscard]] explicit operator bool() const noexcept { return owned_ != nullptr; }

private:
    struct Free {
        void operator()(redisReply* reply) const noexcept;
    };
    std::unique_ptr<redisReply, Free> owned_;
};

class RespReader {
public:
    RespReader();
    // Bytes as they came from the socket.
    void feed(std::string_view bytes);
    // The next complete reply; an empty one when more bytes are needed or the stream is broken.
    [[nodiscard]] RespReply next();
    [[nodiscard]] bool is_broken() const noexcept { return broken_; }

private:
    struct Free {
        void operator()(redisReader* reader) const noexcept;
    };
    std::unique_ptr<redisReader, Free> reader_;
    bool broken_ = false;
};

}  // namespace proxy
