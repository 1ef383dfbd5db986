#include "proxy/cli/table_definition.hpp"

namespace proxy {
namespace {

std::string key_letters(const TableShape& shape) {
    std::string letters;
    for (const auto type : shape.key_types) letters += static_cast<char>(type);
    return letters;
}

}  // namespace

TableDefinition define_table(
    const config::Table& table, const TableFacts& facts, const TableShape& shape
) {
    const auto spelled = [&facts](const std::string& name) {
        const auto* column = facts.column(name);
        return column ? column->name : name;
    };
    TableDefinition definition;
    definition.schema = table.schema;
    definition.table = facts.name;
    for (const auto& key : table.key) definition.key_columns.push_back(spelled(key));
    definition.shape = shape;
    definition.stock_column = spelled(table.stock);
    if (!table.version.empty()) definition.version_column = spelled(table.version);
    for (const auto& time : table.time) definition.time_columns.push_back(spelled(time));
    definition.unguarded = table.unguarded == config::Unguarded::error ? "error" : "zero_rows";
    return definition;
}

DefinitionFields definition_fields(const Database& database, const TableDefinition& definition) {
    const auto& version = definition.version_column;
    return {
        {"table_name", database.quote(definition.table)},
        {"key_columns", database.quote(comma_list(definition.key_columns))},
        {"key_types", database.quote(key_letters(definition.shape))},
        {"stock_column", database.quote(definition.stock_column)},
        {"stock_max", database.quote(definition.shape.stock_max)},
        {"stock_unsigned", definition.shape.stock_unsigned ? "1" : "0"},
        {"version_column", version.empty() ? "NULL" : database.quote(version)},
        {"time_columns", database.quote(comma_list(definition.time_columns))},
        {"unguarded", database.quote(definition.unguarded)},
    };
}

std::string same_definition(const Database& database, const TableDefinition& definition) {
    std::string condition;
    for (const auto& [name, value] : definition_fields(database, definition)) {
        if (name == "unguarded") continue;
        if (!condition.empty()) condition += " AND ";
        condition += name + "<=>" + value;
    }
    return condition;
}

std::string comma_list(const std::vector<std::string>& names) {
    std::string list;
    for (const auto& name : names) {
        if (!list.empty()) list += ',';
        list += name;
    }
    return list;
}

}  // namespace proxy
