#pragma once
// `stockgate grants`: the GRANT statements that the proxy's account and the applications' accounts
// need, as text to review and run. Connects to nothing.

#include "config/config.hpp"

#include <iostream>
#include <string>
#include <vector>

namespace proxy {

struct GrantsOptions {
    std::vector<std::string> applications;  // accounts as 'app'@'%'; empty: a placeholder
};

int run_grants(
    const config::Config& config, const GrantsOptions& options, std::ostream& out = std::cout
);

// The schemas of the managed tables, each once, with their tables.
struct ManagedSchema {
    std::string schema;
    std::vector<std::string> tables;
};
[[nodiscard]] std::vector<ManagedSchema> managed_schemas(const config::Config& config);

}  // namespace proxy
