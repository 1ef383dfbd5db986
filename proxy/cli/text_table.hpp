#pragma once
// A table for a terminal: columns as wide as their widest cell, the first left-aligned, the others
// right-aligned. Pure.

#include <ostream>
#include <string>
#include <vector>

namespace proxy {

class TextTable {
public:
    explicit TextTable(std::vector<std::string> heads);
    // As many cells as heads.
    void add(std::vector<std::string> cells);
    void print(std::ostream& out) const;

private:
    std::vector<std::vector<std::string>> rows_;
};

}  // namespace proxy
