#pragma once

// Checks that need more than one key: addresses against each other, windows, accounts, roles of
// columns, duplicate tables and SKUs. Pure; runs after reading on the same thread. A key that
// already has a problem is not judged again.

#include "config/config.hpp"
#include "config/report.hpp"

namespace config {

void validate(const Config& config, Report& report);

// The part of it that is about where clients come from and where the backend is.
void validate_links(const Config& config, Report& report);

// The part of it that is about `tables`.
void validate_tables(const Config& config, Report& report);

}  // namespace config
