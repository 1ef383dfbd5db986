#pragma once
// `stockgate drain`: leaving is as easy as joining. Moves the remainder of one SKU, or of all SKUs
// of a table, back into the base row while traffic runs, and forgets the gate's keys.

#include "config/config.hpp"
#include "proxy/cli/database.hpp"

#include <iostream>
#include <optional>
#include <string>
#include <vector>

namespace proxy {

struct DrainOptions {
    std::string table;              // "shop.t_stock"; may be empty if only one is configured
    std::vector<std::string> skus;  // keys, or canonical ids such as t_stock:1001
    bool all = false;               // every SKU of the table that is not drained
    bool accept_base_difference = false;
    std::optional<Login> account;
};

int run_drain(
    const config::Config& config, const DrainOptions& options, std::ostream& out = std::cout
);

}  // namespace proxy
