#pragma once
// Just enough JSON to write reports for scripts: objects and arrays built in order. Pure. The
// caller keeps the nesting right; keys are written as they are given.

#include <cstdint>
#include <string>
#include <string_view>

namespace proxy {

class JsonText {
public:
    JsonText& begin_object();
    JsonText& end_object();
    JsonText& begin_array();
    JsonText& end_array();
    JsonText& key(std::string_view name);
    JsonText& value(std::string_view text);
    JsonText& value(const char* text) { return value(std::string_view{text}); }
    JsonText& value(std::int64_t number);
    JsonText& value(bool flag);
    JsonText& null();

    [[nodiscard]] const std::string& text() const noexcept { return text_; }

private:
    void separate();
    std::string text_;
};

// False: the file could not be written.
[[nodiscard]] bool write_file(const std::string& path, const std::string& text);

}  // namespace proxy
