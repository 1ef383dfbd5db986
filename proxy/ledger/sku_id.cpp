#include "proxy/ledger/sku_id.hpp"

#include <algorithm>

namespace proxy {
namespace {

constexpr char digits[] = "0123456789ABCDEF";

bool is_plain(unsigned char c) noexcept {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           c == '-' || c == '.';
}

void append_encoded(std::string& id, std::string_view text) {
    for (const char raw : text) {
        const auto c = static_cast<unsigned char>(raw);
        if (is_plain(c)) {
            id += raw;
            continue;
        }
        id += '%';
        id += digits[c >> 4];
        id += digits[c & 15];
    }
}

int digit_value(char c) noexcept {
    // Upper case only: one id, one spelling.
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

std::optional<std::string> decoded(std::string_view text) {
    std::string plain;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto c = static_cast<unsigned char>(text[i]);
        if (is_plain(c)) {
            plain += text[i];
            continue;
        }
        if (c != '%' || i + 2 >= text.size()) return std::nullopt;
        const int high = digit_value(text[i + 1]);
        const int low = digit_value(text[i + 2]);
        if (high < 0 || low < 0) return std::nullopt;
        const auto value = static_cast<unsigned char>(high << 4 | low);
        if (is_plain(value)) return std::nullopt;  // would be a second spelling
        plain += static_cast<char>(value);
        i += 2;
    }
    return plain;
}

// "+0042" -> "42", "-0" -> "0".
std::optional<std::string> canonical_integer(std::string_view text) {
    bool negative = false;
    if (!text.empty() && (text.front() == '-' || text.front() == '+')) {
        negative = text.front() == '-';
        text.remove_prefix(1);
    }
    if (text.empty()) return std::nullopt;
    if (!std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; })) {
        return std::nullopt;
    }
    const auto first = text.find_first_not_of('0');
    if (first == std::string_view::npos) return "0";
    text.remove_prefix(first);
    return (negative ? "-" : "") + std::string{text};
}

// Most collations, _bin ones too, pad: 'A1  ' names the row 'A1', and old clients send CHAR keys
// padded. `init` makes sure that no second row would be hit where the column does not pad.
std::string without_trailing_blanks(std::string_view text) {
    const auto last = text.find_last_not_of(' ');
    return std::string{text.substr(0, last == std::string_view::npos ? 0 : last + 1)};
}

std::optional<std::string> folded(std::string_view text) {
    std::string low;
    for (const char raw : text) {
        const auto c = static_cast<unsigned char>(raw);
        // Control characters have no weight in some collations, so two texts could name one row.
        if (c < 0x20 || c > 0x7e) return std::nullopt;
        low += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : raw;
    }
    return without_trailing_blanks(low);
}

std::optional<std::string> canonical_part(const std::string& text, KeyType type) {
    switch (type) {
        case KeyType::integer:
            return canonical_integer(text);
        case KeyType::binary_string:
            return without_trailing_blanks(text);
        case KeyType::folded_string:
            return folded(text);
    }
    return std::nullopt;
}

}  // namespace

std::optional<std::string> make_sku_id(
    std::string_view table, const std::vector<std::string>& parts, const std::vector<KeyType>& types
) {
    if (parts.empty() || parts.size() != types.size()) return std::nullopt;
    std::string id;
    append_encoded(id, table);
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const auto part = canonical_part(parts[i], types[i]);
        if (!part) return std::nullopt;
        id += i == 0 ? ':' : ',';
        append_encoded(id, *part);
        if (id.size() > sku_id_size_max) return std::nullopt;
    }
    return id;
}

std::optional<std::vector<std::string>> key_parts_of(std::string_view sku_id) {
    const auto colon = sku_id.find(':');
    if (colon == std::string_view::npos || sku_id.size() > sku_id_size_max) return std::nullopt;
    if (!decoded(sku_id.substr(0, colon))) return std::nullopt;
    std::vector<std::string> parts;
    std::string_view rest = sku_id.substr(colon + 1);
    for (;;) {
        const auto comma = rest.find(',');
        auto part = decoded(rest.substr(0, comma));
        if (!part) return std::nullopt;
        parts.push_back(std::move(*part));
        if (comma == std::string_view::npos) return parts;
        rest.remove_prefix(comma + 1);
    }
}

std::string gate_key(std::string_view schema, std::string_view sku_id, unsigned bucket) {
    std::string key = "stock:";
    key.append(schema).append(".").append(sku_id).append(":").append(std::to_string(bucket));
    return key;
}

}  // namespace proxy
