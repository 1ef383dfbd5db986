#pragma once
// Moves one SKU's remainder back into its base row, exactly, while traffic runs: one transaction
// with the registry row, all bucket rows and the base row locked. The epoch rises, so whatever a
// proxy still has under way books nothing and reads the registry again.

#include "proxy/cli/database.hpp"

#include <cstdint>
#include <string>

namespace proxy {

struct DrainPlan {
    std::string schema;
    std::string sku_id;
    // Somebody wrote the base row past the proxies: add what they changed instead of refusing.
    bool accept_base_difference = false;
};

enum class DrainEnd { drained, already, refused, failed };

struct DrainResult {
    DrainEnd end = DrainEnd::failed;
    std::string text;
    std::string hint;
    std::int64_t remainder = 0;
    unsigned buckets = 0;  // bucket rows, for the gate's keys
};

[[nodiscard]] DrainResult drain_sku(Database& database, const DrainPlan& plan);

}  // namespace proxy
