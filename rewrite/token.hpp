#pragma once
// One token of SQL text. `text` is the exact slice of the input, so that the texts of all tokens
// in order join back to the input. Pure data, valid as long as the text is.

#include <cstdint>
#include <string_view>

namespace rewrite {

enum class TokenKind : std::uint8_t {
    end,              // no more input, empty text
    blank,            // white space
    comment,          // #, --, /* */ and version comments that this server skips
    hint,             // /*+ */ on MySQL
    version_open,     // "/*!" or "/*!NNNNN" whose content this server executes
    version_close,    // its "*/"
    word,             // unquoted identifier or keyword
    quoted_name,      // `name`, or "name" under ANSI_QUOTES
    string,           // 'text', "text", N'text'
    number,           // 1, 1.5, .5, 1e3
    binary_literal,   // x'41', 0x41, b'1', 0b1
    user_variable,    // @name, @'name', @ alone
    system_variable,  // @@name, without the parts after a dot
    param,            // ?
    symbol,           // operators and punctuation
    unknown,          // one byte that starts no token in the session's character set
    broken,           // the rest of the text: unfinished, or read differently by server versions
};

struct Token {
    TokenKind kind = TokenKind::end;
    std::string_view text;
};

// Is it skipped by the grammar?
[[nodiscard]] constexpr bool is_filler(TokenKind kind) noexcept {
    return kind >= TokenKind::blank && kind <= TokenKind::version_close;
}

}  // namespace rewrite
