#pragma once
// What a server says about one table that is to be managed. Plain data and the queries that fill
// it; what follows from it is judged in table_hazards. One thread, failures are values.

#include "config/config.hpp"
#include "proxy/cli/database.hpp"

#include <string>
#include <vector>

namespace proxy {

struct ColumnFacts {
    std::string name;
    std::string data_type;      // "int", "varchar"
    std::string column_type;    // "int(10) unsigned"
    std::string character_set;  // empty: not a text
    std::string collation;      // empty: not a text
    std::string generated;      // expression; empty: an ordinary column
};

struct TriggerFacts {
    std::string name;
    std::string event;  // "UPDATE"
};

struct ForeignKeyFacts {
    std::string name;
    std::string column;  // of our table
    std::string other;   // "schema.table" at the other end
    std::string on_update;
    std::string on_delete;
    bool from_us = false;  // our column references another table, not the reverse
};

struct UniqueIndex {
    std::string name;
    std::vector<std::string> columns;
    bool is_partial = false;  // covers only the beginning of a column, or an expression
};

struct TableFacts {
    bool exists = false;
    std::string name;  // as the server spells it
    std::string type;  // "BASE TABLE", "VIEW"
    std::string engine;
    std::vector<ColumnFacts> columns;
    std::vector<UniqueIndex> unique_indexes;
    std::vector<TriggerFacts> triggers;
    bool triggers_visible = false;  // without the TRIGGER privilege the server shows none
    std::vector<ForeignKeyFacts> foreign_keys;
    // Key columns whose collation holds two printable ASCII characters equal that are not the same
    // letter in two cases, as "<column>: '<a>' = '<b>'".
    std::vector<std::string> odd_collations;

    [[nodiscard]] const ColumnFacts* column(const std::string& wanted) const;
};

[[nodiscard]] SqlError read_table_facts(
    Database& database, const config::Table& table, TableFacts& facts
);

// Names of views, routines and events of the schema whose text mentions the table, as "view v_x".
// They write or read the base row without passing a proxy.
[[nodiscard]] SqlError read_mentions(
    Database& database, const config::Table& table, std::vector<std::string>& mentions
);

}  // namespace proxy
