#include "proxy/cli/table_facts.hpp"

#include <cctype>

namespace proxy {
namespace {

constexpr char first_printable = '!';
constexpr char last_printable = '~';

std::string text_of(const SqlRow& row, std::size_t column) {
    return column < row.size() ? row[column].value_or("") : std::string{};
}

std::string lower(std::string text) {
    for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return text;
}

std::string same_text(Database& database, const char* column, const std::string& text) {
    return std::string{column} + '=' + database.quote(text);
}

std::string of_table(Database& database, const config::Table& table) {
    return same_text(database, "TABLE_SCHEMA", table.schema) + " AND " +
           same_text(database, "TABLE_NAME", table.name);
}

SqlError read_table(Database& database, const config::Table& table, TableFacts& facts) {
    const auto reply = database.query(
        "SELECT TABLE_NAME,TABLE_TYPE,ENGINE,@@lower_case_table_names FROM "
        "information_schema.TABLES WHERE " +
        of_table(database, table)
    );
    for (const auto& row : reply.rows) {
        // The catalogue may compare without case where the tables' names do not.
        const auto name = text_of(row, 0);
        if (name != table.name && text_of(row, 3) == "0") continue;
        facts.exists = true;
        facts.name = name;
        facts.type = text_of(row, 1);
        facts.engine = text_of(row, 2);
    }
    return reply.error;
}

SqlError read_columns(Database& database, const config::Table& table, TableFacts& facts) {
    const auto reply = database.query(
        "SELECT COLUMN_NAME,DATA_TYPE,COLUMN_TYPE,CHARACTER_SET_NAME,COLLATION_NAME,"
        "GENERATION_EXPRESSION FROM information_schema.COLUMNS WHERE " +
        of_table(database, table) + " ORDER BY ORDINAL_POSITION"
    );
    for (const auto& row : reply.rows) {
        ColumnFacts column;
        column.name = text_of(row, 0);
        column.data_type = lower(text_of(row, 1));
        column.column_type = lower(text_of(row, 2));
        column.character_set = lower(text_of(row, 3));
        column.collation = lower(text_of(row, 4));
        column.generated = text_of(row, 5);
        facts.columns.push_back(std::move(column));
    }
    return reply.error;
}

SqlError read_unique_indexes(Database& database, const config::Table& table, TableFacts& facts) {
    const auto reply = database.query(
        "SELECT INDEX_NAME,COLUMN_NAME,SUB_PART FROM information_schema.STATISTICS WHERE "
        "NON_UNIQUE=0 AND " +
        of_table(database, table) + " ORDER BY INDEX_NAME,SEQ_IN_INDEX"
    );
    for (const auto& row : reply.rows) {
        const auto name = text_of(row, 0);
        if (facts.unique_indexes.empty() || facts.unique_indexes.back().name != name) {
            facts.unique_indexes.emplace_back().name = name;
        }
        auto& index = facts.unique_indexes.back();
        index.columns.push_back(text_of(row, 1));
        if (!row[1] || row[2]) index.is_partial = true;
    }
    return reply.error;
}

// An empty list of triggers means nothing unless this account has the privilege to see them.
SqlError read_triggers(Database& database, const config::Table& table, TableFacts& facts) {
    auto reply = database.query(
        "SELECT TRIGGER_NAME,EVENT_MANIPULATION FROM information_schema.TRIGGERS WHERE " +
        same_text(database, "EVENT_OBJECT_SCHEMA", table.schema) + " AND " +
        same_text(database, "EVENT_OBJECT_TABLE", table.name) + " ORDER BY TRIGGER_NAME"
    );
    if (reply.error) return reply.error;
    for (const auto& row : reply.rows) {
        TriggerFacts trigger{text_of(row, 0), text_of(row, 1)};
        facts.triggers.push_back(std::move(trigger));
    }
    const std::string mine =
        "PRIVILEGE_TYPE='TRIGGER' AND GRANTEE=CONCAT('''',LEFT(CURRENT_USER(),"
        "CHAR_LENGTH(CURRENT_USER())-CHAR_LENGTH(SUBSTRING_INDEX(CURRENT_USER(),'@',-1))-1),"
        "'''@''',SUBSTRING_INDEX(CURRENT_USER(),'@',-1),'''')";
    SqlError error;
    const auto count = database.value(
        "SELECT (SELECT COUNT(*) FROM information_schema.USER_PRIVILEGES WHERE " + mine +
            ")+(SELECT COUNT(*) FROM information_schema.SCHEMA_PRIVILEGES WHERE " + mine + " AND " +
            database.quote(table.schema) +
            " LIKE TABLE_SCHEMA)+(SELECT COUNT(*) FROM information_schema.TABLE_PRIVILEGES WHERE " +
            mine + " AND " + of_table(database, table) + ')',
        error
    );
    facts.triggers_visible = count != "0" && !count.empty();
    return error;
}

SqlError read_foreign_keys(Database& database, const config::Table& table, TableFacts& facts) {
    const auto schema = database.quote(table.schema);
    const auto name = database.quote(table.name);
    const std::string source =
        " FROM information_schema.KEY_COLUMN_USAGE k JOIN "
        "information_schema.REFERENTIAL_CONSTRAINTS r ON r.CONSTRAINT_SCHEMA=k.CONSTRAINT_SCHEMA "
        "AND r.CONSTRAINT_NAME=k.CONSTRAINT_NAME AND r.TABLE_NAME=k.TABLE_NAME WHERE "
        "k.TABLE_SCHEMA=" +
        schema;
    // Referencing tables of other schemas are not searched: that would open every table there is.
    const auto reply = database.query(
        "SELECT k.CONSTRAINT_NAME,k.COLUMN_NAME,k.REFERENCED_TABLE_SCHEMA,"
        "k.REFERENCED_TABLE_NAME,r.UPDATE_RULE,r.DELETE_RULE,1" +
        source + " AND k.TABLE_NAME=" + name +
        " AND k.REFERENCED_TABLE_NAME IS NOT NULL UNION ALL SELECT "
        "k.CONSTRAINT_NAME,k.REFERENCED_COLUMN_NAME,k.TABLE_SCHEMA,k.TABLE_NAME,r.UPDATE_RULE,"
        "r.DELETE_RULE,0" +
        source + " AND k.REFERENCED_TABLE_SCHEMA=" + schema + " AND k.REFERENCED_TABLE_NAME=" + name
    );
    for (const auto& row : reply.rows) {
        ForeignKeyFacts key;
        key.name = text_of(row, 0);
        key.column = text_of(row, 1);
        key.other = text_of(row, 2) + '.' + text_of(row, 3);
        key.on_update = text_of(row, 4);
        key.on_delete = text_of(row, 5);
        key.from_us = text_of(row, 6) == "1";
        facts.foreign_keys.push_back(std::move(key));
    }
    return reply.error;
}

std::string weights_query(const ColumnFacts& column) {
    std::string sql = "SELECT ";
    for (char c = first_printable; c <= last_printable; ++c) {
        if (c != first_printable) sql += ',';
        sql += "HEX(WEIGHT_STRING(CHAR(" + std::to_string(static_cast<int>(c)) + " USING " +
               column.character_set + ") COLLATE " + column.collation + "))";
    }
    return sql;
}

// Whether the server's collation folds exactly what KeyType::folded_string folds, for ASCII.
SqlError read_odd_collation(Database& database, const ColumnFacts& column, TableFacts& facts) {
    const auto reply = database.query(weights_query(column));
    if (reply.error || reply.rows.empty()) return reply.error;
    const auto& weights = reply.rows.front();
    for (std::size_t i = 0; i < weights.size(); ++i) {
        for (std::size_t k = i + 1; k < weights.size(); ++k) {
            const auto left = static_cast<unsigned char>(first_printable + static_cast<int>(i));
            const auto right = static_cast<unsigned char>(first_printable + static_cast<int>(k));
            const bool same_letter = std::tolower(left) == std::tolower(right);
            if ((weights[i] == weights[k]) == same_letter) continue;
            facts.odd_collations.push_back(
                column.name + ": '" + static_cast<char>(left) + "' and '" +
                static_cast<char>(right) + "' are " + (same_letter ? "two letters" : "one letter") +
                " in " + column.collation
            );
            return reply.error;
        }
    }
    return reply.error;
}

bool is_folding(const ColumnFacts& column) {
    const std::string ending = "_ci";
    const auto& collation = column.collation;
    return collation.size() > ending.size() &&
           collation.compare(collation.size() - ending.size(), ending.size(), ending) == 0;
}

}  // namespace

const ColumnFacts* TableFacts::column(const std::string& wanted) const {
    const auto low = lower(wanted);  // column names have no case on any server
    for (const auto& column : columns) {
        if (lower(column.name) == low) return &column;
    }
    return nullptr;
}

SqlError read_table_facts(Database& database, const config::Table& table, TableFacts& facts) {
    facts = TableFacts{};
    auto error = read_table(database, table, facts);
    if (error || !facts.exists) return error;
    if (error = read_columns(database, table, facts); error) return error;
    if (error = read_unique_indexes(database, table, facts); error) return error;
    if (error = read_triggers(database, table, facts); error) return error;
    if (error = read_foreign_keys(database, table, facts); error) return error;
    for (const auto& key : table.key) {
        const auto* column = facts.column(key);
        if (!column || !is_folding(*column)) continue;
        if (error = read_odd_collation(database, *column, facts); error) return error;
    }
    return error;
}

SqlError read_mentions(
    Database& database, const config::Table& table, std::vector<std::string>& mentions
) {
    const auto schema = database.quote(table.schema);
    const auto name = database.quote(table.name);
    const auto reply = database.query(
        "SELECT CONCAT('view ',TABLE_NAME) FROM information_schema.VIEWS WHERE TABLE_SCHEMA=" +
        schema + " AND INSTR(VIEW_DEFINITION," + name +
        ")>0 UNION ALL SELECT CONCAT(LOWER(ROUTINE_TYPE),' ',ROUTINE_NAME) FROM "
        "information_schema.ROUTINES WHERE ROUTINE_SCHEMA=" +
        schema + " AND INSTR(ROUTINE_DEFINITION," + name +
        ")>0 UNION ALL SELECT CONCAT('event ',EVENT_NAME) FROM information_schema.EVENTS WHERE "
        "EVENT_SCHEMA=" +
        schema + " AND INSTR(EVENT_DEFINITION," + name +
        ")>0 UNION ALL SELECT CONCAT('trigger ',TRIGGER_NAME,' on ',EVENT_OBJECT_TABLE) FROM "
        "information_schema.TRIGGERS WHERE TRIGGER_SCHEMA=" +
        schema + " AND EVENT_OBJECT_TABLE<>" + name + " AND INSTR(ACTION_STATEMENT," + name + ")>0"
    );
    for (const auto& row : reply.rows) mentions.push_back(text_of(row, 0));
    return reply.error;
}

}  // namespace proxy
