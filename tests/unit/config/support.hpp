#pragma once

// What the tests of config/ share: loading a text under a short name, and secrets that come from
// the test instead of the environment and the file system.

#include "config/loader.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace config::test {

class FakeSecrets : public SecretSource {
public:
    std::map<std::string, std::string> variables;
    std::map<std::string, File> files;

    [[nodiscard]] std::optional<std::string> variable(const std::string& name) const override {
        const auto found = variables.find(name);
        if (found == variables.end()) return std::nullopt;
        return found->second;
    }
    [[nodiscard]] File file(const std::string& path) const override {
        const auto found = files.find(path);
        if (found == files.end()) return {{}, "cannot be read: No such file or directory", false};
        return found->second;
    }
};

inline LoadResult load(std::string_view text) {
    const FakeSecrets secrets;
    return load_text(text, "f", secrets);
}

inline std::string lines(const std::vector<Problem>& problems) {
    std::string result;
    for (const Problem& problem : problems) result += to_string(problem) + "\n";
    return result;
}

inline std::string read_source_file(const std::string& path) {
    std::ifstream input(std::string(STOCKGATE_SOURCE) + "/" + path);
    EXPECT_TRUE(input.good()) << path;
    std::ostringstream content;
    content << input.rdbuf();
    return content.str();
}

// The smallest valid configuration; tests append to it.
inline const std::string minimal = "backend: { address: db:3306 }\n";

// With an account, so that tables may follow. Three lines.
inline const std::string with_ledger =
    "backend: { address: db:3306 }\n"
    "ledger: { user: gate }\n"
    "tables:\n";

}  // namespace config::test
