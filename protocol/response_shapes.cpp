// The parts of ResponseTracker that know what a result set, a prepare reply and an authentication
// look like; the walk over packets is in response_tracker.cpp.

#include "protocol/bytes.hpp"
#include "protocol/response_tracker.hpp"

namespace protocol {

namespace {
constexpr std::uint8_t ok_byte = 0x00;
constexpr std::uint8_t infile_byte = 0xfb;
// Servers allow 4,096; a larger count means that we are reading something else.
constexpr std::uint64_t column_count_max = 65'535;
constexpr std::uint8_t auth_more_data = 0x01;
constexpr std::uint8_t fast_auth_succeeded = 0x03;
}  // namespace

Errc ResponseTracker::on_result_first() {
    if (first_byte_ == infile_byte) {
        finish(ReplyEnd::How::infile, State::infile);
        return Errc::ok;
    }
    if (first_byte_ == ok_byte || is_ending()) {
        if (const Errc error = read_ending(); error != Errc::ok) return error;
        finish_result();
        return Errc::ok;
    }
    return on_column_count();
}

Errc ResponseTracker::on_column_count() {
    ByteReader reader(prefix_);
    const std::uint64_t count = reader.length_encoded();
    bool definitions_follow = true;
    // Both servers put the byte behind the count, though MySQL's specification says before.
    const bool may_be_left_out = caps_.has(capability::optional_resultset_metadata) ||
                                 caps_.has_mariadb(mariadb_capability::cache_metadata);
    if (may_be_left_out && reader.left() > 0) {
        const std::uint8_t flag = reader.int1();
        if (flag > 1) return Errc::malformed;
        definitions_follow = flag == 1;
    }
    if (reader.failed() || reader.left() > 0 || count > column_count_max) return Errc::malformed;
    end_.had_rows = true;
    out_parameters_ = false;
    definitions_left_ = definitions_follow ? count : 0;
    // Without definitions their EOF is still sent.
    const bool more = definitions_left_ > 0 || eof_follows_definitions();
    state_ = more ? State::definitions : State::rows;
    return Errc::ok;
}

Errc ResponseTracker::on_definition() {
    if (is_ending()) {
        if (!eof_follows_definitions()) return Errc::malformed;
        if (const Errc error = read_ending(); error != Errc::ok) return error;
        // Rows of a cursor are fetched later, so this EOF is the last packet. With deprecate_eof
        // the same news comes as an OK in the place of the first row and needs no care.
        if (rows_stay_in_cursor()) {
            finish_result();
        } else {
            // Servers tell in this EOF that OUT parameters come and more behind them, and forget
            // both flags in the EOF behind the row.
            constexpr std::uint16_t both = status::ps_out_params | status::more_results;
            out_parameters_ = (end_.status & both) == both;
            state_ = State::rows;
        }
        return Errc::ok;
    }
    if (definitions_left_ == 0) return Errc::malformed;
    --definitions_left_;
    if (definitions_left_ == 0 && !eof_follows_definitions()) state_ = State::rows;
    return Errc::ok;
}

Errc ResponseTracker::on_prepared() {
    ByteReader reader(prefix_);
    if (reader.int1() != ok_byte) return Errc::malformed;
    end_.statement_id = reader.int4();
    end_.column_count = reader.int2();
    end_.param_count = reader.int2();
    if (reader.left() > 0) reader.skip(1);
    if (reader.left() > 0) end_.warnings = reader.int2();
    definitions_follow_ = true;
    if (caps_.has(capability::optional_resultset_metadata) && reader.left() > 0) {
        definitions_follow_ = reader.int1() != 0;
    }
    if (reader.failed()) return Errc::malformed;
    next_prepared_part();
    return Errc::ok;
}

// The flag alone does not tell: a procedure or function that opens a cursor of its own leaves it
// set in every result set that follows, of text statements too. A result set among several is never
// one to be fetched, and whoever gets rows in text has no statement to fetch them from.
bool ResponseTracker::rows_stay_in_cursor() const noexcept {
    constexpr std::uint16_t both = status::cursor_exists | status::more_results;
    return shape_ == ReplyShape::execute && (end_.status & both) == status::cursor_exists;
}

// Parameters first, then columns, each only if there are any, each with its EOF.
void ResponseTracker::next_prepared_part() noexcept {
    const bool packets_come = definitions_follow_ || eof_follows_definitions();
    if (state_ == State::first && end_.param_count > 0 && packets_come) {
        definitions_left_ = definitions_follow_ ? end_.param_count : 0;
        state_ = State::prepared_params;
        return;
    }
    if (state_ != State::prepared_columns && end_.column_count > 0 && packets_come) {
        definitions_left_ = definitions_follow_ ? end_.column_count : 0;
        state_ = State::prepared_columns;
        return;
    }
    finish(ReplyEnd::How::prepared);
}

Errc ResponseTracker::on_prepared_definition() {
    if (eof_follows_definitions()) {
        // The counts have 16 bits and may have overflowed: only the EOF is believed. Its status is
        // not taken, since preparing does not change any.
        if (is_ending()) next_prepared_part();
        return Errc::ok;
    }
    if (is_ending()) return Errc::malformed;
    --definitions_left_;
    if (definitions_left_ == 0) next_prepared_part();
    return Errc::ok;
}

Errc ResponseTracker::on_auth() {
    if (first_frame_size_ > 0 && first_byte_ == ok_byte) {
        if (const Errc error = read_ok(); error != Errc::ok) return error;
        finish(ReplyEnd::How::ok);
        return Errc::ok;
    }
    if (first_frame_size_ == 2 && first_byte_ == auth_more_data &&
        prefix_[1] == fast_auth_succeeded) {
        finish(ReplyEnd::How::auth_fast_ok, State::auth_turn);
        return Errc::ok;
    }
    // 0xfe plugin switch (one byte: the one before 4.1), 0x01 plugin data, 0x02 next factor, and
    // what MariaDB's plugins send without a mark: all wait for the client.
    finish(ReplyEnd::How::auth_continue, State::auth_turn);
    return Errc::ok;
}

}  // namespace protocol
