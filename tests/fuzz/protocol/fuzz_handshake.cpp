// Greeting, login and COM_CHANGE_USER, and the OK and ERR packets behind them. Masking must change
// nothing but capabilities, and decoding what was encoded must give the same.

#include "protocol/frame.hpp"
#include "protocol/handshake.hpp"
#include "protocol/packets.hpp"

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <span>
#include <vector>

namespace {

using protocol::Capabilities;
using Bytes = std::vector<std::uint8_t>;

void require(bool condition) {
    if (!condition) std::abort();
}

void greeting(const Bytes& payload, Capabilities allowed) {
    const auto before = protocol::decode_greeting(payload);
    Bytes masked = payload;
    const auto caps = protocol::mask_greeting(masked, allowed);
    require(caps.has_value() == before.has_value());
    if (!before) return;
    static_cast<void>(protocol::parse_server_version(before->server_version));
    const auto after = protocol::decode_greeting(masked);
    // Clearing plugin_auth or secure_connection changes what the tail means, but not what is
    // before.
    if (!after) return;
    require(after->server_version == before->server_version);
    require(after->connection_id == before->connection_id);
    require(after->status == before->status && after->collation == before->collation);
    require(after->capabilities == *caps);
}

void login(const Bytes& payload, Capabilities offered) {
    const auto before = protocol::decode_login(payload, offered);
    Bytes masked = payload;
    const auto caps = protocol::mask_login(masked, offered);
    if (!before) return;
    require(caps.has_value());
    require(before->capabilities == *caps);
    require((before->capabilities.flags & ~offered.flags) == 0);
    const auto after = protocol::decode_login(masked, offered);
    if (!after || before->is_ssl_request) return;
    require(after->user == before->user);
    require(after->capabilities == before->capabilities);
}

void packets(const Bytes& payload, Capabilities caps) {
    if (const auto ok = protocol::decode_ok(payload, caps)) {
        static_cast<void>(protocol::tracked_schema(ok->session_state));
        Bytes frame;
        protocol::encode_ok(frame, 1, *ok, caps);
        const auto again =
            protocol::decode_ok(std::span(frame).subspan(protocol::frame_header_size), caps);
        require(again.has_value());
        require(again->affected_rows == ok->affected_rows);
        require(again->last_insert_id == ok->last_insert_id);
        require(again->warnings == ok->warnings);
        require(again->session_state == ok->session_state);
        require(ok->info.starts_with(again->info));
    }
    for (std::size_t size = 0; size < payload.size() && size < 64; ++size) {
        static_cast<void>(protocol::decode_ok_prefix(std::span(payload).first(size), caps));
    }
    if (const auto err = protocol::decode_err(payload, caps)) {
        Bytes frame;
        protocol::encode_err(frame, 1, *err, caps);
        const auto again =
            protocol::decode_err(std::span(frame).subspan(protocol::frame_header_size), caps);
        require(again.has_value() && again->code == err->code);
        if (caps.has(protocol::capability::protocol_41)) {
            require(err->message.starts_with(again->message));
        }
    }
    static_cast<void>(protocol::decode_eof(payload));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    constexpr std::size_t head_size = 9;
    if (size < head_size) return 0;
    Capabilities caps;
    std::memcpy(&caps.flags, data + 1, sizeof(caps.flags));
    std::memcpy(&caps.mariadb_flags, data + 5, sizeof(caps.mariadb_flags));
    const Bytes payload(data + head_size, data + size);
    switch (data[0] % 4) {
        case 0:
            greeting(payload, caps);
            break;
        case 1:
            login(payload, caps);
            break;
        case 2:
            static_cast<void>(protocol::decode_change_user(payload, caps));
            break;
        default:
            packets(payload, caps);
            break;
    }
    return 0;
}
