#pragma once
// `stockgate verify`: the offline auditor. Checks promises 1, 2 and 6 on the database and Redis and
// changes nothing. The database is read in one consistent snapshot per schema.

#include "config/config.hpp"
#include "proxy/cli/database.hpp"

#include <iostream>
#include <optional>
#include <string>

namespace proxy {

struct VerifyOptions {
    std::string json_file;  // empty: none
    std::string acks_file;  // empty: none
    bool no_gate = false;   // leave Redis out
    std::optional<Login> account;
};

int run_verify(
    const config::Config& config, const VerifyOptions& options, std::ostream& out = std::cout
);

}  // namespace proxy
