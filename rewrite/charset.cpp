#include "rewrite/charset.hpp"

namespace rewrite {

namespace {

bool within(unsigned char byte, unsigned char low, unsigned char high) noexcept {
    return byte >= low && byte <= high;
}

bool is_double_byte_lead(unsigned char byte, Charset charset) noexcept {
    if (charset == Charset::big5) return within(byte, 0xa1, 0xf9);
    if (charset == Charset::sjis) return within(byte, 0x81, 0x9f) || within(byte, 0xe0, 0xfc);
    return within(byte, 0x81, 0xfe);  // gbk, gb18030
}

bool is_double_byte_trail(unsigned char byte, Charset charset) noexcept {
    if (within(byte, 0x40, 0x7e)) return true;
    if (charset == Charset::big5) return within(byte, 0xa1, 0xfe);
    if (charset == Charset::sjis) return within(byte, 0x80, 0xfc);
    return within(byte, 0x80, 0xfe);
}

unsigned char at(std::string_view text, std::size_t index) noexcept {
    return index < text.size() ? static_cast<unsigned char>(text[index]) : '\0';
}

std::size_t utf8_length(std::string_view rest) noexcept {
    const unsigned char lead = at(rest, 0);
    const unsigned char second = at(rest, 1);
    const auto is_tail = [&](std::size_t index) { return within(at(rest, index), 0x80, 0xbf); };
    if (within(lead, 0xc2, 0xdf)) return is_tail(1) ? 2 : 0;
    if (within(lead, 0xe0, 0xef)) {
        const bool overlong = lead == 0xe0 && second < 0xa0;
        const bool surrogate = lead == 0xed && second > 0x9f;
        return is_tail(1) && is_tail(2) && !overlong && !surrogate ? 3 : 0;
    }
    if (within(lead, 0xf0, 0xf4)) {
        const bool overlong = lead == 0xf0 && second < 0x90;
        const bool beyond = lead == 0xf4 && second > 0x8f;
        return is_tail(1) && is_tail(2) && is_tail(3) && !overlong && !beyond ? 4 : 0;
    }
    return 0;
}

}  // namespace

std::size_t character_length(std::string_view rest, Charset charset) noexcept {
    const unsigned char lead = at(rest, 0);
    if (lead < 0x80) return 1;
    if (charset == Charset::ascii_safe) return utf8_length(rest);
    if (!is_double_byte_lead(lead, charset)) return 0;
    if (is_double_byte_trail(at(rest, 1), charset)) return 2;
    const bool four_bytes = charset == Charset::gb18030 && within(at(rest, 1), '0', '9') &&
                            within(at(rest, 2), 0x81, 0xfe) && within(at(rest, 3), '0', '9');
    return four_bytes ? 4 : 0;
}

std::size_t claimed_length(unsigned char lead, Charset charset) noexcept {
    if (lead < 0x80) return 1;
    if (charset != Charset::ascii_safe) return is_double_byte_lead(lead, charset) ? 2 : 1;
    if (within(lead, 0xc2, 0xdf)) return 2;
    if (within(lead, 0xe0, 0xef)) return 3;
    return within(lead, 0xf0, 0xf4) ? 4 : 1;
}

// Collation numbers are fixed in both servers; MariaDB's NOPAD twins are 1024 higher.
Charset charset_of_collation(std::uint32_t collation_id) noexcept {
    const std::uint32_t id = collation_id >= 1024 ? collation_id - 1024 : collation_id;
    if (id == 1 || id == 84) return Charset::big5;
    if (id == 28 || id == 87) return Charset::gbk;
    if (id == 13 || id == 88 || id == 95 || id == 96) return Charset::sjis;  // and cp932
    if (collation_id >= 248 && collation_id <= 250) return Charset::gb18030;
    return Charset::ascii_safe;
}

}  // namespace rewrite
