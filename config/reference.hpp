#pragma once

// The reference of all configuration keys, derived from the schema: what docs/configuration.md
// contains as a table and what a help command can print. Pure, any thread.

#include <string>
#include <vector>

namespace config {

struct ReferenceRow {
    std::string path;           // "gate.redis.timeout_ms", "tables[].skus[].key"
    std::string default_value;  // YAML text, "required" or empty for none
    std::string unit;
    std::string allowed;
    std::string meaning;
    bool operator==(const ReferenceRow&) const = default;
};

[[nodiscard]] std::vector<ReferenceRow> reference();

// The same as a Markdown table, one line per key.
[[nodiscard]] std::string reference_markdown();

}  // namespace config
