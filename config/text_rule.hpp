#pragma once

// What the texts of a configuration may look like: names, columns, table names, paths, whole
// numbers.
// Pure functions, any thread; a refusal is a value with the sentence to show.

#include "config/schema.hpp"

#include <string>
#include <string_view>

namespace config {

struct TextVerdict {
    std::string wrong;  // empty: fine
    std::string hint;
};

[[nodiscard]] TextVerdict judge_text(std::string_view text, TextRule rule);

// Of a file; empty is fine. Whether it is there is not looked at.
[[nodiscard]] TextVerdict judge_path(std::string_view text);

// SCHEMA.TABLE; on success the two parts are set.
[[nodiscard]] TextVerdict split_table_name(
    std::string_view text, std::string& schema, std::string& name
);

// Decimal digits with at most a minus sign in front.
[[nodiscard]] bool is_whole_number(std::string_view text);

}  // namespace config
