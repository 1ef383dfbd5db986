#pragma once

// Checks of the raw text that yaml-cpp leaves out: bytes that it would silently drop or take for
// the end of the file, and a quote that is still open at the end. Pure functions, any thread.

#include <string>
#include <string_view>

namespace config {

constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";

struct TextFault {
    int line = 0;
    std::string wrong;  // empty: none
    std::string hint;
};

// The first byte that cannot be part of a configuration: not UTF-8, a control character, or a
// directive line. A byte order mark at the begin is the caller's to remove.
[[nodiscard]] TextFault find_text_fault(std::string_view text);

// True when a quoted value begins at line and column (both from 0) and does not end. False when no
// quote stands there.
[[nodiscard]] bool quote_is_open(std::string_view text, int line, int column);

// Where an empty list item stands: yaml-cpp gives the place of what follows it. Lines from 0.
[[nodiscard]] int line_of_null_item(std::string_view text, int line, int column);

// Length of the UTF-8 sequence at the begin of the text, 0 when there is no valid one.
[[nodiscard]] std::size_t utf8_length(std::string_view text);

// True when all of it is.
[[nodiscard]] bool is_utf8(std::string_view text);

// For messages: bounded in length, control characters replaced.
[[nodiscard]] std::string printable(std::string_view text);

// The same in single quotes.
[[nodiscard]] std::string shown(std::string_view text);

}  // namespace config
