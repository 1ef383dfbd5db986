#pragma once
// Fed with the bytes of backend replies, says where each reply ends and how. The only judge of
// reply boundaries; driven by the ReplyShape table. Resumes at any byte, holds at most a bounded
// prefix of a packet (enough to decode OK / ERR / EOF), never a row. One per session, on its core.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "protocol/capabilities.hpp"
#include "protocol/command.hpp"
#include "protocol/errc.hpp"
#include "protocol/frame.hpp"

namespace protocol {

// How a reply, or one result of several, ended.
struct ReplyEnd {
    enum class How : std::uint8_t {
        ok,           // OK packet, or the end of rows
        err,          // ERR packet; `code` is set
        infile,       // LOCAL INFILE request: the client now sends data, then the reply goes on
        auth_continue,  // auth shape: the backend waits for the client's next packet
        auth_fast_ok,   // auth shape: caching_sha2 "fast auth succeeded": the backend's OK follows by itself
        prepared,     // prepare shape, success
        text,         // statistics
    } how = How::ok;
    std::uint16_t status = 0;      // valid with has_status
    bool has_status = false;
    std::uint16_t code = 0;        // ERR code
    std::uint16_t warnings = 0;
    std::uint64_t affected_rows = 0;
    std::uint32_t statement_id = 0;  // prepared
    std::uint16_t param_count = 0;   // prepared
    std::string message;           // ERR message (at most 512 bytes) or OK info; empty without allocation
    std::string schema;            // set if the OK's session state told a new schema (see schema_changed)
    bool schema_changed = false;
    bool had_rows = false;         // a result set was seen in this reply
};

class ResponseTracker {
public:
    explicit ResponseTracker(std::uint32_t payload_max = frame_payload_max) : scanner_(payload_max) {}
    void set_capabilities(Capabilities caps) noexcept { caps_ = caps; }

    // The next reply, of this shape, begins with the next byte. Only when idle().
    void expect(ReplyShape shape) noexcept;
    // After ReplyEnd::infile: the client's data is through, the final OK/ERR follows.
    void infile_sent() noexcept;
    [[nodiscard]] bool idle() const noexcept;

    struct Fed {
        std::size_t size = 0;     // bytes consumed; stops right behind the end of a reply
        bool ended = false;       // `end` describes a complete reply (infile, auth_* count as ends of a turn)
        std::uint8_t last_sequence = 0;  // sequence of the last frame header seen
    };
    // Consumes bytes up to the end of the current reply. errc::malformed when bytes arrive that no
    // reply explains (also when idle: an unsolicited packet is the caller's to judge).
    [[nodiscard]] Result<Fed> feed(std::span<const std::uint8_t> bytes);
    // Valid after Fed::ended until the next expect().
    [[nodiscard]] const ReplyEnd& end() const noexcept { return end_; }
    // The first bytes (at most prefix_max) of the packet being read or just read.
    [[nodiscard]] std::span<const std::uint8_t> packet() const noexcept { return prefix_; }

private:
    enum class State : std::uint8_t;
    static constexpr std::size_t prefix_max = 1024;
    FrameScanner scanner_;
    Capabilities caps_;
    ReplyShape shape_ = ReplyShape::none;
    std::vector<std::uint8_t> prefix_;
    ReplyEnd end_;
    // ... the implementer adds what it needs.
};

}  // namespace protocol
