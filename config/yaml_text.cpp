#include "config/yaml_text.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

namespace config {
namespace {

constexpr std::size_t shown_bytes_max = 48;

bool is_control(char byte) {
    const auto value = static_cast<unsigned char>(byte);
    return (value < 0x20 && byte != '\t' && byte != '\n' && byte != '\r') || value == 0x7f;
}

bool is_unprintable(char byte) {
    return is_control(byte) || byte == '\t' || byte == '\n' || byte == '\r';
}

// Smallest code point that needs a sequence of this length; shorter ones are over-long.
constexpr std::array<std::uint32_t, 5> code_point_min = {0, 0, 0x80, 0x800, 0x10000};

std::size_t length_of_lead(unsigned char lead) {
    if (lead < 0x80) return 1;
    if (lead >= 0xc2 && lead <= 0xdf) return 2;
    if (lead >= 0xe0 && lead <= 0xef) return 3;
    if (lead >= 0xf0 && lead <= 0xf4) return 4;
    return 0;
}

// What stands at line and column, to the end of the text.
std::string_view text_from(std::string_view text, int line, int column) {
    for (int skipped = 0; skipped < line; ++skipped) {
        const std::size_t end = text.find('\n');
        if (end == std::string_view::npos) return {};
        text.remove_prefix(end + 1);
    }
    return text.substr(std::min(text.size(), static_cast<std::size_t>(std::max(column, 0))));
}

bool is_blank_or_comment(std::string_view line) {
    const std::size_t begin = line.find_first_not_of(" \t\r");
    return begin == std::string_view::npos || line[begin] == '#';
}

}  // namespace

std::size_t utf8_length(std::string_view text) {
    if (text.empty()) return 0;
    const auto lead = static_cast<unsigned char>(text.front());
    const std::size_t length = length_of_lead(lead);
    if (length <= 1) return length;
    if (text.size() < length) return 0;
    std::uint32_t code_point = lead & (0xffU >> (length + 1));
    for (const char byte : text.substr(1, length - 1)) {
        const auto value = static_cast<unsigned char>(byte);
        if ((value & 0xc0U) != 0x80U) return 0;
        code_point = (code_point << 6U) | (value & 0x3fU);
    }
    const bool surrogate = code_point >= 0xd800 && code_point <= 0xdfff;
    const bool valid = code_point >= code_point_min[length] && code_point <= 0x10ffff && !surrogate;
    return valid ? length : 0;
}

bool is_utf8(std::string_view text) {
    while (!text.empty()) {
        const std::size_t length = utf8_length(text);
        if (length == 0) return false;
        text.remove_prefix(length);
    }
    return true;
}

TextFault find_text_fault(std::string_view text) {
    int line = 1;
    bool line_begins = true;
    while (!text.empty()) {
        const char byte = text.front();
        if (is_control(byte)) {
            return {line, "has a control character", "Save the file as plain UTF-8 text"};
        }
        if (byte == '%' && line_begins) {
            return {line, "a YAML directive is not allowed", "Remove the line that begins with %"};
        }
        const std::size_t length = utf8_length(text);
        if (length == 0) return {line, "is not valid UTF-8", "Save the file as plain UTF-8 text"};
        line_begins = byte == '\n';
        line += line_begins ? 1 : 0;
        text.remove_prefix(length);
    }
    return {};
}

bool quote_is_open(std::string_view text, int line, int column) {
    text = text_from(text, line, column);
    if (text.empty() || (text.front() != '"' && text.front() != '\'')) return false;
    const char quote = text.front();
    for (std::size_t at = 1; at < text.size(); ++at) {
        if (quote == '"' && text[at] == '\\') {
            ++at;
        } else if (text[at] == quote) {
            const bool doubled = quote == '\'' && at + 1 < text.size() && text[at + 1] == quote;
            if (!doubled) return false;
            ++at;
        }
    }
    return true;
}

int line_of_null_item(std::string_view text, int line, int column) {
    const std::string_view here = text_from(text, line, column);
    if (here.starts_with('~') || here.starts_with('n') || here.starts_with('N')) return line;
    std::string_view before = text.substr(0, text.size() - text_from(text, line, 0).size());
    while (before.ends_with('\n')) {
        before.remove_suffix(1);
        --line;
        const std::size_t begin = before.rfind('\n');
        const std::size_t start = begin == std::string_view::npos ? 0 : begin + 1;
        if (!is_blank_or_comment(before.substr(start))) return std::max(line, 0);
        before = before.substr(0, start);
    }
    return std::max(line, 0);
}

std::string printable(std::string_view text) {
    std::string result;
    while (!text.empty()) {
        if (result.size() > shown_bytes_max) return result + "...";
        const std::size_t length = std::max<std::size_t>(utf8_length(text), 1);
        result += is_unprintable(text.front()) ? std::string_view("?") : text.substr(0, length);
        text.remove_prefix(length);
    }
    return result;
}

std::string shown(std::string_view text) {
    return "'" + printable(text) + "'";
}

}  // namespace config
