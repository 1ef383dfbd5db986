#pragma once

// Reads a YAML configuration. Strict: unknown and duplicate keys, wrong types, values out of range
// and contradictions are all reported, every one of them in a single run. Called at start-up and on
// reload, by one thread; reads the file, and password files and environment variables it names.
// Throws nothing that is not std::bad_alloc.

#include "config/config.hpp"
#include "config/problem.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace config {

struct LoadResult {
    std::optional<Config> config;   // set when, and only when, there are no problems
    std::vector<Problem> problems;  // in the order of the file
    std::vector<Problem> warnings;  // doubtful, but usable

    [[nodiscard]] bool ok() const { return config.has_value(); }
};

// Where password_file and password_env are looked up. The tests bring their own.
class SecretSource {
public:
    struct File {
        std::string content;  // without one trailing newline
        std::string wrong;    // empty: it was read
        bool world_readable = false;
    };
    SecretSource() = default;
    SecretSource(const SecretSource&) = delete;
    SecretSource& operator=(const SecretSource&) = delete;
    virtual ~SecretSource() = default;
    [[nodiscard]] virtual std::optional<std::string> variable(const std::string& name) const = 0;
    [[nodiscard]] virtual File file(const std::string& path) const = 0;
};

// The process environment and the file system.
[[nodiscard]] const SecretSource& system_secrets();

[[nodiscard]] LoadResult load_file(const std::string& path);

// `name` stands for the file in messages; relative password files are looked up beside it.
[[nodiscard]] LoadResult load_text(
    std::string_view text, const std::string& name, const SecretSource& secrets = system_secrets()
);

// YAML with every effective value. A secret is printed as "***", or as the file or variable that it
// came from. Loading the text again gives the same Config, apart from such secrets.
[[nodiscard]] std::string print(const Config& config);

// The keys whose values differ, in the order of the schema; `tables` as a whole. A change of any of
// them takes effect after a restart only.
[[nodiscard]] std::vector<std::string> changed_keys(const Config& running, const Config& wanted);

}  // namespace config
