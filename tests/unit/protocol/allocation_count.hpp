#pragma once
// Counts the calls of operator new in the whole test program, for tests that promise there are
// none.

#include <cstddef>

namespace protocol {

[[nodiscard]] std::size_t allocation_count() noexcept;

}  // namespace protocol
