#include "protocol/handshake.hpp"

#include "protocol/bytes.hpp"
#include "protocol/command.hpp"

#include <algorithm>

namespace protocol {

namespace {

constexpr std::uint8_t greeting_version = 10;
constexpr std::size_t scramble_head_size = 8;
constexpr std::size_t scramble_tail_min = 13;
constexpr std::size_t reserved_size = 6;      // and four more that MariaDB uses
constexpr std::size_t login_mariadb_at = 28;  // the second word in a login

// Where the parts of a greeting lie that masking changes; zero where the greeting ends before it.
struct GreetingLayout {
    std::size_t flags_low = 0;
    std::size_t flags_high = 0;
    std::size_t mariadb_flags = 0;
};

struct ParsedGreeting {
    Greeting greeting;
    GreetingLayout layout;
};

void read_second_half(ByteReader& reader, ParsedGreeting& parsed) {
    Greeting& greeting = parsed.greeting;
    greeting.collation = reader.int1();
    greeting.status = reader.int2();
    parsed.layout.flags_high = reader.position();
    greeting.capabilities.flags |= static_cast<std::uint32_t>(reader.int2()) << 16;
    const std::size_t scramble_size = reader.int1();
    reader.skip(reserved_size);
    parsed.layout.mariadb_flags = reader.position();
    const std::uint32_t mariadb_flags = reader.int4();
    if (!greeting.capabilities.has(capability::long_password)) {
        greeting.capabilities.mariadb_flags = mariadb_flags;
    }
    if (greeting.capabilities.has(capability::secure_connection)) {
        const std::size_t head = std::min(scramble_size, scramble_head_size);
        reader.skip(std::max(scramble_tail_min, scramble_size - head));
    }
    if (greeting.capabilities.has(capability::plugin_auth)) {
        // Some 5.5 and 5.6 servers leave the terminating zero out.
        greeting.auth_plugin = reader.text_to_nul_or_end();
    }
}

Result<ParsedGreeting> parse_greeting(std::span<const std::uint8_t> payload) {
    ByteReader reader(payload);
    ParsedGreeting parsed;
    Greeting& greeting = parsed.greeting;
    greeting.protocol_version = reader.int1();
    if (!reader.failed() && greeting.protocol_version != greeting_version) return Errc::unsupported;
    greeting.server_version = reader.text_to_nul();
    greeting.connection_id = reader.int4();
    reader.skip(scramble_head_size + 1);
    parsed.layout.flags_low = reader.position();
    greeting.capabilities.flags = reader.int2();
    // Before 4.1 a greeting could end here.
    if (!reader.failed() && reader.left() > 0) read_second_half(reader, parsed);
    if (reader.failed()) return reader.error();
    return parsed;
}

std::uint32_t read_flags(std::span<const std::uint8_t> payload, std::size_t at, std::size_t size) {
    ByteReader reader(payload.subspan(at, size));
    return size == 2 ? reader.int2() : reader.int4();
}

void write_flags(
    std::span<std::uint8_t> payload, std::size_t at, std::size_t size, std::uint32_t flags
) {
    for (std::size_t i = 0; i < size; ++i) {
        payload[at + i] = static_cast<std::uint8_t>(flags >> (8 * i));
    }
}

// The client has a second word to say: it talks to a MariaDB and does not call itself a MySQL.
bool has_mariadb_word(std::uint32_t requested, Capabilities offered) {
    return (requested & capability::long_password) == 0 && !offered.has(capability::long_password);
}

std::string_view read_auth_data(ByteReader& reader, Capabilities caps) {
    if (caps.has(capability::plugin_auth_lenenc_data)) return reader.text_length_encoded();
    if (caps.has(capability::secure_connection)) return reader.text(reader.int1());
    return reader.text_to_nul_or_end();
}

// Behind the connection attributes, which may be missing or cut.
std::uint8_t last_byte(ByteReader& reader) {
    if (reader.left() > 1) static_cast<void>(reader.text_length_encoded());
    const std::uint8_t byte = reader.left() > 0 ? reader.int1() : std::uint8_t{0};
    return reader.failed() ? std::uint8_t{0} : byte;
}

}  // namespace

Result<Greeting> decode_greeting(std::span<const std::uint8_t> payload) {
    const auto parsed = parse_greeting(payload);
    if (!parsed) return parsed.error();
    return parsed->greeting;
}

Result<Capabilities> mask_greeting(
    std::span<std::uint8_t> payload, Capabilities allowed, std::uint32_t added
) {
    const auto parsed = parse_greeting(payload);
    if (!parsed) return parsed.error();
    Capabilities caps = parsed->greeting.capabilities;
    // This bit says which kind of greeting it is: never a matter of taste.
    caps.flags &= allowed.flags | capability::long_password;
    caps.flags |= added;
    caps.mariadb_flags &= allowed.mariadb_flags;

    const GreetingLayout& layout = parsed->layout;
    write_flags(payload, layout.flags_low, 2, caps.flags);
    if (layout.flags_high != 0) write_flags(payload, layout.flags_high, 2, caps.flags >> 16);
    if (layout.mariadb_flags != 0 && !caps.has(capability::long_password)) {
        write_flags(payload, layout.mariadb_flags, 4, caps.mariadb_flags);
    }
    return caps;
}

Result<LoginRequest> decode_login(std::span<const std::uint8_t> payload, Capabilities offered) {
    ByteReader reader(payload);
    // The first two bytes are flags in every version; only 4.1 and later have four of them.
    if (payload.size() < 2) return Errc::incomplete;
    if ((read_flags(payload, 0, 2) & capability::protocol_41) == 0) return Errc::unsupported;
    if (payload.size() < login_head_size) return Errc::incomplete;

    LoginRequest login;
    login.requested.flags = reader.int4();
    login.max_packet_size = reader.int4();
    login.collation = reader.int1();
    if (has_mariadb_word(login.requested.flags, offered)) {
        login.requested.mariadb_flags = read_flags(payload, login_mariadb_at, 4);
    }
    login.capabilities.flags = login.requested.flags & offered.flags;
    login.capabilities.mariadb_flags = login.requested.mariadb_flags & offered.mariadb_flags;
    login.is_ssl_request =
        payload.size() == login_head_size && login.requested.has(capability::ssl);
    if (login.is_ssl_request) return login;

    reader.skip(login_head_size - reader.position());
    login.user = reader.text_to_nul();
    // What follows is missing or without its last zero in some old connectors.
    if (reader.left() > 0) static_cast<void>(read_auth_data(reader, login.capabilities));
    if (login.requested.has(capability::connect_with_db))
        login.schema = reader.text_to_nul_or_end();
    if (login.capabilities.has(capability::plugin_auth)) {
        login.auth_plugin = reader.text_to_nul_or_end();
    }
    if (reader.failed()) return reader.error();
    if (login.capabilities.has(capability::zstd_compression)) login.zstd_level = last_byte(reader);
    return login;
}

Result<Capabilities> mask_login(
    std::span<std::uint8_t> payload, Capabilities offered, std::uint32_t added
) {
    if (payload.size() < login_head_size) return Errc::incomplete;
    const std::uint32_t requested = read_flags(payload, 0, 4);
    if ((requested & capability::protocol_41) == 0) return Errc::unsupported;
    // A MySQL client sets long_password towards a MariaDB too and means no second word by it.
    const std::uint32_t keep = offered.flags | capability::long_password;
    Capabilities caps{(requested & keep) | added, 0};
    write_flags(payload, 0, 4, caps.flags);
    if (has_mariadb_word(requested, offered)) {
        caps.mariadb_flags = read_flags(payload, login_mariadb_at, 4) & offered.mariadb_flags;
        write_flags(payload, login_mariadb_at, 4, caps.mariadb_flags);
    }
    caps.flags &= offered.flags | added;
    return caps;
}

Result<ChangeUser> decode_change_user(std::span<const std::uint8_t> payload, Capabilities caps) {
    ByteReader reader(payload);
    ChangeUser change;
    if (reader.int1() != static_cast<std::uint8_t>(Command::change_user)) {
        reader.fail(Errc::malformed);
    }
    change.user = reader.text_to_nul();
    if (caps.has(capability::secure_connection)) {
        // One byte of length, whatever is agreed about logins.
        if (reader.left() > 0) reader.skip(reader.int1());
    } else {
        static_cast<void>(reader.text_to_nul_or_end());
    }
    change.schema = reader.text_to_nul_or_end();
    if (reader.left() >= 2) change.collation = reader.int2();
    if (reader.failed()) return reader.error();
    return change;
}

}  // namespace protocol
