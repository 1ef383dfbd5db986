// ResponseTracker: the outcome must not depend on how the bytes are cut. Input: shape, capability
// choice, payload limit, cut seed, number of replies expected, then the bytes of the backend.

#include "protocol/response_tracker.hpp"
#include "protocol/text_row.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>
#include <vector>

namespace {

using protocol::Capabilities;
using protocol::ReplyEnd;
using protocol::ReplyShape;
using protocol::ResponseTracker;

void require(bool condition) {
    if (!condition) std::abort();
}

struct Setup {
    ReplyShape shape;
    Capabilities caps;
    std::uint32_t payload_max;
    std::uint8_t cut_seed;
    std::size_t replies;
};

// What one run over the bytes saw.
struct Outcome {
    std::vector<std::size_t> ends;  // positions
    std::vector<ReplyEnd> replies;
    std::vector<std::uint8_t> sequences;
    bool failed = false;
};

Setup setup_of(std::span<const std::uint8_t> head) {
    static constexpr ReplyShape shapes[] = {
        ReplyShape::ok_or_err,
        ReplyShape::text,
        ReplyShape::result,
        ReplyShape::prepare,
        ReplyShape::rows,
        ReplyShape::field_list,
        ReplyShape::auth,
        ReplyShape::unknown,
        ReplyShape::raw,
        ReplyShape::execute,
    };
    Setup setup{};
    setup.shape = shapes[head[0] % std::size(shapes)];
    setup.caps.flags = protocol::capability::protocol_41;
    if (head[1] & 1) setup.caps.flags |= protocol::capability::deprecate_eof;
    if (head[1] & 2) setup.caps.flags |= protocol::capability::session_track;
    if (head[1] & 4) setup.caps.flags |= protocol::capability::optional_resultset_metadata;
    if (head[1] & 8) setup.caps.mariadb_flags |= protocol::mariadb_capability::cache_metadata;
    setup.payload_max = head[2] < 128 ? protocol::frame_payload_max : head[2] % 64U + 1;
    setup.cut_seed = head[3];
    setup.replies = head[4] % 4 + 1U;
    return setup;
}

// The sizes of the pieces: whole, single bytes, or by a small generator.
class Cuts {
public:
    explicit Cuts(std::uint32_t seed) : seed_(seed) {}
    std::size_t next(std::size_t left) {
        if (seed_ == 0) return left;
        if (seed_ == 1) return 1;
        state_ = state_ * 1664525U + seed_;
        return std::min<std::size_t>(left, (state_ >> 24) % 23 + 1);
    }

private:
    std::uint32_t seed_;
    std::uint32_t state_ = 1;
};

void note_end(ResponseTracker& tracker, const Setup& setup, Outcome& outcome) {
    outcome.replies.push_back(tracker.end());
    require(tracker.end().message.size() <= protocol::message_size_max);
    if (tracker.end().how == ReplyEnd::How::infile) {
        require(!tracker.idle());
        tracker.infile_sent();
        return;
    }
    require(tracker.idle());
    if (outcome.replies.size() < setup.replies) tracker.expect(setup.shape);
}

Outcome run(const Setup& setup, std::span<const std::uint8_t> bytes, std::uint32_t cut_seed) {
    ResponseTracker tracker(setup.payload_max);
    tracker.set_capabilities(setup.caps);
    tracker.expect(setup.shape);
    Outcome outcome;
    Cuts cuts(cut_seed);
    std::size_t position = 0;
    while (position < bytes.size() && outcome.replies.size() < setup.replies) {
        std::span<const std::uint8_t> piece =
            bytes.subspan(position, cuts.next(bytes.size() - position));
        while (!piece.empty() && outcome.replies.size() < setup.replies) {
            const auto fed = tracker.feed(piece);
            if (!fed) {
                require(!tracker.feed(piece).has_value());
                outcome.failed = true;
                return outcome;
            }
            require(fed->size > 0 && fed->size <= piece.size());
            require(fed->ended || fed->size == piece.size());
            require(tracker.packet().size() <= ResponseTracker::ok_prefix_max);
            position += fed->size;
            piece = piece.subspan(fed->size);
            if (!fed->ended) continue;
            outcome.ends.push_back(position);
            outcome.sequences.push_back(fed->last_sequence);
            note_end(tracker, setup, outcome);
        }
    }
    return outcome;
}

void require_same(const ReplyEnd& left, const ReplyEnd& right) {
    require(left.how == right.how);
    require(left.has_status == right.has_status && left.status == right.status);
    require(left.code == right.code && left.warnings == right.warnings);
    require(left.affected_rows == right.affected_rows);
    require(left.last_insert_id == right.last_insert_id);
    require(left.statement_id == right.statement_id);
    require(left.param_count == right.param_count && left.column_count == right.column_count);
    require(left.message == right.message && left.schema == right.schema);
    require(left.schema_changed == right.schema_changed && left.had_rows == right.had_rows);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    constexpr std::size_t head_size = 5;
    if (size < head_size) return 0;
    const std::span<const std::uint8_t> input(data, size);
    const Setup setup = setup_of(input.first(head_size));
    const std::span<const std::uint8_t> bytes = input.subspan(head_size);

    const Outcome whole = run(setup, bytes, 0);
    for (const std::uint32_t seed : {1U, setup.cut_seed + 2U}) {
        const Outcome cut = run(setup, bytes, seed);
        require(cut.failed == whole.failed);
        require(cut.ends == whole.ends);
        require(cut.sequences == whole.sequences);
        for (std::size_t i = 0; i < cut.replies.size(); ++i) {
            require_same(cut.replies[i], whole.replies[i]);
        }
    }
    static_cast<void>(protocol::collect_text_rows(bytes, setup.caps));
    return 0;
}
