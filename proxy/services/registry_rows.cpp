#include "proxy/services/registry_rows.hpp"

#include "proxy/ledger/ledger_sql.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <tuple>

namespace proxy {
namespace {

// In the order of `registry_query`.
enum Column : std::size_t {
    column_sku_id,
    column_table,
    column_key_columns,
    column_key_types,
    column_stock,
    column_stock_max,
    column_unsigned,
    column_version,
    column_time,
    column_unguarded,
    column_buckets,
    column_epoch,
    column_state,
    column_count
};

// What must be equal in all rows of one table.
struct Definition {
    std::vector<std::string> key_columns;
    std::string key_types;
    std::string stock_column;
    std::string stock_max;
    bool stock_unsigned = false;
    std::optional<std::string> version_column;
    std::vector<std::string> time_columns;
    Unguarded unguarded = Unguarded::error;
    auto operator<=>(const Definition&) const = default;
};

struct ReadRow {
    Sku sku;
    Definition definition;
    std::string wrong;             // with the SKU itself; empty: nothing
    std::string wrong_definition;  // with the table's part of the row
};

std::string text_of(const SqlRow& row, std::size_t column) {
    return column < row.size() ? row[column].value_or("") : std::string{};
}

std::vector<std::string> split(const std::string& list) {
    std::vector<std::string> parts;
    if (list.empty()) return parts;
    std::size_t from = 0;
    for (;;) {
        const auto comma = list.find(',', from);
        parts.push_back(list.substr(from, comma - from));
        if (comma == std::string::npos) return parts;
        from = comma + 1;
    }
}

template <class Number>
std::optional<Number> number_of(const std::string& text) {
    Number value{};
    const char* end = text.data() + text.size();
    const auto [stopped, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc{} || stopped != end) return std::nullopt;
    return value;
}

bool is_empty(const std::string& text) {
    return text.empty();
}

bool is_key_type(char c) {
    return c == 'i' || c == 'b' || c == 'f';
}

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

std::string what_is_wrong(const Definition& definition, const std::string& unguarded) {
    const auto& keys = definition.key_columns;
    const auto& types = definition.key_types;
    const auto& limit = definition.stock_max;
    if (keys.empty() || std::any_of(keys.begin(), keys.end(), is_empty)) return "key_columns";
    if (types.size() != keys.size() || !std::all_of(types.begin(), types.end(), is_key_type)) {
        return "key_types";
    }
    if (definition.stock_column.empty()) return "stock_column";
    if (limit.empty() || !std::all_of(limit.begin(), limit.end(), is_digit)) return "stock_max";
    if (unguarded != "error" && unguarded != "zero_rows") return "unguarded";
    return {};
}

void read_definition(const SqlRow& row, ReadRow& read) {
    auto& definition = read.definition;
    definition.key_columns = split(text_of(row, column_key_columns));
    definition.key_types = text_of(row, column_key_types);
    definition.stock_column = text_of(row, column_stock);
    definition.stock_max = text_of(row, column_stock_max);
    definition.stock_unsigned = text_of(row, column_unsigned) == "1";
    if (auto version = text_of(row, column_version); !version.empty()) {
        definition.version_column = std::move(version);
    }
    definition.time_columns = split(text_of(row, column_time));
    const auto unguarded = text_of(row, column_unguarded);
    definition.unguarded = unguarded == "zero_rows" ? Unguarded::zero_rows : Unguarded::error;
    read.wrong_definition = what_is_wrong(definition, unguarded);
}

ReadRow read_row(const SqlRow& row) {
    ReadRow read;
    read_definition(row, read);
    read.sku.sku_id = text_of(row, column_sku_id);
    const auto buckets = number_of<std::uint16_t>(text_of(row, column_buckets));
    const auto epoch = number_of<std::uint64_t>(text_of(row, column_epoch));
    const auto state = text_of(row, column_state);
    read.sku.buckets = buckets.value_or(0) == 0 ? std::uint16_t{1} : *buckets;
    read.sku.epoch = epoch.value_or(0);
    read.sku.state = state == "active"     ? SkuState::active
                     : state == "draining" ? SkuState::draining
                                           : SkuState::paused;
    if (buckets.value_or(0) == 0) read.wrong = "buckets is no number from 1 to 65535";
    if (!epoch) read.wrong = "epoch is no number";
    if (state != "active" && state != "paused" && state != "draining") {
        read.wrong = "state '" + state + "' is unknown";
    }
    if (row.size() != column_count) read.wrong = "the row has another number of columns";
    return read;
}

std::vector<KeyType> key_types_of(const Definition& definition) {
    std::vector<KeyType> types;
    for (const char letter : definition.key_types) types.push_back(static_cast<KeyType>(letter));
    return types;
}

bool names_a_key(
    const std::string& sku_id, const std::string& table, const Definition& definition
) {
    const auto parts = key_parts_of(sku_id);
    return parts && make_sku_id(table, *parts, key_types_of(definition)) == sku_id;
}

// The definition that most rows agree on; of equals, the one seen first. None if no row has a
// usable one.
const Definition* agreed_definition(const std::vector<ReadRow>& rows) {
    std::map<Definition, std::size_t> votes;
    for (const auto& row : rows) {
        if (row.wrong_definition.empty()) ++votes[row.definition];
    }
    const Definition* best = nullptr;
    std::size_t most = 0;
    for (const auto& row : rows) {
        if (!row.wrong_definition.empty()) continue;
        if (const auto count = votes[row.definition]; count > most) {
            most = count;
            best = &row.definition;
        }
    }
    return best;
}

std::string problem_of(
    const ReadRow& row, const std::string& table, const Definition& agreed, bool usable
) {
    if (!row.wrong.empty()) return row.wrong;
    if (!row.wrong_definition.empty()) return row.wrong_definition + " cannot be understood";
    if (usable && row.definition != agreed)
        return "another definition of the table than its others";
    if (!names_a_key(row.sku.sku_id, table, agreed)) return "sku_id names no row of the table";
    return {};
}

class Builder {
public:
    void add_table(const std::string& schema, const std::string& table, std::vector<ReadRow> rows) {
        const auto* agreed = agreed_definition(rows);
        const bool usable = agreed && !table.empty();
        if (!usable) result_.complete = false;
        const Definition definition = agreed ? *agreed : rows.front().definition;
        const std::size_t index = tables_.size();
        add_definition(schema, table, definition);
        for (auto& row : rows) {
            row.sku.table = index;
            const auto what = problem_of(row, table, definition, usable);
            if (!what.empty()) {
                row.sku.state = SkuState::paused;
                RegistryProblem problem{schema, row.sku.sku_id, what};
                result_.problems.push_back(std::move(problem));
            }
            auto key = schema + '.' + row.sku.sku_id;
            result_.registry.skus.emplace(std::move(key), std::move(row.sku));
        }
    }

