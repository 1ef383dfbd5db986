#include "server_replies.hpp"

#include "protocol/bytes.hpp"
#include "protocol/packets.hpp"

namespace proxy::testing {

protocol::Capabilities test_capabilities() {
    protocol::Capabilities caps;
    caps.flags = protocol::capability::protocol_41 | protocol::capability::transactions;
    return caps;
}

Bytes frame(std::uint8_t sequence, std::string_view payload) {
    Bytes bytes;
    protocol::ByteWriter writer{bytes};
    writer.int3(static_cast<std::uint32_t>(payload.size()));
    writer.int1(sequence);
    writer.text(payload);
    return bytes;
}

Bytes ok_reply(std::uint64_t affected_rows, std::uint16_t status, std::uint8_t sequence) {
    protocol::OkPacket ok;
    ok.affected_rows = affected_rows;
    ok.status = status;
    Bytes bytes;
    protocol::encode_ok(bytes, sequence, ok, test_capabilities());
    return bytes;
}

Bytes err_reply(std::uint16_t code, std::string_view message) {
    protocol::ErrPacket err;
    err.code = code;
    err.sql_state = "40001";
    err.message = message;
    Bytes bytes;
    protocol::encode_err(bytes, 1, err, test_capabilities());
    return bytes;
}

Bytes eof_frame(std::uint8_t sequence, std::uint16_t status) {
    Bytes payload;
    protocol::ByteWriter writer{payload};
    writer.int1(0xfe);
    writer.int2(0);
    writer.int2(status);
    return frame(sequence, protocol::as_text(payload));
}

Bytes rows_reply(const std::vector<std::string>& rows, std::uint16_t status) {
    std::vector<Bytes> frames;
    std::uint8_t sequence = 1;
    frames.push_back(frame(sequence++, "\x01"));
    Bytes definition;
    protocol::ByteWriter column{definition};
    for (const auto* name : {"def", "shop", "t", "t", "c", "c"}) column.text_length_encoded(name);
    column.int1(12);
    column.int2(33);
    column.int4(255);
    column.int1(253);
    column.int2(0);
    column.int1(0);
    column.int2(0);
    frames.push_back(frame(sequence++, protocol::as_text(definition)));
    frames.push_back(eof_frame(sequence++, status));
    for (const auto& value : rows) {
        Bytes row;
        protocol::ByteWriter writer{row};
        writer.text_length_encoded(value);
        frames.push_back(frame(sequence++, protocol::as_text(row)));
    }
    frames.push_back(eof_frame(sequence, status));
    return joined(frames);
}

Bytes prepare_reply(std::uint32_t statement_id) {
    Bytes payload;
    protocol::ByteWriter writer{payload};
    writer.int1(0);
    writer.int4(statement_id);
    writer.int2(0);  // columns
    writer.int2(0);  // parameters
    writer.int1(0);
    writer.int2(0);
    return frame(1, protocol::as_text(payload));
}

Bytes infile_reply(std::string_view file) {
    return frame(1, "\xfb" + std::string{file});
}

Bytes joined(const std::vector<Bytes>& parts) {
    Bytes all;
    for (const auto& part : parts) all.insert(all.end(), part.begin(), part.end());
    return all;
}

Bytes query(std::string_view sql) {
    Bytes bytes;
    protocol::encode_query(bytes, sql, test_capabilities());
    return bytes;
}

}  // namespace proxy::testing
