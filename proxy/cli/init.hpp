#pragma once
// `stockgate init`: creates the ledger tables, runs or prints grants, and adopts the SKUs that the
// configuration names. Each SKU is one transaction; a refused one leaves the others untouched.

#include "config/config.hpp"
#include "proxy/cli/database.hpp"

#include <iostream>
#include <optional>
#include <string>
#include <vector>

namespace proxy {

struct InitOptions {
    std::string table;                  // "shop.t_stock"; empty: every table of the configuration
    std::vector<std::string> skus;      // keys, parts separated by commas; empty: all
    std::optional<Login> account;       // to connect with; none: the ledger's account
    std::vector<std::string> grant_to;  // application accounts whose grants are run
    bool print_grants = false;          // print all grants and stop
    bool dry_run = false;               // everything but changes
};

int run_init(
    const config::Config& config, const InitOptions& options, std::ostream& out = std::cout
);

}  // namespace proxy
