#pragma once

// Reads a small regular file whole. Never blocks on a pipe or device, never reads more than asked.
// Control plane only: at start-up and reload. Failures come back as a message.

#include <cstddef>
#include <string>

namespace config {

struct FileContent {
    std::string bytes;
    std::string wrong;            // empty: it was read; otherwise without full stop
    bool world_readable = false;  // any user of the machine may read it
};

[[nodiscard]] FileContent read_regular_file(const std::string& path, std::size_t bytes_max);

}  // namespace config
