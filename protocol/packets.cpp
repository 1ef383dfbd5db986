#include "protocol/packets.hpp"

#include "protocol/bytes.hpp"
#include "protocol/command.hpp"
#include "protocol/frame.hpp"

#include <algorithm>

namespace protocol {

namespace {

constexpr std::uint8_t ok_header = 0x00;
constexpr std::uint8_t eof_header = 0xfe;
constexpr std::uint8_t err_header = 0xff;
constexpr std::size_t sql_state_size = 5;
constexpr std::uint8_t session_track_schema = 1;

// A length-encoded text of which perhaps only the beginning is held.
std::string_view text_or_cut(ByteReader& reader) {
    const std::uint64_t size = reader.length_encoded();
    return reader.text(std::min<std::uint64_t>(size, reader.left()));
}

// Servers write the text of an OK with a length also without session tracking, while the
// specification says "rest of the packet": take the length where it fits exactly.
std::string_view info_to_the_end(ByteReader& reader) {
    ByteReader ahead = reader;
    const std::string_view with_length = ahead.text_length_encoded();
    if (!ahead.failed() && ahead.left() == 0) {
        reader = ahead;
        return with_length;
    }
    return reader.rest();
}

OkPacket read_ok_numbers(ByteReader& reader) {
    OkPacket ok;
    ok.header = reader.int1();
    ok.affected_rows = reader.length_encoded();
    ok.last_insert_id = reader.length_encoded();
    ok.status = reader.int2();
    ok.warnings = reader.int2();
    if (ok.header != ok_header && ok.header != eof_header) reader.fail(Errc::malformed);
    return ok;
}

bool has_session_state(const OkPacket& ok, Capabilities caps) {
    return caps.has(capability::session_track) && (ok.status & status::session_state_changed) != 0;
}

// Cut to `size` bytes at most, not in the middle of a UTF-8 character.
std::string_view cut_message(std::string_view message, std::size_t size) {
    if (message.size() <= size) return message;
    const auto continues = [&](std::size_t at) {
        return (static_cast<std::uint8_t>(message[at]) & 0xc0) == 0x80;
    };
    std::size_t end = size;
    while (end > 0 && continues(end)) --end;
    // All continuation bytes: not UTF-8 at all, so any place is as good.
    return message.substr(0, end > 0 ? end : size);
}

void append_one_frame(
    std::vector<std::uint8_t>& out, std::uint8_t sequence, std::size_t frame_begin
) {
    const std::size_t length = out.size() - frame_begin - frame_header_size;
    write_frame_header(out.data() + frame_begin, {static_cast<std::uint32_t>(length), sequence});
}

std::size_t begin_frame(std::vector<std::uint8_t>& out) {
    const std::size_t frame_begin = out.size();
    out.resize(frame_begin + frame_header_size);
    return frame_begin;
}

// Sends `head` and `sql` as one logical packet without joining them first where one frame holds
// both.
void append_command(
    std::vector<std::uint8_t>& out, std::span<const std::uint8_t> head, std::string_view sql
) {
    if (head.size() + sql.size() < frame_payload_max) {
        const std::size_t frame_begin = begin_frame(out);
        out.insert(out.end(), head.begin(), head.end());
        ByteWriter(out).text(sql);
        append_one_frame(out, 0, frame_begin);
        return;
    }
    std::vector<std::uint8_t> payload(head.begin(), head.end());
    ByteWriter(payload).text(sql);
    append_frames(out, 0, payload);
}

}  // namespace

Result<OkPacket> decode_ok(std::span<const std::uint8_t> payload, Capabilities caps) {
    ByteReader reader(payload);
    OkPacket ok = read_ok_numbers(reader);
    if (caps.has(capability::session_track)) {
        // Both texts are left out when there is nothing to say.
        if (reader.left() > 0) ok.info = reader.text_length_encoded();
        if (has_session_state(ok, caps) && reader.left() > 0) {
            ok.session_state = reader.text_length_encoded();
        }
        if (!reader.failed() && reader.left() > 0) reader.fail(Errc::trailing_bytes);
    } else if (reader.left() > 0) {
        ok.info = info_to_the_end(reader);
    }
    if (reader.failed()) return reader.error();
    return ok;
}

Result<OkPacket> decode_ok_prefix(std::span<const std::uint8_t> prefix, Capabilities caps) {
    ByteReader reader(prefix);
    OkPacket ok = read_ok_numbers(reader);
    if (reader.failed()) return reader.error();
    if (!caps.has(capability::session_track)) {
        if (reader.left() > 0) ok.info = info_to_the_end(reader);
        return ok;
    }
    if (reader.left() > 0) ok.info = text_or_cut(reader);
    if (has_session_state(ok, caps) && reader.left() > 0) ok.session_state = text_or_cut(reader);
    return ok;
}

Result<ErrPacket> decode_err(std::span<const std::uint8_t> payload, Capabilities caps) {
    ByteReader reader(payload);
    ErrPacket err;
    if (reader.int1() != err_header) reader.fail(Errc::malformed);
    err.code = reader.int2();
    if (reader.failed()) return reader.error();
    // The mark is looked for even without the capability: a server that refuses a connection
    // answers before anything is agreed, some with the state and some without it.
    const bool marked = reader.left() > sql_state_size && reader.peek() == '#';
    if (marked) {
        reader.skip(1);
        err.sql_state = reader.text(sql_state_size);
    }
    static_cast<void>(caps);
    err.message = reader.rest();
    return err;
}

Result<EofPacket> decode_eof(std::span<const std::uint8_t> payload) {
    ByteReader reader(payload);
    if (reader.int1() != eof_header) reader.fail(Errc::malformed);
    EofPacket eof;
    eof.warnings = reader.int2();
    eof.status = reader.int2();
    if (!reader.failed() && reader.left() > 0) reader.fail(Errc::trailing_bytes);
    if (reader.failed()) return reader.error();
    return eof;
}

void encode_ok(
    std::vector<std::uint8_t>& out, std::uint8_t sequence, const OkPacket& ok, Capabilities caps
) {
    const std::size_t frame_begin = begin_frame(out);
    // The block and its flag go together, or clients look for what is not there.
    const bool with_state = caps.has(capability::session_track) && !ok.session_state.empty();
    auto flags = static_cast<std::uint16_t>(ok.status & ~status::session_state_changed);
    if (with_state) flags |= status::session_state_changed;

    ByteWriter writer(out);
    writer.int1(ok.header);
    writer.length_encoded(ok.affected_rows);
    writer.length_encoded(ok.last_insert_id);
    writer.int2(flags);
    writer.int2(ok.warnings);
    const std::string_view info = cut_message(ok.info, message_size_max);
    if (with_state || !info.empty()) writer.text_length_encoded(info);
    if (with_state) writer.text_length_encoded(ok.session_state);
    append_one_frame(out, sequence, frame_begin);
}

void encode_err(
    std::vector<std::uint8_t>& out, std::uint8_t sequence, const ErrPacket& err, Capabilities caps
) {
    const std::size_t frame_begin = begin_frame(out);
    ByteWriter writer(out);
    writer.int1(err_header);
    writer.int2(err.code);
    if (caps.has(capability::protocol_41)) {
        writer.int1('#');
        writer.text(err.sql_state.size() == sql_state_size ? err.sql_state : "HY000");
    }
    writer.text(cut_message(err.message, message_size_max));
    append_one_frame(out, sequence, frame_begin);
}

std::optional<std::string_view> tracked_schema(std::string_view session_state) {
    std::optional<std::string_view> schema;
    ByteReader reader(as_bytes(session_state));
    while (reader.left() > 0) {
        const std::uint8_t type = reader.int1();
        const std::string_view data = reader.text_length_encoded();
        if (reader.failed()) break;
        if (type != session_track_schema) continue;
        ByteReader entry(as_bytes(data));
        const std::string_view name = entry.text_length_encoded();
        if (!entry.failed()) schema = name;
    }
    return schema;
}

void encode_query(std::vector<std::uint8_t>& out, std::string_view sql, Capabilities caps) {
    const std::uint8_t head[] = {
        static_cast<std::uint8_t>(Command::query), 0 /* parameters */, 1 /* parameter sets */};
    const std::size_t size = caps.has(capability::query_attributes) ? sizeof(head) : 1;
    append_command(out, std::span(head).first(size), sql);
}

void encode_stmt_prepare(std::vector<std::uint8_t>& out, std::string_view sql) {
    const std::uint8_t head[] = {static_cast<std::uint8_t>(Command::stmt_prepare)};
    append_command(out, head, sql);
}

void encode_stmt_close(std::vector<std::uint8_t>& out, std::uint32_t statement_id) {
    const std::size_t frame_begin = begin_frame(out);
    ByteWriter writer(out);
    writer.int1(static_cast<std::uint8_t>(Command::stmt_close));
    writer.int4(statement_id);
    append_one_frame(out, 0, frame_begin);
}

}  // namespace protocol
