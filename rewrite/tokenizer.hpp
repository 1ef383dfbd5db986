#pragma once
// Splits SQL text into tokens exactly where the server's lexer does: comments in all forms,
// version comments by server and version, quoting by sql_mode, multi-byte character sets whose
// second byte may be ASCII. A small value: copying it is how the parser looks ahead. No
// allocation, no exception, never reads outside the text. Once broken, the rest is one token.

#include "rewrite/dialect.hpp"
#include "rewrite/token.hpp"

#include <cstddef>
#include <string_view>

namespace rewrite {

class Tokenizer {
public:
    // `dialect` must outlive the tokenizer.
    Tokenizer(std::string_view text, const Dialect& dialect) noexcept
        : text_(text), dialect_(&dialect) {}

    [[nodiscard]] Token next() noexcept;
    [[nodiscard]] std::size_t position() const noexcept { return at_; }
    [[nodiscard]] const Dialect& dialect() const noexcept { return *dialect_; }

private:
    [[nodiscard]] unsigned char byte(std::size_t index) const noexcept;
    [[nodiscard]] bool digit_at(std::size_t index) const noexcept;
    [[nodiscard]] bool name_at(std::size_t index) const noexcept;
    [[nodiscard]] std::size_t end_of_name(std::size_t index) const noexcept;

    Token take(TokenKind kind, std::size_t end) noexcept;
    Token take_broken() noexcept { return take(TokenKind::broken, text_.size()); }
    Token take_blank() noexcept;
    Token take_word(std::size_t start) noexcept;
    Token take_prefixed_or_word() noexcept;
    Token take_digits() noexcept;
    Token take_real(std::size_t index) noexcept;
    Token take_string(std::size_t quote_index) noexcept;
    Token take_quoted_name() noexcept;
    Token take_variable() noexcept;
    Token take_line_comment() noexcept;
    Token take_slash() noexcept;
    Token take_version_comment() noexcept;
    Token take_hint() noexcept;
    Token take_dot() noexcept;
    Token take_comparison() noexcept;
    Token take_symbol() noexcept;

    [[nodiscard]] std::size_t end_of_string(std::size_t index, unsigned char quote) const noexcept;
    [[nodiscard]] std::size_t end_of_quoted_name(std::size_t index, unsigned char quote)
        const noexcept;
    [[nodiscard]] std::size_t end_of_comment(std::size_t index, bool may_nest) const noexcept;
    [[nodiscard]] bool starts_line_comment(std::size_t index) const noexcept;

    std::string_view text_;
    const Dialect* dialect_;
    std::size_t at_ = 0;
    bool in_version_comment_ = false;
    bool dot_is_next_ = false;   // a word ended at a dot that another name follows
    bool name_is_next_ = false;  // a dot was read: what follows is a name, even if it is digits
};

}  // namespace rewrite
