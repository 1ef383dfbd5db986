#pragma once
// The tokens of a text without blanks and comments, one ahead. A small value: a copy is a
// bookmark. `at_end` is the end of one statement, `at_text_end` that of the text.

#include "rewrite/dialect.hpp"
#include "rewrite/text.hpp"
#include "rewrite/token.hpp"
#include "rewrite/tokenizer.hpp"

#include <cstdint>
#include <string_view>

namespace rewrite {

class Cursor {
public:
    Cursor(std::string_view text, const Dialect& dialect) noexcept : tokenizer_(text, dialect) {
        advance();
    }

    [[nodiscard]] const Token& token() const noexcept { return token_; }
    [[nodiscard]] const Dialect& dialect() const noexcept { return tokenizer_.dialect(); }
    void advance() noexcept;

    // The token behind this one.
    [[nodiscard]] Cursor following() const noexcept {
        Cursor copy = *this;
        copy.advance();
        return copy;
    }

    [[nodiscard]] bool is(TokenKind kind) const noexcept { return token_.kind == kind; }
    [[nodiscard]] bool is_word(std::string_view lower) const noexcept {
        return token_.kind == TokenKind::word && equals_lower(token_.text, lower);
    }
    [[nodiscard]] bool is_symbol(std::string_view text) const noexcept {
        return token_.kind == TokenKind::symbol && token_.text == text;
    }
    // May it be an identifier? Keywords look the same here.
    [[nodiscard]] bool is_name() const noexcept {
        return token_.kind == TokenKind::word || token_.kind == TokenKind::quoted_name;
    }
    bool accept_word(std::string_view lower) noexcept;
    bool accept_symbol(std::string_view text) noexcept;

    [[nodiscard]] bool at_text_end() const noexcept { return is(TokenKind::end); }
    [[nodiscard]] bool at_end() const noexcept { return at_text_end() || is_symbol(";"); }

    // How many `?` came before this token.
    [[nodiscard]] std::uint32_t params_before() const noexcept { return params_; }
    // No blank or comment between this token and the one before it.
    [[nodiscard]] bool is_adjacent() const noexcept { return adjacent_; }

private:
    Tokenizer tokenizer_;
    Token token_;
    std::uint32_t params_ = 0;
    bool adjacent_ = true;
};

// At `(`: moves behind the matching `)`. False if there is none before the end of the text.
bool skip_parentheses(Cursor& cursor) noexcept;

// One of a list of words that are known to be in lower case.
template <typename Words>
[[nodiscard]] bool is_any_word(const Cursor& cursor, const Words& words) noexcept {
    if (!cursor.is(TokenKind::word)) return false;
    for (const std::string_view word : words) {
        if (equals_lower(cursor.token().text, word)) return true;
    }
    return false;
}

}  // namespace rewrite
