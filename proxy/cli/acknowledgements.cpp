#include "proxy/cli/acknowledgements.hpp"

#include "proxy/cli/base_row.hpp"

#include <fstream>
#include <sstream>

namespace proxy {

Acknowledgements parse_acknowledgements(const std::string& text) {
    Acknowledgements result;
    std::istringstream lines(text);
    std::string line;
    for (int number = 1; std::getline(lines, line); ++number) {
        std::istringstream words(line);
        std::string verb;
        if (!(words >> verb) || verb.front() == '#') continue;
        std::string sku;
        std::string units;
        std::string count;
        std::string more;
        words >> sku >> units >> count;
        const auto units_value = to_units(units);
        const auto count_value = to_units(count);
        if (verb != "sold" || !units_value || !count_value || *units_value < 0 ||
            *count_value < 0 || words >> more) {
            result.wrong = "line " + std::to_string(number) + ": expected `sold SKU UNITS COUNT`";
            return result;
        }
        auto& sums = result.by_sku[sku];
        sums.units += *units_value;
        sums.count += *count_value;
    }
    return result;
}

Acknowledgements read_acknowledgements(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    if (!file) {
        Acknowledgements result;
        result.wrong = "cannot be read";
        return result;
    }
    return parse_acknowledgements(text.str());
}

std::vector<AcknowledgedSku> compare_acknowledged(
    const Acknowledgements& acknowledgements, const std::vector<const AuditedSku*>& skus
) {
    std::vector<AcknowledgedSku> compared;
    for (const auto& [name, sums] : acknowledgements.by_sku) {
        AcknowledgedSku each;
        each.sku = name;
        each.acknowledged = sums;
        int matches = 0;
        for (const auto* sku : skus) {
            if (name != sku->sku_id && name != sku->schema + '.' + sku->sku_id) continue;
            ++matches;
            each.booked_units = sku->confirmed();
            each.booked_count = sku->details;
        }
        if (matches == 0) each.finding = "acknowledged by clients, but not in the registry";
        if (matches > 1) each.finding = "is in several schemas; write SCHEMA." + name;
        if (matches == 1 && (each.booked_units < sums.units || each.booked_count < sums.count)) {
            each.finding = "clients were told of " + std::to_string(sums.units) + " units in " +
                           std::to_string(sums.count) + " deductions, booked are " +
                           std::to_string(each.booked_units) + " in " +
                           std::to_string(each.booked_count);
        }
        compared.push_back(std::move(each));
    }
    return compared;
}

}  // namespace proxy
