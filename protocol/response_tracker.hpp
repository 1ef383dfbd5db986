#pragma once
// Fed with the bytes of backend replies, says where each reply ends and how. The only judge of
// reply boundaries; driven by the ReplyShape table. Resumes at any byte, holds at most a bounded
// prefix of a packet (enough to decode OK / ERR / EOF), never a row. One per session, on its core.

#include "protocol/capabilities.hpp"
#include "protocol/command.hpp"
#include "protocol/errc.hpp"
#include "protocol/frame.hpp"
#include "protocol/packets.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace protocol {

// How a reply ended. Of several results, the numbers are those of the last one.
struct ReplyEnd {
    enum class How : std::uint8_t {
        ok,             // OK packet, or the end of rows
        err,            // ERR packet; `code` is set
        infile,         // LOCAL INFILE request: the client now sends data, then the reply goes on
        auth_continue,  // auth shape: the backend waits for the client's next packet
        auth_fast_ok,   // auth shape: caching_sha2 "fast auth succeeded": the backend's OK follows
                        // by itself
        prepared,       // prepare shape, success
        text,           // statistics
        stream,         // raw shape, and not refused: what follows are plain bytes without end
    } how = How::ok;
    // Valid with has_status. An ERR has none of its own: behind an earlier result of the same reply
    // it keeps that one's (the statements before the failed one did run), without more_results.
    std::uint16_t status = 0;
    bool has_status = false;
    std::uint16_t code = 0;  // ERR code
    std::uint16_t warnings = 0;
    std::uint64_t affected_rows = 0;
    std::uint64_t last_insert_id = 0;
    std::uint32_t statement_id = 0;  // prepared
    std::uint16_t param_count = 0;   // prepared
    std::uint16_t column_count = 0;  // prepared
    std::string message;  // ERR message (at most 512 bytes) or OK info; empty without allocation
    std::string schema;   // set if the OK's session state told a new schema (see schema_changed)
    bool schema_changed = false;
    bool had_rows = false;  // a result set was seen in this reply
};

class ResponseTracker {
public:
    // Bounds of what is held of one packet: of OK packets with a session state, which may carry a
    // long list of variables before the schema, and of all others.
    static constexpr std::size_t ok_prefix_max = 64 * 1024;
    static constexpr std::size_t prefix_max = 1024;

    explicit ResponseTracker(std::uint32_t payload_max = frame_payload_max)
        : scanner_(payload_max) {}
    void set_capabilities(Capabilities caps) noexcept { caps_ = caps; }

    // The next reply, of this shape, begins with the next byte. Only when idle(). With
    // ReplyShape::none nothing begins. ReplyShape::raw ends with its first packet, as an error or
    // as ReplyEnd::stream; from then on feed() takes everything and never ends.
    void expect(ReplyShape shape) noexcept;
    // After ReplyEnd::infile: the client's data is through, the final OK/ERR follows. A backend
    // that gives up early may be fed before this call; calling it afterwards does no harm.
    void infile_sent() noexcept;
    // No reply is outstanding. Also true between the turns of an authentication (auth_continue,
    // auth_fast_ok): the next turn may be announced with expect(ReplyShape::auth) or simply be fed.
    [[nodiscard]] bool idle() const noexcept {
        return state_ == State::idle || state_ == State::auth_turn;
    }

    struct Fed {
        std::size_t size = 0;  // bytes consumed; stops right behind the end of a reply
        bool ended =
            false;  // `end` describes a complete reply (infile, auth_* count as ends of a turn)
        std::uint8_t last_sequence = 0;  // sequence of the last frame header seen
    };
    // Consumes bytes up to the end of the current reply. Errc::malformed when bytes arrive that no
    // reply explains (also when idle: an unsolicited packet is the caller's to judge). After any
    // other malformed the tracker has lost its place for good and every feed() says so.
    [[nodiscard]] Result<Fed> feed(std::span<const std::uint8_t> bytes);
    // Valid after Fed::ended until the next expect().
    [[nodiscard]] const ReplyEnd& end() const noexcept { return end_; }
    // The first bytes of the packet being read or just read, bounded by prefix_max (ok_prefix_max
    // for an OK). Empty for rows and column definitions: they are never held.
    [[nodiscard]] std::span<const std::uint8_t> packet() const noexcept { return prefix_; }

private:
    enum class State : std::uint8_t {
        idle,
        first,        // the first packet of a reply or of a further result
        definitions,  // column definitions of a result set
        rows,
        prepared_params,  // definitions of a prepare reply
        prepared_columns,
        field_list,  // column definitions that only an EOF ends
        infile,      // the client's turn to send a file
        auth_turn,   // the client's turn in an authentication
        relay,
        broken,
    };

    [[nodiscard]] std::size_t skip_rows(std::span<const std::uint8_t> input) noexcept;
    void begin_packet() noexcept;
    void hold(std::span<const std::uint8_t> payload);
    [[nodiscard]] std::size_t hold_limit(std::uint8_t first_byte) const noexcept;

    // Each looks at the packet that is complete, moves on, and fails with Errc other than ok.
    [[nodiscard]] Errc end_packet();
    [[nodiscard]] Errc on_first();
    [[nodiscard]] Errc on_result_first();
    [[nodiscard]] Errc on_column_count();
    [[nodiscard]] Errc on_prepared();
    [[nodiscard]] Errc on_auth();
    [[nodiscard]] Errc on_definition();
    [[nodiscard]] bool rows_stay_in_cursor() const noexcept;
    [[nodiscard]] Errc on_prepared_definition();
    [[nodiscard]] Errc on_err();
    [[nodiscard]] Errc on_ending();

    [[nodiscard]] Errc read_ending();
    [[nodiscard]] Errc read_ok();
    void take_status(std::uint16_t status, std::uint16_t warnings) noexcept;
    void finish_result() noexcept;
    void finish(ReplyEnd::How how, State next = State::idle) noexcept;
    void next_prepared_part() noexcept;

    [[nodiscard]] bool is_ending() const noexcept;
    [[nodiscard]] bool is_progress_report() const noexcept;
    [[nodiscard]] bool eof_follows_definitions() const noexcept {
        return !caps_.has(capability::deprecate_eof);
    }

    FrameScanner scanner_;
    Capabilities caps_;
    ReplyShape shape_ = ReplyShape::none;
    State state_ = State::idle;
    bool turn_ended_ = false;             // set by finish(), looked at once per packet
    std::uint8_t first_byte_ = 0;         // of the current packet, if it has one
    std::uint32_t first_frame_size_ = 0;  // payload of the current packet's first frame
    std::size_t hold_limit_ = 0;
    std::uint64_t definitions_left_ = 0;
    bool out_parameters_ = false;     // these rows are a call's OUT parameters, see on_definition()
    bool definitions_follow_ = true;  // prepare replies with optional metadata
    std::vector<std::uint8_t> prefix_;
    ReplyEnd end_;
};

}  // namespace protocol
