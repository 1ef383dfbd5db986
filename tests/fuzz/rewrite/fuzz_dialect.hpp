#pragma once
// The first byte of a fuzz input chooses how the rest is read.

#include "rewrite/dialect.hpp"

#include <cstdint>

inline rewrite::Dialect dialect_of(std::uint8_t choice) {
    rewrite::Dialect dialect;
    dialect.is_mariadb = (choice & 1) != 0;
    dialect.server_version = dialect.is_mariadb ? 101119 : ((choice & 2) != 0 ? 90704 : 80036);
    dialect.ansi_quotes = (choice & 4) != 0;
    dialect.no_backslash_escapes = (choice & 8) != 0;
    dialect.high_not_precedence = (choice & 16) != 0;
    dialect.charset = static_cast<rewrite::Charset>((choice >> 5) % 5);
    return dialect;
}
