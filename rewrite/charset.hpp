#pragma once
// How many bytes a character has, for the character sets that the tokenizer must know. Pure.

#include "rewrite/dialect.hpp"

#include <cstddef>
#include <string_view>

namespace rewrite {

// Length of the character at the start of `rest` (not empty): 1 for ASCII, 0 if the bytes are
// not well formed. `ascii_safe` reads as UTF-8: other such character sets have no ASCII bytes
// inside a character, and the tokenizer treats their letters as `unknown` outside of quotes.
[[nodiscard]] std::size_t character_length(std::string_view rest, Charset charset) noexcept;

// How many bytes a lead byte claims, whatever follows.
[[nodiscard]] std::size_t claimed_length(unsigned char lead, Charset charset) noexcept;

}  // namespace rewrite
