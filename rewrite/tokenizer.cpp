#include "rewrite/tokenizer.hpp"

#include "rewrite/byte_class.hpp"
#include "rewrite/charset.hpp"

#include <algorithm>
#include <utility>

namespace rewrite {

// Past the end reads as NUL, as in the server, whose buffer ends with one.
unsigned char Tokenizer::byte(std::size_t index) const noexcept {
    return index < text_.size() ? static_cast<unsigned char>(text_[index]) : '\0';
}

bool Tokenizer::digit_at(std::size_t index) const noexcept {
    return byte_classes[byte(index)] == class_digit;
}

bool Tokenizer::name_at(std::size_t index) const noexcept {
    const unsigned char kind = byte_classes[byte(index)];
    if (kind == class_high) return character_length(text_.substr(index), dialect_->charset) > 0;
    return kind == class_letter || kind == class_digit;
}

std::size_t Tokenizer::end_of_name(std::size_t index) const noexcept {
    while (index < text_.size()) {
        const unsigned char kind = byte_classes[byte(index)];
        if (kind == class_letter || kind == class_digit) {
            ++index;
        } else if (kind == class_high) {
            const std::size_t length = character_length(text_.substr(index), dialect_->charset);
            if (length == 0) break;
            index += length;
        } else {
            break;
        }
    }
    return index;
}

Token Tokenizer::take(TokenKind kind, std::size_t end) noexcept {
    const std::size_t start = at_;
    at_ = std::min(end, text_.size());
    return {kind, text_.substr(start, at_ - start)};
}

Token Tokenizer::next() noexcept {
    if (at_ >= text_.size()) {
        // An executed comment that never ends is a syntax error, not an end of input.
        const bool is_open = std::exchange(in_version_comment_, false);
        return {is_open ? TokenKind::broken : TokenKind::end, {}};
    }
    if (std::exchange(name_is_next_, false)) return take_word(at_);
    if (std::exchange(dot_is_next_, false)) return take_dot();
    const unsigned char c = byte(at_);
    switch (byte_classes[c]) {
        case class_blank:
            return take_blank();
        case class_letter:
            return take_prefixed_or_word();
        case class_digit:
            return take_digits();
        case class_high:
            return name_at(at_) ? take_word(at_) : take(TokenKind::unknown, at_ + 1);
        default:
            return take_symbol();
    }
}

Token Tokenizer::take_blank() noexcept {
    std::size_t end = at_ + 1;
    while (end < text_.size() && is_blank(byte(end))) ++end;
    return take(TokenKind::blank, end);
}

Token Tokenizer::take_word(std::size_t start) noexcept {
    const std::size_t end = end_of_name(start);
    // MySQL 8.0.32 and later read $$ text $$ and $tag$ text $tag$ as one token. Older servers
    // and MariaDB do not; nobody needs it here, so it ends our understanding.
    if (!dialect_->is_mariadb && byte(start) == '$' &&
        text_.substr(start + 1, end - start - 1).find('$') != std::string_view::npos) {
        return take_broken();
    }
    dot_is_next_ = byte(end) == '.' && name_at(end + 1);
    return take(TokenKind::word, end);
}

// x'41', b'01' and n'text' begin like words.
Token Tokenizer::take_prefixed_or_word() noexcept {
    if (byte(at_ + 1) != '\'') return take_word(at_);
    const unsigned char prefix = static_cast<unsigned char>(byte(at_) | 0x20);
    if (prefix == 'n') return take_string(at_ + 1);
    if (prefix != 'x' && prefix != 'b') return take_word(at_);
    std::size_t end = at_ + 2;
    const std::size_t digits = end;
    while (prefix == 'x' ? is_hex_digit(byte(end)) : byte(end) == '0' || byte(end) == '1') ++end;
    const bool is_odd = prefix == 'x' && (end - digits) % 2 != 0;
    if (byte(end) != '\'' || is_odd) return take_broken();
    return take(TokenKind::binary_literal, end + 1);
}

// A number, or a name that begins with digits: 1a, 0xZZ, 1e.
Token Tokenizer::take_digits() noexcept {
    std::size_t end = at_ + 1;
    if (byte(at_) == '0' && (byte(end) == 'x' || byte(end) == 'b')) {
        const bool is_hex = byte(end++) == 'x';
        const std::size_t digits = end;
        while (is_hex ? is_hex_digit(byte(end)) : byte(end) == '0' || byte(end) == '1') ++end;
        if (end > digits && !name_at(end)) return take(TokenKind::binary_literal, end);
        return take_word(at_);
    }
    while (digit_at(end)) ++end;
    if (byte(end) == '.') return take_real(end + 1);
    if (!name_at(end)) return take(TokenKind::number, end);
    if (is_exponent(byte(end))) {
        std::size_t exponent = end + 1;
        if (is_sign(byte(exponent))) ++exponent;
        if (digit_at(exponent)) {
            while (digit_at(exponent)) ++exponent;
            return take(TokenKind::number, exponent);
        }
    }
    return take_word(at_);
}

// `index` is behind the decimal point.
Token Tokenizer::take_real(std::size_t index) noexcept {
    while (digit_at(index)) ++index;
    if (is_exponent(byte(index))) {
        ++index;
        if (is_sign(byte(index))) ++index;
        if (!digit_at(index)) return take_broken();
        while (digit_at(index)) ++index;
    }
    return take(TokenKind::number, index);
}

std::size_t Tokenizer::end_of_string(std::size_t index, unsigned char quote) const noexcept {
    while (index < text_.size()) {
        const unsigned char c = byte(index);
        if (c >= 0x80 && dialect_->charset != Charset::ascii_safe) {
            const std::size_t length = character_length(text_.substr(index), dialect_->charset);
            index += std::max<std::size_t>(length, 1);
        } else if (c == '\\' && !dialect_->no_backslash_escapes) {
            index += 2;  // a byte, not a character: so does the server
        } else if (c == quote) {
            if (byte(index + 1) != quote) return index + 1;
            index += 2;
        } else {
            ++index;
        }
    }
    return std::string_view::npos;
}

Token Tokenizer::take_string(std::size_t quote_index) noexcept {
    const std::size_t end = end_of_string(quote_index + 1, byte(quote_index));
    return end == std::string_view::npos ? take_broken() : take(TokenKind::string, end);
}

// Servers differ in what an ill-formed character does inside quotes: some let its lead byte
// swallow what follows. Where that would swallow the closing quote, the reading is in doubt.
std::size_t Tokenizer::end_of_quoted_name(std::size_t index, unsigned char quote) const noexcept {
    while (index < text_.size()) {
        const unsigned char c = byte(index);
        if (c >= 0x80) {
            const std::size_t length = character_length(text_.substr(index), dialect_->charset);
            if (length == 0) {
                const std::size_t claimed = claimed_length(c, dialect_->charset);
                for (std::size_t i = 1; i < claimed; ++i) {
                    if (byte(index + i) == quote) return std::string_view::npos;
                }
            }
            index += std::max<std::size_t>(length, 1);
        } else if (c == '\0') {
            break;
        } else if (c == quote) {
            if (byte(index + 1) != quote) return index + 1;
            index += 2;
        } else {
            ++index;
        }
    }
    return std::string_view::npos;
}

Token Tokenizer::take_quoted_name() noexcept {
    const std::size_t end = end_of_quoted_name(at_ + 1, byte(at_));
    return end == std::string_view::npos ? take_broken() : take(TokenKind::quoted_name, end);
}

Token Tokenizer::take_variable() noexcept {
    const unsigned char c = byte(at_ + 1);
    if (c == '@') {
        const std::size_t end = end_of_name(at_ + 2);
        dot_is_next_ = end > at_ + 2 && byte(end) == '.';
        return take(TokenKind::system_variable, end);
    }
    if (c == '`' || c == '"' || c == '\'') {
        const bool is_name = c == '`' || (c == '"' && dialect_->ansi_quotes);
        const std::size_t end =
            is_name ? end_of_quoted_name(at_ + 2, c) : end_of_string(at_ + 2, c);
        if (end == std::string_view::npos) return take_broken();
        return take(TokenKind::user_variable, end);
    }
    std::size_t end = at_ + 1;
    while (name_at(end) || byte(end) == '.') {
        end += byte(end) == '.' ? 1 : character_length(text_.substr(end), dialect_->charset);
    }
    return take(TokenKind::user_variable, end);
}

Token Tokenizer::take_dot() noexcept {
    name_is_next_ = name_at(at_ + 1);
    return take(TokenKind::symbol, at_ + 1);
}

// As the server does: comparison bytes that follow one another are one operator, known or not.
Token Tokenizer::take_comparison() noexcept {
    const auto is_plain = [](unsigned char c) { return c == '=' || c == '>' || c == '!'; };
    std::size_t end = at_ + 1;
    if (is_plain(byte(end)) || byte(end) == '<') {
        ++end;
        if (byte(at_) == '<' && is_plain(byte(end))) ++end;
    }
    return take(TokenKind::symbol, end);
}

Token Tokenizer::take_symbol() noexcept {
    const unsigned char c = byte(at_);
    switch (c) {
        case '\'':
            return take_string(at_);
        case '"':
            return dialect_->ansi_quotes ? take_quoted_name() : take_string(at_);
        case '`':
            return take_quoted_name();
        case '@':
            return take_variable();
        case '#':
            return take_line_comment();
        case '/':
            return take_slash();
        case '.':
            return digit_at(at_ + 1) ? take_real(at_ + 1) : take_dot();
        case '<':
        case '>':
        case '=':
        case '!':
            return take_comparison();
        case '?':
            return take(name_at(at_ + 1) ? TokenKind::unknown : TokenKind::param, at_ + 1);
        case '*':
            if (in_version_comment_ && byte(at_ + 1) == '/') {
                in_version_comment_ = false;
                return take(TokenKind::version_close, at_ + 2);
            }
            return take(TokenKind::symbol, at_ + 1);
        case '-':
            if (starts_line_comment(at_)) return take_line_comment();
            if (byte(at_ + 1) != '>') return take(TokenKind::symbol, at_ + 1);
            return take(TokenKind::symbol, at_ + (byte(at_ + 2) == '>' ? 3 : 2));
        case '&':
        case '|':
            return take(TokenKind::symbol, at_ + (byte(at_ + 1) == c ? 2 : 1));
        case ':':
            return take(TokenKind::symbol, at_ + (byte(at_ + 1) == '=' ? 2 : 1));
        case '\0':
            return take_broken();
        default:
            break;
    }
    const bool is_unknown = is_control(c) || c == '\\';
    return take(is_unknown ? TokenKind::unknown : TokenKind::symbol, at_ + 1);
}

}  // namespace rewrite
