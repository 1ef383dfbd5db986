#pragma once
// `stockgate check`: everything that could go wrong before traffic is moved: rights, versions,
// hazards of the schema, Redis. Changes nothing. Prints lines with a hint each, then a verdict.

#include "config/config.hpp"
#include "proxy/cli/database.hpp"

#include <iostream>
#include <optional>
#include <string>

namespace proxy {

struct CheckOptions {
    std::string json_file;  // empty: none
    // To look at the schema with; rights are always those of the ledger account.
    std::optional<Login> account;
};

int run_check(
    const config::Config& config, const CheckOptions& options, std::ostream& out = std::cout
);

}  // namespace proxy
