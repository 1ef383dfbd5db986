#include "proxy/cli/base_row.hpp"

#include "proxy/ledger/ledger_sql.hpp"

#include <charconv>

namespace proxy {
namespace {

using ledger_sql::quote_name;

std::string literal(const Database& database, const BaseRowPlace& place, std::size_t column) {
    const auto& text = place.key[column];
    return place.key_types[column] == KeyType::integer ? text : database.quote(text);
}

}  // namespace

std::string table_name(const BaseRowPlace& place) {
    return quote_name(place.schema) + '.' + quote_name(place.table);
}

std::string key_condition(const Database& database, const BaseRowPlace& place) {
    std::string condition;
    for (std::size_t i = 0; i < place.key_columns.size(); ++i) {
        if (i > 0) condition += " AND ";
        condition += quote_name(place.key_columns[i]) + '=' + literal(database, place, i);
    }
    return condition;
}

SqlError read_base_rows(
    Database& database, const BaseRowPlace& place, bool locked, std::vector<BaseRow>& rows
) {
    std::string sql = "SELECT " + quote_name(place.stock_column) + ',' +
                      (place.version_column.empty() ? "NULL" : quote_name(place.version_column));
    for (const auto& column : place.key_columns) sql += ',' + quote_name(column);
    sql += " FROM " + table_name(place) + " WHERE " + key_condition(database, place);
    if (locked) sql += " FOR UPDATE";
    auto reply = database.query(sql);
    for (auto& columns : reply.rows) {
        BaseRow row;
        row.stock = columns[0];
        row.version = columns[1];
        for (std::size_t i = 2; i < columns.size(); ++i) row.key.push_back(columns[i].value_or(""));
        rows.push_back(std::move(row));
    }
    return reply.error;
}

SqlError count_lookalikes(Database& database, const BaseRowPlace& place, std::string& count) {
    std::string sql = "SELECT COUNT(*) FROM " + table_name(place) + " WHERE ";
    for (std::size_t i = 0; i < place.key_columns.size(); ++i) {
        const auto column = quote_name(place.key_columns[i]);
        const auto value = literal(database, place, i);
        if (i > 0) sql += " AND ";
        if (place.key_types[i] == KeyType::integer) {
            sql += column + '=' + value;
            continue;
        }
        // '!' is the next character after the blank: the range keeps the index useful.
        sql += column + ">=" + value + " AND " + column + "<CONCAT(" + value + ",'!') AND RTRIM(" +
               column + ")=" + value;
    }
    SqlError error;
    count = database.value(sql, error);
    return error;
}

std::optional<std::int64_t> to_units(const std::string& text) {
    std::int64_t value = 0;
    const auto* end = text.data() + text.size();
    const auto [stopped, wrong] = std::from_chars(text.data(), end, value);
    if (wrong != std::errc{} || stopped != end || text.empty()) return std::nullopt;
    return value;
}

}  // namespace proxy
