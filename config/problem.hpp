#pragma once

// One thing that is wrong (or doubtful) in a configuration file, with its place. Problems never
// contain the value of a secret. Plain values, any thread.

#include <string>

namespace config {

struct Problem {
    std::string file;  // as the caller named it
    int line = 0;      // from 1; 0: the file as a whole
    std::string path;  // "gate.redis.timeout_ms", "tables[0].skus[2].key"; empty: no single key
    std::string text;  // what is wrong, without full stop
    std::string hint;  // what to do about it, without full stop; may be empty
    bool operator==(const Problem&) const = default;
};

// "file:line: key.path: what is wrong. hint."
[[nodiscard]] std::string to_string(const Problem& problem);

}  // namespace config
