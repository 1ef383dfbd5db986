#include "config/report.hpp"

#include <algorithm>
#include <utility>

namespace config {

void Report::add(Problem problem) {
    if (problems_.size() >= stored_max) {
        ++dropped_;
        return;
    }
    bad_.insert(problem.path);
    problems_.push_back(std::move(problem));
}

void Report::problem(int line, std::string path, std::string text, std::string hint) {
    add({file_, line, std::move(path), std::move(text), std::move(hint)});
}

void Report::problem_at(const std::string& path, std::string text, std::string hint) {
    problem(line(path), path, std::move(text), std::move(hint));
}

void Report::warning_at(const std::string& path, std::string text, std::string hint) {
    if (warnings_.size() >= stored_max) return;
    warnings_.push_back({file_, line(path), path, std::move(text), std::move(hint)});
}

int Report::line(std::string_view path) const {
    while (!path.empty()) {
        const auto found = lines_.find(std::string(path));
        if (found != lines_.end()) return found->second;
        const std::size_t cut = path.find_last_of(".[");
        path = path.substr(0, cut == std::string_view::npos ? 0 : cut);
    }
    return 1;
}

std::vector<Problem> Report::take_problems() {
    return in_order(std::exchange(problems_, {}));
}

std::vector<Problem> Report::take_warnings() {
    return in_order(std::exchange(warnings_, {}));
}

std::vector<Problem> Report::in_order(std::vector<Problem> found) const {
    std::ranges::stable_sort(found, {}, &Problem::line);
    if (found.size() <= problems_max) return found;
    const std::size_t rest = found.size() - problems_max + dropped_;
    found.resize(problems_max);
    found.push_back({file_, 0, {}, "and " + std::to_string(rest) + " more like these", {}});
    return found;
}

}  // namespace config
