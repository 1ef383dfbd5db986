#include "rewrite/cursor.hpp"

#include <cstddef>

namespace rewrite {

void Cursor::advance() noexcept {
    if (token_.kind == TokenKind::param) ++params_;
    adjacent_ = true;
    token_ = tokenizer_.next();
    while (is_filler(token_.kind)) {
        adjacent_ = false;
        token_ = tokenizer_.next();
    }
}

bool Cursor::accept_word(std::string_view lower) noexcept {
    if (!is_word(lower)) return false;
    advance();
    return true;
}

bool Cursor::accept_symbol(std::string_view text) noexcept {
    if (!is_symbol(text)) return false;
    advance();
    return true;
}

bool skip_parentheses(Cursor& cursor) noexcept {
    std::size_t depth = 0;
    while (!cursor.at_text_end()) {
        if (cursor.is_symbol("(")) ++depth;
        const bool closes = cursor.is_symbol(")");
        cursor.advance();
        if (closes && --depth == 0) return true;
    }
    return false;
}

}  // namespace rewrite
