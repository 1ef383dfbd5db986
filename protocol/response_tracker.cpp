#include "protocol/response_tracker.hpp"

#include <algorithm>
#include <cassert>

namespace protocol {

namespace {
constexpr std::uint8_t ok_byte = 0x00;
constexpr std::uint8_t ending_byte = 0xfe;
constexpr std::uint8_t err_byte = 0xff;
// Without deprecate_eof: a longer packet that begins with 0xfe is a row with a huge first value.
constexpr std::uint32_t eof_size_limit = 9;
}  // namespace

void ResponseTracker::expect(ReplyShape shape) noexcept {
    assert(idle());
    shape_ = shape;
    out_parameters_ = false;
    end_.how = ReplyEnd::How::ok;
    end_.status = 0;
    end_.has_status = false;
    end_.code = 0;
    end_.warnings = 0;
    end_.affected_rows = 0;
    end_.last_insert_id = 0;
    end_.statement_id = 0;
    end_.param_count = 0;
    end_.column_count = 0;
    end_.message.clear();  // keeps its memory for the next one
    end_.schema.clear();
    end_.schema_changed = false;
    end_.had_rows = false;
    prefix_.clear();
    // A long OK packet is rare: do not keep its memory for the life of an idle session.
    if (prefix_.capacity() > prefix_max) prefix_.shrink_to_fit();
    switch (shape) {
        case ReplyShape::none:
            state_ = State::idle;
            break;
        case ReplyShape::rows:
            state_ = State::rows;
            break;
        case ReplyShape::field_list:
            state_ = State::field_list;
            break;
        case ReplyShape::ok_or_err:
        case ReplyShape::text:
        case ReplyShape::result:
        case ReplyShape::prepare:
        case ReplyShape::raw:
        case ReplyShape::auth:
        case ReplyShape::unknown:
        case ReplyShape::execute:
            state_ = State::first;
            break;
    }
}

void ResponseTracker::infile_sent() noexcept {
    if (state_ == State::infile) state_ = State::first;
}

Result<ResponseTracker::Fed> ResponseTracker::feed(std::span<const std::uint8_t> bytes) {
    Fed fed;
    fed.last_sequence = scanner_.current().sequence;
    if (bytes.empty()) return fed;
    if (state_ == State::idle || state_ == State::broken) return Errc::malformed;
    if (state_ == State::infile || state_ == State::auth_turn) state_ = State::first;
    if (state_ == State::relay) {
        fed.size = bytes.size();
        return fed;
    }
    turn_ended_ = false;
    while (fed.size < bytes.size() && !turn_ended_) {
        if (state_ == State::rows && scanner_.at_boundary()) {
            fed.size += skip_rows(bytes.subspan(fed.size));
            if (fed.size == bytes.size()) break;
        }
        const std::span<const std::uint8_t> input = bytes.subspan(fed.size);
        const FrameScanner::Run run = scanner_.step(input);
        fed.size += run.size;
        if (run.packet_begins) begin_packet();
        if (run.what == FrameScanner::Run::What::payload) {
            if (run.offset == 0) {
                first_byte_ = input[0];
                hold_limit_ = hold_limit(first_byte_);
            }
            hold(input.first(run.size));
        }
        if (!run.packet_ends) continue;
        if (const Errc error = end_packet(); error != Errc::ok) {
            state_ = State::broken;
            return error;
        }
    }
    fed.ended = turn_ended_;
    fed.last_sequence = scanner_.current().sequence;
    return fed;
}

// The hot loop: whole rows in the input, by their headers and first bytes alone.
std::size_t ResponseTracker::skip_rows(std::span<const std::uint8_t> input) noexcept {
    std::size_t position = 0;
    FrameHeader last = scanner_.current();
    while (input.size() - position > frame_header_size) {
        const std::uint8_t* const packet = input.data() + position;
        const FrameHeader header = read_frame_header(packet);
        if (header.length == 0 || header.length >= scanner_.payload_max()) break;
        if (input.size() - position - frame_header_size < header.length) break;
        if (packet[frame_header_size] >= ending_byte) break;
        position += frame_header_size + header.length;
        last = header;
    }
    if (position == 0) return 0;
    scanner_.walked_over(last);
    prefix_.clear();
    end_.had_rows = true;
    return position;
}

void ResponseTracker::begin_packet() noexcept {
    prefix_.clear();
    hold_limit_ = 0;
    first_byte_ = 0;
    first_frame_size_ = scanner_.current().length;
}

std::size_t ResponseTracker::hold_limit(std::uint8_t first_byte) const noexcept {
    const bool may_be_ok = first_byte == ok_byte || first_byte == ending_byte;
    const std::size_t limit =
        may_be_ok && caps_.has(capability::session_track) ? ok_prefix_max : prefix_max;
    switch (state_) {
        case State::first:
            return limit;
        case State::rows:
        case State::definitions:
        case State::field_list:
        case State::prepared_params:
        case State::prepared_columns:
            if (first_byte == err_byte) return prefix_max;
            return first_byte == ending_byte && is_ending() ? limit : 0;
        case State::idle:
        case State::infile:
        case State::auth_turn:
        case State::relay:
        case State::broken:
            break;
    }
    return 0;
}

void ResponseTracker::hold(std::span<const std::uint8_t> payload) {
    if (prefix_.size() >= hold_limit_) return;
    const std::size_t size = std::min(payload.size(), hold_limit_ - prefix_.size());
    prefix_.insert(
        prefix_.end(), payload.begin(), payload.begin() + static_cast<std::ptrdiff_t>(size)
    );
}

// The current packet, which begins with 0xfe, ends rows or definitions.
bool ResponseTracker::is_ending() const noexcept {
    if (first_byte_ != ending_byte || first_frame_size_ == 0) return false;
    const std::uint32_t limit =
        caps_.has(capability::deprecate_eof) ? scanner_.payload_max() : eof_size_limit;
    return first_frame_size_ < limit;
}

Errc ResponseTracker::end_packet() {
    const bool empty = first_frame_size_ == 0;
    if (empty && shape_ != ReplyShape::auth && shape_ != ReplyShape::text) return Errc::malformed;
    if (!empty && first_byte_ == err_byte) return is_progress_report() ? Errc::ok : on_err();
    switch (state_) {
        case State::first:
            return on_first();
        case State::definitions:
            return on_definition();
        case State::rows:
            end_.had_rows = true;
            return is_ending() ? on_ending() : Errc::ok;
        case State::field_list:
            end_.had_rows = true;
            return is_ending() ? on_ending() : Errc::ok;
        case State::prepared_params:
        case State::prepared_columns:
            return on_prepared_definition();
        case State::idle:
        case State::infile:
        case State::auth_turn:
        case State::relay:
        case State::broken:
            break;
    }
    return Errc::malformed;
}

Errc ResponseTracker::on_first() {
    switch (shape_) {
        case ReplyShape::text:
            finish(ReplyEnd::How::text);
            return Errc::ok;
        case ReplyShape::auth:
            return on_auth();
        case ReplyShape::prepare:
            return on_prepared();
        case ReplyShape::result:
        case ReplyShape::unknown:
        case ReplyShape::execute:
            return on_result_first();
        case ReplyShape::ok_or_err: {
            if (first_byte_ != ok_byte && !is_ending()) return Errc::malformed;
            if (const Errc error = read_ending(); error != Errc::ok) return error;
            // Exactly one packet, whatever an old status may still say of further results.
            finish(ReplyEnd::How::ok);
            return Errc::ok;
        }
        case ReplyShape::raw:
            finish(ReplyEnd::How::stream, State::relay);
            return Errc::ok;
        case ReplyShape::none:
        case ReplyShape::rows:
        case ReplyShape::field_list:
            break;
    }
    return Errc::malformed;
}

Errc ResponseTracker::on_err() {
    const auto err = decode_err(prefix_, caps_);
    if (!err) return Errc::malformed;
    end_.code = err->code;
    end_.message.assign(err->message.substr(0, message_size_max));
    end_.status = static_cast<std::uint16_t>(end_.status & ~status::more_results);
    finish(ReplyEnd::How::err);
    return Errc::ok;
}

// MariaDB reports progress in packets that look like an ERR with this code, but for the SQL state.
// An application can signal the same code, so the mark decides.
bool ResponseTracker::is_progress_report() const noexcept {
    return shape_ != ReplyShape::auth && prefix_.size() > 3 && prefix_[1] == 0xff &&
           prefix_[2] == 0xff && prefix_[3] != '#';
}

// OK or EOF that ends rows or a list.
Errc ResponseTracker::on_ending() {
    if (const Errc error = read_ending(); error != Errc::ok) return error;
    if (shape_ == ReplyShape::result || shape_ == ReplyShape::unknown ||
        shape_ == ReplyShape::execute) {
        finish_result();
    } else {
        finish(ReplyEnd::How::ok);
    }
    return Errc::ok;
}

// Tells OK from EOF by length: servers with a query cache have sent the form that was not agreed.
Errc ResponseTracker::read_ending() {
    if (first_byte_ != ending_byte) return read_ok();
    constexpr std::uint32_t eof_size = 5;
    if (first_frame_size_ != eof_size) return read_ok();
    const auto eof = decode_eof(prefix_);
    if (!eof) return Errc::malformed;
    take_status(eof->status, eof->warnings);
    end_.affected_rows = 0;
    end_.last_insert_id = 0;
    end_.message.clear();
    return Errc::ok;
}

Errc ResponseTracker::read_ok() {
    const auto ok = decode_ok_prefix(prefix_, caps_);
    if (!ok) return Errc::malformed;
    take_status(ok->status, ok->warnings);
    end_.affected_rows = ok->affected_rows;
    end_.last_insert_id = ok->last_insert_id;
    end_.message.assign(ok->info.substr(0, message_size_max));
    if (const auto schema = tracked_schema(ok->session_state)) {
        end_.schema.assign(*schema);
        end_.schema_changed = true;
    }
    return Errc::ok;
}

void ResponseTracker::take_status(std::uint16_t status, std::uint16_t warnings) noexcept {
    end_.status = status;
    end_.has_status = true;
    end_.warnings = warnings;
}

void ResponseTracker::finish_result() noexcept {
    if ((end_.status & status::more_results) != 0 || out_parameters_) {
        out_parameters_ = false;
        state_ = State::first;
    } else {
        finish(ReplyEnd::How::ok);
    }
}

void ResponseTracker::finish(ReplyEnd::How how, State next) noexcept {
    end_.how = how;
    state_ = next;
    turn_ended_ = true;
}

}  // namespace protocol
