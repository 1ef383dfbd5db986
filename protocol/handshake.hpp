#pragma once
// Greeting (HandshakeV10), the client's answer (HandshakeResponse41 / SSLRequest) and
// COM_CHANGE_USER. Authentication itself is relayed, never understood: only capabilities, user,
// schema and character set are read. Source: MySQL "Protocol::HandshakeV10",
// "Protocol::HandshakeResponse41".

#include "protocol/capabilities.hpp"
#include "protocol/errc.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace protocol {

struct Greeting {
    std::uint8_t protocol_version = 10;
    std::string_view server_version;
    std::uint32_t connection_id = 0;
    Capabilities capabilities;
    std::uint8_t collation = 0;
    std::uint16_t status = 0;
    std::string_view auth_plugin;
};

// `payload` without frame header. A greeting may also be an ERR packet (first byte 0xff): the
// caller looks for that first.
[[nodiscard]] Result<Greeting> decode_greeting(std::span<const std::uint8_t> payload);
// Clears in place every capability bit that `allowed` does not have; also MariaDB's second word
// where there is one. Sets the bits of `added`, which are for what this side does itself (TLS,
// compression). The payload must have passed decode_greeting.
[[nodiscard]] Result<Capabilities> mask_greeting(
    std::span<std::uint8_t> payload, Capabilities allowed, std::uint32_t added = 0
);

// "10.11.6-MariaDB-..." (also "5.5.5-10.11.6-MariaDB") -> 101106, true; "9.7.4" -> 90704, false.
struct ServerVersion {
    std::uint32_t number = 0;  // major * 10000 + minor * 100 + patch
    bool is_mariadb = false;
};
[[nodiscard]] ServerVersion parse_server_version(std::string_view text) noexcept;

struct LoginRequest {
    Capabilities capabilities;  // asked for and offered: what is in force
    Capabilities requested;     // as the client sent them
    std::uint32_t max_packet_size = 0;
    std::uint32_t collation = 0;
    bool is_ssl_request = false;  // nothing after the character set
    std::uint8_t zstd_level = 0;  // 0: not said
    std::string_view user;
    std::string_view schema;
    std::string_view auth_plugin;
};
// Accepts what real clients send: attributes missing or cut, old 320 answers are `unsupported`.
[[nodiscard]] Result<LoginRequest> decode_login(
    std::span<const std::uint8_t> payload, Capabilities offered
);

// Clears in place every bit that was not offered, as the server itself would if it had sent our
// greeting. Needed: MariaDB's client libraries set all of their second word's bits unasked, and a
// server that has a bit which we masked would take it. Sets the bits of `added`, which are for what
// the leg does that the login goes out on. The payload must have passed decode_login.
[[nodiscard]] Result<Capabilities> mask_login(
    std::span<std::uint8_t> payload, Capabilities offered, std::uint32_t added = 0
);
// The part of a login that is an SSLRequest by itself, in bytes.
inline constexpr std::size_t login_head_size = 32;

struct ChangeUser {
    std::string_view user;
    std::string_view schema;
    std::uint32_t collation = 0;  // 0: not sent
};
// `payload` begins with the command byte.
[[nodiscard]] Result<ChangeUser> decode_change_user(
    std::span<const std::uint8_t> payload, Capabilities caps
);

}  // namespace protocol
