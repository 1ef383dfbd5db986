#include "proxy/cli/json_text_writer.hpp"

#include <fstream>

namespace proxy {
namespace {

constexpr char digits[] = "0123456789abcdef";

void append_escaped(std::string& out, std::string_view text) {
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\') {
            out += '\\';
            out += c;
        } else if (byte < 0x20) {
            out += "\\u00";
            out += digits[byte >> 4];
            out += digits[byte & 15];
        } else {
            out += c;
        }
    }
}

}  // namespace

void JsonText::separate() {
    if (text_.empty()) return;
    const char last = text_.back();
    if (last != '{' && last != '[' && last != ':') text_ += ',';
}

JsonText& JsonText::begin_object() {
    separate();
    text_ += '{';
    return *this;
}

JsonText& JsonText::end_object() {
    text_ += '}';
    return *this;
}

JsonText& JsonText::begin_array() {
    separate();
    text_ += '[';
    return *this;
}

JsonText& JsonText::end_array() {
    text_ += ']';
    return *this;
}

JsonText& JsonText::key(std::string_view name) {
    separate();
    text_ += '"';
    append_escaped(text_, name);
    text_ += "\":";
    return *this;
}

JsonText& JsonText::value(std::string_view text) {
    separate();
    text_ += '"';
    append_escaped(text_, text);
    text_ += '"';
    return *this;
}

JsonText& JsonText::value(std::int64_t number) {
    separate();
    text_ += std::to_string(number);
    return *this;
}

JsonText& JsonText::value(bool flag) {
    separate();
    text_ += flag ? "true" : "false";
    return *this;
}

JsonText& JsonText::null() {
    separate();
    text_ += "null";
    return *this;
}

bool write_file(const std::string& path, const std::string& text) {
    std::ofstream file(path, std::ios::binary | std::ios::trunc);
    file << text << '\n';
    file.close();
    return !file.fail();
}

}  // namespace proxy
