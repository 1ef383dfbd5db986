#include "config/problem.hpp"

namespace config {
namespace {

std::string sentence(const std::string& text) {
    const bool ended = text.ends_with('.') || text.ends_with('?');
    return ended ? text : text + ".";
}

}  // namespace

std::string to_string(const Problem& problem) {
    std::string result = problem.file;
    if (problem.line > 0) result += ":" + std::to_string(problem.line);
    result += ": ";
    if (!problem.path.empty()) result += problem.path + ": ";
    result += sentence(problem.text);
    if (!problem.hint.empty()) result += " " + sentence(problem.hint);
    return result;
}

}  // namespace config
