#pragma once

// Guesses what a misspelt word was meant to be. Pure, any thread.

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace config {

// The candidate with the fewest edits, when those are few enough for a typing mistake.
[[nodiscard]] std::optional<std::string_view> nearest(
    std::string_view word, std::span<const std::string_view> candidates
);

// "Did you mean 'X'?", or all candidates when none is near.
[[nodiscard]] std::string suggestion(
    std::string_view word, std::span<const std::string_view> candidates
);

}  // namespace config
