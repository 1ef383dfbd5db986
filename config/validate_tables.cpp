#include "config/text_rule.hpp"
#include "config/validate.hpp"
#include "config/yaml_text.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace config {
namespace {

struct Column {
    std::string path;
    std::string_view role;
    std::string_view name;
};

std::string folded(std::string_view name) {
    std::string result(name);
    std::transform(result.begin(), result.end(), result.begin(), [](char letter) {
        return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
    });
    return result;
}

std::string element_path(const std::string& path, std::size_t index, const Report& report) {
    std::string element = path + "[" + std::to_string(index) + "]";
    return report.has(element) ? element : path;
}

std::vector<Column> columns_of(const Table& table, const std::string& path, const Report& report) {
    std::vector<Column> columns;
    for (std::size_t index = 0; index < table.key.size(); ++index) {
        columns.push_back({element_path(path + ".key", index, report), "key", table.key[index]});
    }
    columns.push_back({path + ".stock", "stock", table.stock});
    columns.push_back({path + ".version", "version", table.version});
    for (std::size_t index = 0; index < table.time.size(); ++index) {
        columns.push_back({element_path(path + ".time", index, report), "time", table.time[index]});
    }
    return columns;
}

// Column names are compared without case, as the server does.
void check_columns(const Table& table, const std::string& path, Report& report) {
    std::map<std::string, std::string_view> roles;
    for (const Column& column : columns_of(table, path, report)) {
        if (column.name.empty()) continue;
        const auto [first, is_new] = roles.emplace(folded(column.name), column.role);
        if (is_new) continue;
        const std::string text = " is the " + std::string(first->second) + " column already";
        report.problem_at(column.path, shown(column.name) + text, "One column has one role");
    }
}

// Whether the values of one key column are numbers: then 7 and "7" are the same, and so is 007.
// A quoted value with leading zeros shows that the column holds text.
bool holds_numbers(const Table& table, std::size_t column) {
    return std::ranges::all_of(table.skus, [column](const Sku& sku) {
        if (column >= sku.key.size()) return true;
        const KeyPart& part = sku.key[column];
        const std::string_view digits =
            std::string_view(part.text).substr(part.text.starts_with('-'));
        const bool zeros = digits.size() > 1 && digits.front() == '0';
        return is_whole_number(part.text) && !(part.quoted && zeros);
    });
}

std::string canonical_number(std::string_view text) {
    const bool negative = text.starts_with('-');
    if (negative) text.remove_prefix(1);
    text.remove_prefix(std::min(text.find_first_not_of('0'), text.size() - 1));
    return (negative && text != "0" ? "-" : "") + std::string(text);
}

std::string written(const Sku& sku) {
    std::string result;
    for (const KeyPart& part : sku.key) {
        if (!result.empty()) result += ", ";
        result += printable(part.text);
    }
    return sku.key.size() == 1 ? result : "[" + result + "]";
}

std::string sku_key_path(const std::string& path, const Report& report) {
    return report.has(path + ".key") ? path + ".key" : path;
}

void check_duplicate_skus(const Table& table, const std::string& path, Report& report) {
    std::vector<bool> numbers;
    for (std::size_t column = 0; column < table.key.size(); ++column) {
        numbers.push_back(holds_numbers(table, column));
    }
    std::unordered_map<std::string, int> seen;
    for (std::size_t index = 0; index < table.skus.size(); ++index) {
        const Sku& sku = table.skus[index];
        if (sku.key.size() != table.key.size()) continue;
        std::string canonical;
        for (std::size_t column = 0; column < sku.key.size(); ++column) {
            const std::string& text = sku.key[column].text;
            const std::string part = numbers[column] ? canonical_number(text) : text;
            canonical += std::to_string(part.size()) + ":" + part;
        }
        const std::string sku_path = path + ".skus[" + std::to_string(index) + "]";
        const auto [first, is_new] = seen.emplace(std::move(canonical), report.line(sku_path));
        if (is_new) continue;
        const std::string line = std::to_string(first->second);
        report.problem_at(
            sku_key_path(sku_path, report),
            "SKU " + written(sku) + " is listed already, at line " + line,
            "Keep one of them"
        );
    }
}

void check_key_counts(const Table& table, const std::string& path, Report& report) {
    for (std::size_t index = 0; index < table.skus.size(); ++index) {
        const Sku& sku = table.skus[index];
        // An empty key has its problem already.
        if (sku.key.empty() || sku.key.size() == table.key.size()) continue;
        const std::string sku_path = path + ".skus[" + std::to_string(index) + "]";
        const std::string count = std::to_string(table.key.size());
        const std::string expected =
            "expected " + count + (table.key.size() == 1 ? " key value" : " key values") + ", got ";
        std::string names;
        for (const std::string& name : table.key) names += (names.empty() ? "" : ", ") + name;
        report.problem_at(
            sku_key_path(sku_path, report),
            expected + std::to_string(sku.key.size()),
            "Write one value for each of: " + names
        );
    }
}

void check_duplicate_tables(const Config& config, Report& report) {
    std::map<std::string, std::size_t> seen;
    for (std::size_t index = 0; index < config.tables.size(); ++index) {
        const Table& table = config.tables[index];
        if (table.name.empty()) continue;
        const std::string path = "tables[" + std::to_string(index) + "].table";
        const std::string full = table.schema + "." + table.name;
        const auto [first, is_new] = seen.emplace(folded(full), index);
        if (is_new) continue;
        const Table& other = config.tables[first->second];
        const int line = report.line("tables[" + std::to_string(first->second) + "].table");
        const std::string where = "at line " + std::to_string(line);
        if (other.schema == table.schema && other.name == table.name) {
            report.problem_at(
                path, shown(full) + " is listed already, " + where, "Merge the two entries"
            );
            continue;
        }
        report.warning_at(
            path,
            shown(full) + " differs only in case from the table " + where,
            "On many servers that is the same table"
        );
    }
}

}  // namespace

void validate_tables(const Config& config, Report& report) {
    check_duplicate_tables(config, report);
    for (std::size_t index = 0; index < config.tables.size(); ++index) {
        const Table& table = config.tables[index];
        const std::string path = "tables[" + std::to_string(index) + "]";
        check_columns(table, path, report);
        if (table.key.empty()) continue;  // missing or refused, and reported
        check_key_counts(table, path, report);
        check_duplicate_skus(table, path, report);
    }
}

}  // namespace config
