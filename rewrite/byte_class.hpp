#pragma once
// What a byte may begin, for the tokenizer. Pure.

#include <array>

namespace rewrite {

enum ByteClass : unsigned char { class_other, class_blank, class_letter, class_digit, class_high };

constexpr std::array<unsigned char, 256> make_classes() {
    std::array<unsigned char, 256> classes{};
    for (const char c : {' ', '\t', '\n', '\v', '\f', '\r'}) {
        classes[static_cast<unsigned char>(c)] = class_blank;
    }
    for (unsigned c = 'a'; c <= 'z'; ++c) classes[c] = classes[c - 'a' + 'A'] = class_letter;
    for (unsigned c = '0'; c <= '9'; ++c) classes[c] = class_digit;
    classes['_'] = classes['$'] = class_letter;
    for (unsigned c = 0x80; c < 256; ++c) classes[c] = class_high;
    return classes;
}

inline constexpr std::array<unsigned char, 256> byte_classes = make_classes();

inline bool is_blank(unsigned char c) noexcept {
    return byte_classes[c] == class_blank;
}
inline bool is_control(unsigned char c) noexcept {
    return c < 0x20 || c == 0x7f;
}
inline bool is_hex_digit(unsigned char c) noexcept {
    return byte_classes[c] == class_digit || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}
inline bool is_exponent(unsigned char c) noexcept {
    return c == 'e' || c == 'E';
}
inline bool is_sign(unsigned char c) noexcept {
    return c == '+' || c == '-';
}

}  // namespace rewrite
