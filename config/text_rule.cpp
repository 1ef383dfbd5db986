#include "config/text_rule.hpp"

#include "config/yaml_text.hpp"

#include <algorithm>

namespace config {
namespace {

constexpr std::size_t instance_bytes_max = 64;
constexpr std::size_t path_bytes_max = 4095;  // the kernel's own limit
constexpr std::size_t user_bytes_max = 128;
constexpr std::size_t host_bytes_max = 253;
constexpr std::size_t identifier_characters_max = 64;  // MySQL's own limit

bool is_digit(char byte) {
    return byte >= '0' && byte <= '9';
}

bool is_instance_byte(char byte) {
    return is_digit(byte) || (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
           byte == '.' || byte == '_' || byte == '-';
}

std::size_t characters(std::string_view text) {
    std::size_t count = 0;
    for (const char byte : text) {
        // Continuation bytes of UTF-8 belong to the character before.
        if ((static_cast<unsigned char>(byte) & 0xc0U) != 0x80U) ++count;
    }
    return count;
}

bool has_control(std::string_view text) {
    return std::ranges::any_of(text, [](char byte) {
        return static_cast<unsigned char>(byte) < 0x20 || byte == 0x7f;
    });
}

// Names that would need quoting inside backquotes are refused: nobody means them.
bool is_identifier(std::string_view text) {
    if (text.empty() || characters(text) > identifier_characters_max) return false;
    if (has_control(text) || text.front() == ' ' || text.back() == ' ') return false;
    return text.find_first_of("`'\".\\/") == std::string_view::npos;
}

TextVerdict judge_user(std::string_view text) {
    if (text.size() > user_bytes_max) return {"is longer than 128 bytes", {}};
    if (has_control(text)) return {"has a control character", {}};
    return {};
}

TextVerdict judge_instance(std::string_view text) {
    const bool fits = !text.empty() && text.size() <= instance_bytes_max;
    if (fits && std::ranges::all_of(text, is_instance_byte)) return {};
    return {shown(text) + " is not an instance name", "Use 1 to 64 letters, digits, '.', '_', '-'"};
}

// A name or the literal of an address; whether a certificate has it shows when one is seen.
TextVerdict judge_host(std::string_view text) {
    const bool fits = text.size() <= host_bytes_max && std::ranges::all_of(text, [](char byte) {
                          return is_instance_byte(byte) || byte == ':';
                      });
    if (fits) return {};
    return {shown(text) + " is not a host name", "Write it without port and brackets"};
}

}  // namespace

TextVerdict judge_text(std::string_view text, TextRule rule) {
    switch (rule) {
        case TextRule::instance:
            return judge_instance(text);
        case TextRule::user:
            return judge_user(text);
        case TextRule::optional_host:
            return judge_host(text);
        case TextRule::optional_column:
            if (text.empty()) return {};
            break;
        case TextRule::column:
            break;
    }
    if (is_identifier(text)) return {};
    return {shown(text) + " is not a column name", "Write the bare name, without quotes or dots"};
}

TextVerdict judge_path(std::string_view text) {
    if (text.size() > path_bytes_max) {
        return {"is longer than " + std::to_string(path_bytes_max) + " bytes", {}};
    }
    if (has_control(text)) return {"has a control character", {}};
    if (text.ends_with('/')) return {shown(text) + " is a folder", "Write the path of a file"};
    return {};
}

TextVerdict split_table_name(std::string_view text, std::string& schema, std::string& name) {
    const std::size_t dot = text.find('.');
    if (dot == std::string_view::npos) {
        return {shown(text) + " has no schema", "Write SCHEMA.TABLE"};
    }
    const std::string_view before = text.substr(0, dot);
    const std::string_view after = text.substr(dot + 1);
    if (!is_identifier(before) || !is_identifier(after)) {
        return {shown(text) + " is not a table name", "Write SCHEMA.TABLE, without quotes"};
    }
    schema = before;
    name = after;
    return {};
}

bool is_whole_number(std::string_view text) {
    if (text.starts_with('-')) text.remove_prefix(1);
    return !text.empty() && std::ranges::all_of(text, is_digit);
}

}  // namespace config
