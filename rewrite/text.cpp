#include "rewrite/text.hpp"

#include "rewrite/charset.hpp"

#include <algorithm>

namespace rewrite {

namespace {

// What a backslash and this byte stand for. `\%` and `\_` keep the backslash, for LIKE.
void append_escaped(std::string& out, char c) {
    switch (c) {
        case '0':
            out += '\0';
            break;
        case 'n':
            out += '\n';
            break;
        case 't':
            out += '\t';
            break;
        case 'r':
            out += '\r';
            break;
        case 'b':
            out += '\b';
            break;
        case 'Z':
            out += '\x1a';
            break;
        case '%':
            out += "\\%";
            break;
        case '_':
            out += "\\_";
            break;
        default:
            out += c;
            break;
    }
}

}  // namespace

bool equal_ignoring_case(std::string_view left, std::string_view right) noexcept {
    return left.size() == right.size() &&
           std::equal(left.begin(), left.end(), right.begin(), [](char a, char b) {
               return lowered(a) == lowered(b);
           });
}

std::string name_of(const Token& token) {
    if (token.kind != TokenKind::quoted_name) return std::string(token.text);
    const char quote = token.text.front();
    std::string name;
    name.reserve(token.text.size());
    for (std::size_t i = 1; i + 1 < token.text.size(); ++i) {
        if (token.text[i] == quote) ++i;  // doubled; a trail byte that looks like it is harmless
        name += token.text[i];
    }
    return name;
}

bool is_named(const Token& token, std::string_view name) {
    if (token.kind == TokenKind::word) return equal_ignoring_case(token.text, name);
    if (token.kind != TokenKind::quoted_name) return false;
    const std::string_view inner = token.text.substr(1, token.text.size() - 2);
    if (inner.find(token.text.front()) == std::string_view::npos) {
        return equal_ignoring_case(inner, name);
    }
    return equal_ignoring_case(name_of(token), name);
}

std::string string_of(const Token& token, const Dialect& dialect) {
    std::string_view text = token.text;
    if (lowered(text.front()) == 'n') text.remove_prefix(1);
    const char quote = text.front();
    std::string out;
    out.reserve(text.size());
    for (std::size_t i = 1; i + 1 < text.size(); ++i) {
        const auto c = static_cast<unsigned char>(text[i]);
        if (c >= 0x80 && dialect.charset != Charset::ascii_safe) {
            const std::size_t length =
                std::max<std::size_t>(character_length(text.substr(i), dialect.charset), 1);
            out += text.substr(i, length);
            i += length - 1;
        } else if (c == '\\' && !dialect.no_backslash_escapes) {
            append_escaped(out, text[++i]);
        } else {
            if (text[i] == quote) ++i;
            out += text[i];
        }
    }
    return out;
}

}  // namespace rewrite