    ParsedRegistry finish() {
        result_.registry.rules = rewrite::Rules(std::move(tables_));
        return std::move(result_);
    }

private:
    void add_definition(
        const std::string& schema, const std::string& table, const Definition& definition
    ) {
        rewrite::ManagedTable managed;
        managed.schema = schema;
        managed.table = table;
        managed.key_columns = definition.key_columns;
        managed.stock_column = definition.stock_column;
        managed.version_column = definition.version_column;
        managed.time_columns = definition.time_columns;
        // No identifier equals it, so no statement can name a key of a table that is not
        // understood.
        if (managed.key_columns.empty()) managed.key_columns.emplace_back();
        TableInfo info;
        info.schema = schema;
        info.table = table;
        info.key_types = key_types_of(definition);
        info.key_types.resize(managed.key_columns.size(), KeyType::binary_string);
        info.stock_type_max = definition.stock_max;
        info.stock_unsigned = definition.stock_unsigned;
        info.unguarded = definition.unguarded;
        tables_.push_back(std::move(managed));
        result_.registry.tables.push_back(std::move(info));
    }

    ParsedRegistry result_;
    std::vector<rewrite::ManagedTable> tables_;
};

}  // namespace

std::string registry_query(const std::string& schema) {
    return "SELECT sku_id,table_name,key_columns,key_types,stock_column,stock_max,stock_unsigned,"
           "version_column,time_columns,unguarded,buckets,epoch,state FROM " +
           ledger_sql::quote_name(schema) +
           ".inventory_sku WHERE NOT (state<=>'drained') ORDER BY sku_id";
}

ParsedRegistry parse_registry(const std::vector<SchemaRows>& schemas) {
    // Sorted, so that equal rows give equal table indexes.
    std::map<std::pair<std::string, std::string>, std::vector<ReadRow>> groups;
    for (const auto& schema : schemas) {
        for (const auto& row : schema.rows) {
            auto key = std::make_pair(schema.schema, text_of(row, column_table));
            groups[std::move(key)].push_back(read_row(row));
        }
    }
    Builder builder;
    for (auto& [key, rows] : groups) builder.add_table(key.first, key.second, std::move(rows));
    return builder.finish();
}

std::vector<std::string> moved_skus(const Registry& before, const Registry& now) {
    std::vector<std::string> moved;
    for (const auto& [key, sku] : now.skus) {
        const auto old = before.skus.find(key);
        const bool same = old != before.skus.end() && old->second.epoch == sku.epoch &&
                          old->second.buckets == sku.buckets;
        if (!same) moved.push_back(key);
    }
    std::sort(moved.begin(), moved.end());
    return moved;
}

}  // namespace proxy
