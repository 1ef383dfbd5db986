#pragma once

// Collects what is wrong while one configuration is read, and remembers where each key stands so
// that checks across keys can name a line. Owned by one load call on one thread. Bounded: a file
// full of mistakes gives the first problems_max of them and a count.

#include "config/problem.hpp"

#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace config {

constexpr std::size_t problems_max = 100;  // shown

class Report {
public:
    explicit Report(std::string file) : file_(std::move(file)) {}

    void add(Problem problem);  // one that already knows its file
    void problem(int line, std::string path, std::string text, std::string hint = {});
    // At the line of the key itself.
    void problem_at(const std::string& path, std::string text, std::string hint = {});
    void warning_at(const std::string& path, std::string text, std::string hint = {});

    void place(const std::string& path, int line) { lines_.insert_or_assign(path, line); }
    [[nodiscard]] bool has(const std::string& path) const { return lines_.contains(path); }
    // Line of the key, or of the nearest enclosing key that is in the file.
    [[nodiscard]] int line(std::string_view path) const;
    // True when the key already has a problem: its value is a default, so do not judge it again.
    [[nodiscard]] bool is_bad(const std::string& path) const { return bad_.contains(path); }

    [[nodiscard]] bool clean() const { return problems_.empty(); }
    [[nodiscard]] std::vector<Problem> take_problems();  // in the order of the file
    [[nodiscard]] std::vector<Problem> take_warnings();

private:
    [[nodiscard]] std::vector<Problem> in_order(std::vector<Problem> found) const;

    static constexpr std::size_t stored_max = 5000;  // later ones are only counted

    std::string file_;
    std::vector<Problem> problems_;
    std::vector<Problem> warnings_;
    std::unordered_map<std::string, int> lines_;
    std::unordered_set<std::string> bad_;
    std::size_t dropped_ = 0;
};

}  // namespace config
