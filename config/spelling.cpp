#include "config/spelling.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <vector>

namespace config {
namespace {

constexpr std::size_t word_bytes_max = 64;  // longer words are not worth the quadratic work
constexpr std::size_t prefix_bytes_min = 4;

// Edits that turn one word into the other: insert, remove, replace one byte.
std::size_t edits(std::string_view from, std::string_view to) {
    std::vector<std::size_t> row(to.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t line = 1; line <= from.size(); ++line) {
        std::size_t diagonal = row[0];
        row[0] = line;
        for (std::size_t column = 1; column <= to.size(); ++column) {
            const std::size_t replaced = diagonal + (from[line - 1] == to[column - 1] ? 0 : 1);
            diagonal = row[column];
            row[column] = std::min({row[column] + 1, row[column - 1] + 1, replaced});
        }
    }
    return row[to.size()];
}

}  // namespace

std::optional<std::string_view> nearest(
    std::string_view word, std::span<const std::string_view> candidates
) {
    if (word.empty() || word.size() > word_bytes_max) return std::nullopt;
    for (const std::string_view candidate : candidates) {
        // A forgotten or needless ending, such as timeout for timeout_ms.
        const bool begins = candidate.starts_with(word) || word.starts_with(candidate);
        if (begins && word.size() >= prefix_bytes_min) return candidate;
    }
    std::optional<std::string_view> best;
    std::size_t fewest = std::max<std::size_t>(2, word.size() / 3) + 1;
    for (const std::string_view candidate : candidates) {
        const std::size_t count = edits(word, candidate);
        if (count < fewest && count < std::min(word.size(), candidate.size())) {
            fewest = count;
            best = candidate;
        }
    }
    return best;
}

std::string suggestion(std::string_view word, std::span<const std::string_view> candidates) {
    if (const auto guess = nearest(word, candidates)) {
        return "Did you mean '" + std::string(*guess) + "'?";
    }
    std::string all = "Use one of ";
    for (const std::string_view candidate : candidates) {
        if (candidate.data() != candidates.front().data()) all += ", ";
        all += candidate;
    }
    return all;
}

}  // namespace config
