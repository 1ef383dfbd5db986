#pragma once

// A YAML document as a plain tree that keeps what validation needs and yaml-cpp forgets: the line
// of every key, whether a scalar was quoted, the scalar's own text and duplicate keys. Reading it
// is bounded: one document, limited nesting, no anchors, aliases or tags. Pure, any thread; what is
// wrong comes back as problems, never as an exception.

#include "config/problem.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace config {

constexpr int nesting_max = 12;

struct YamlNode {
    enum class Kind { null, scalar, sequence, map };
    Kind kind = Kind::null;
    bool quoted = false;  // scalar: in quotes or a block, so it is text whatever it looks like
    int line = 0;         // from 1; of the key for a map's children
    std::string key;      // for a map's children
    std::string text;     // scalar, as written and before any conversion
    std::vector<YamlNode> children;  // of a sequence or map, in order, duplicates included
};

struct Document {
    YamlNode root;
    bool empty = false;             // nothing but blanks and comments
    bool complete = false;          // false: the text could not be read to its end
    std::vector<Problem> problems;  // syntax and forbidden features
};

// `name` stands for the file in the problems.
[[nodiscard]] Document parse_yaml(std::string_view text, const std::string& name);

}  // namespace config
