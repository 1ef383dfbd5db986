#pragma once
// What clients say they sold, as sums per SKU: lines `sold SKU UNITS COUNT`, blank lines and lines
// that begin with '#' are skipped. Pure apart from reading the file. Every acknowledged unit must
// be booked; what is booked beyond that are answers that clients never got.

#include "proxy/cli/audit.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace proxy {

struct Acknowledged {
    std::int64_t units = 0;
    std::int64_t count = 0;
};

struct Acknowledgements {
    std::map<std::string, Acknowledged> by_sku;  // SKU as the file names it; repeated lines add up
    std::string wrong;                           // empty: the text was understood
};

[[nodiscard]] Acknowledgements parse_acknowledgements(const std::string& text);
[[nodiscard]] Acknowledgements read_acknowledgements(const std::string& path);

struct AcknowledgedSku {
    std::string sku;
    Acknowledged acknowledged;
    std::int64_t booked_units = 0;
    std::int64_t booked_count = 0;
    std::string finding;  // empty: all that was acknowledged is booked
};

// A SKU is named by its id (t_stock:1001) or with its schema (shop.t_stock:1001).
[[nodiscard]] std::vector<AcknowledgedSku> compare_acknowledged(
    const Acknowledgements& acknowledgements, const std::vector<const AuditedSku*>& skus
);

}  // namespace proxy
