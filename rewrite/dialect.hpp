#pragma once
// How this server and this session read SQL text. Pure data; the session fills it from the
// greeting, the handshake and what it saw of sql_mode, and passes it by reference.

#include <cstdint>

namespace rewrite {

// Client character sets whose second byte may look like ASCII (`\`, `` ` ``, quotes). All other
// character sets that a client may use are `ascii_safe`.
enum class Charset : std::uint8_t { ascii_safe, big5, gbk, gb18030, sjis };

struct Dialect {
    // As in version comments: major * 10000 + minor * 100 + patch, for example 80036 or 101119.
    std::uint32_t server_version = 80000;
    bool is_mariadb = false;
    bool ansi_quotes = false;           // sql_mode ANSI_QUOTES: "x" is an identifier
    bool no_backslash_escapes = false;  // sql_mode NO_BACKSLASH_ESCAPES
    bool high_not_precedence = false;   // sql_mode HIGH_NOT_PRECEDENCE: NOT binds like !
    Charset charset = Charset::ascii_safe;
};

// The charset class of a collation id from the handshake (character_set field).
[[nodiscard]] Charset charset_of_collation(std::uint32_t collation_id) noexcept;

}  // namespace rewrite
