// Comments, hints and version comments.

#include "rewrite/byte_class.hpp"
#include "rewrite/tokenizer.hpp"

#include <utility>

namespace rewrite {

bool Tokenizer::starts_line_comment(std::size_t index) const noexcept {
    if (byte(index) != '-' || byte(index + 1) != '-') return false;
    return is_blank(byte(index + 2)) || is_control(byte(index + 2));
}

// To the line feed, which stays outside. A NUL ends it too.
Token Tokenizer::take_line_comment() noexcept {
    std::size_t end = at_ + (byte(at_) == '#' ? 1 : 2);
    while (end < text_.size() && byte(end) != '\n' && byte(end) != '\0') ++end;
    return take(TokenKind::comment, end);
}

// A skipped version comment may hold one level of plain comments; a plain one holds none.
std::size_t Tokenizer::end_of_comment(std::size_t index, bool may_nest) const noexcept {
    bool nested = false;
    while (index < text_.size()) {
        if (byte(index) == '*' && byte(index + 1) == '/') {
            index += 2;
            if (!std::exchange(nested, false)) return index;
        } else if (may_nest && !nested && byte(index) == '/' && byte(index + 1) == '*') {
            nested = true;
            index += 2;
        } else {
            ++index;
        }
    }
    return std::string_view::npos;
}

// MySQL reads quoted names inside a hint as one, so "*/" within quotes does not end it there.
Token Tokenizer::take_hint() noexcept {
    const std::size_t end = end_of_comment(at_ + 3, false);
    if (end == std::string_view::npos) return take_broken();
    std::size_t index = at_ + 3;
    while (index < end) {
        const unsigned char c = byte(index);
        ++index;
        if (c != '`' && c != '"' && c != '\'') continue;
        while (index < end && byte(index) != c) ++index;
        if (index >= end) return take_broken();
        ++index;
    }
    return take(TokenKind::hint, end);
}

// "/*!" or MariaDB's "/*M!", then perhaps a version: 5 digits, or 6.
Token Tokenizer::take_version_comment() noexcept {
    const bool is_mariadb_form = byte(at_ + 2) == 'M';
    std::size_t index = at_ + (is_mariadb_form ? 4 : 3);
    std::size_t digits = 0;
    while (digits < 6 && digit_at(index + digits)) ++digits;
    if (digits < 5) {
        in_version_comment_ = true;
        return take(TokenKind::version_open, index);
    }
    if (digits == 6 && !dialect_->is_mariadb) {
        // Old MySQL reads 5 digits always; new MySQL 6 if white space follows them.
        const bool has_blank = is_blank(byte(index + 6));
        if (has_blank && dialect_->server_version >= 80000 && dialect_->server_version < 90000) {
            return take_broken();
        }
        if (!has_blank || dialect_->server_version < 90000) digits = 5;
    }
    std::uint32_t version = 0;
    for (std::size_t i = 0; i < digits; ++i) version = version * 10 + (byte(index + i) - '0');
    index += digits;
    // MariaDB takes 50700 to 99999 for features that only MySQL has.
    const bool is_for_mysql =
        dialect_->is_mariadb && !is_mariadb_form && version >= 50700 && version <= 99999;
    if (version <= dialect_->server_version && !is_for_mysql) {
        in_version_comment_ = true;
        return take(TokenKind::version_open, index);
    }
    const std::size_t end = end_of_comment(index, true);
    return end == std::string_view::npos ? take_broken() : take(TokenKind::comment, end);
}

Token Tokenizer::take_slash() noexcept {
    if (byte(at_ + 1) != '*') return take(TokenKind::symbol, at_ + 1);
    const unsigned char mark = byte(at_ + 2);
    const bool is_mariadb_form = dialect_->is_mariadb && mark == 'M' && byte(at_ + 3) == '!';
    if (mark == '!' || is_mariadb_form) return take_version_comment();
    if (mark == '+' && !dialect_->is_mariadb) return take_hint();
    const std::size_t end = end_of_comment(at_ + 2, false);
    return end == std::string_view::npos ? take_broken() : take(TokenKind::comment, end);
}

}  // namespace rewrite
