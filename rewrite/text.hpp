#pragma once
// Comparing and decoding the texts of tokens. Pure. Case is folded for ASCII only, which is all
// that keywords need and what managed names are promised for.

#include "rewrite/dialect.hpp"
#include "rewrite/token.hpp"

#include <string>
#include <string_view>

namespace rewrite {

[[nodiscard]] constexpr char lowered(char c) noexcept {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

[[nodiscard]] bool equal_ignoring_case(std::string_view left, std::string_view right) noexcept;

// `lower` is known to be in lower case.
[[nodiscard]] inline bool equals_lower(std::string_view text, std::string_view lower) noexcept {
    if (text.size() != lower.size()) return false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (lowered(text[i]) != lower[i]) return false;
    }
    return true;
}

// The name that a word or quoted_name token stands for.
[[nodiscard]] std::string name_of(const Token& token);

// Is it this name, in any case? False for other kinds of tokens.
[[nodiscard]] bool is_named(const Token& token, std::string_view name);

// The bytes that a string token stands for, in the session's character set.
[[nodiscard]] std::string string_of(const Token& token, const Dialect& dialect);

}  // namespace rewrite
