#include "proxy/cli/table_hazards.hpp"

#include <algorithm>
#include <array>
#include <cctype>

namespace proxy {
namespace {

struct IntegerType {
    std::string_view name;
    std::string_view signed_max;
    std::string_view unsigned_max;
};

constexpr std::array<IntegerType, 5> integer_types{{
    {"tinyint", "127", "255"},
    {"smallint", "32767", "65535"},
    {"mediumint", "8388607", "16777215"},
    {"int", "2147483647", "4294967295"},
    {"bigint", "9223372036854775807", "18446744073709551615"},
}};

const IntegerType* integer_type(const ColumnFacts& column) {
    for (const auto& type : integer_types) {
        if (type.name == column.data_type) return &type;
    }
    return nullptr;
}

bool ends_with(std::string_view text, std::string_view ending) {
    return text.size() >= ending.size() && text.substr(text.size() - ending.size()) == ending;
}

bool same_name(std::string_view left, std::string_view right) {
    return std::equal(left.begin(), left.end(), right.begin(), right.end(), [](char a, char b) {
        return std::tolower(static_cast<unsigned char>(a)) ==
               std::tolower(static_cast<unsigned char>(b));
    });
}

bool contains_name(const std::vector<std::string>& names, std::string_view name) {
    return std::any_of(names.begin(), names.end(), [name](const std::string& each) {
        return same_name(each, name);
    });
}

// Whether an expression names the column: both servers print names in backticks, but a bare word
// counts as well.
bool mentions_column(const std::string& expression, std::string_view column) {
    for (std::size_t at = 0; at + column.size() <= expression.size(); ++at) {
        if (!same_name(std::string_view{expression}.substr(at, column.size()), column)) continue;
        const auto is_word = [&expression](std::size_t i) {
            const auto c = static_cast<unsigned char>(expression[i]);
            return std::isalnum(c) != 0 || c == '_' || c == '$' || c >= 0x80;
        };
        const std::size_t end = at + column.size();
        if ((at == 0 || !is_word(at - 1)) && (end == expression.size() || !is_word(end)))
            return true;
    }
    return false;
}

class TableJudge {
public:
    TableJudge(const config::Table& table, const TableFacts& facts, TableShape& shape)
        : table_(table), facts_(facts), shape_(shape), place_(table.schema + '.' + table.name) {}

    std::vector<Hazard> run() {
        if (!judge_kind()) return std::move(hazards_);
        judge_key();
        judge_stock();
        judge_companions();
        judge_triggers();
        judge_foreign_keys();
        judge_generated();
        return std::move(hazards_);
    }

private:
    void fail(std::string text, std::string hint) {
        Hazard hazard{Severity::failure, std::move(text), std::move(hint)};
        hazards_.push_back(std::move(hazard));
    }
    void warn(std::string text, std::string hint) {
        Hazard hazard{Severity::warning, std::move(text), std::move(hint)};
        hazards_.push_back(std::move(hazard));
    }
    [[nodiscard]] std::string at(const std::string& column) const { return place_ + '.' + column; }

    bool judge_kind() {
        if (!facts_.exists) {
            fail(
                "table " + place_ + " does not exist, or this account has no right on it",
                "correct `table:` in the configuration, or grant SELECT and UPDATE on it"
            );
            return false;
        }
        if (facts_.name != table_.name) {
            fail(
                "the server spells the table " + facts_.name + ", the configuration " + table_.name,
                "use the server's spelling in the configuration"
            );
            return false;
        }
        if (facts_.type == "VIEW" || facts_.type == "SYSTEM VIEW") {
            fail(place_ + " is a view", "name the table that the view reads");
            return false;
        }
        if (!same_name(facts_.engine, "InnoDB")) {
            fail(
                place_ + " uses the engine " + facts_.engine + ", which has no transactions",
                "ALTER TABLE " + place_ + " ENGINE=InnoDB"
            );
        }
        if (facts_.type == "SYSTEM VERSIONED") {
            warn(
                place_ + " is system-versioned: each projection of the stock adds a history row",
                "raise background.projection_ms, or drop the versioning"
            );
        }
        return true;
    }

    void judge_key() {
        shape_.key_types.clear();
        for (const auto& name : table_.key) {
            const auto* column = facts_.column(name);
            if (!column) {
                fail("key column " + at(name) + " does not exist", "correct `key:`");
            } else {
                judge_key_column(*column);
            }
        }
        const auto covers = [this](const UniqueIndex& index) {
            return !index.is_partial && index.columns.size() == table_.key.size() &&
                   std::all_of(table_.key.begin(), table_.key.end(), [&index](const auto& key) {
                       return contains_name(index.columns, key);
                   });
        };
        if (std::none_of(facts_.unique_indexes.begin(), facts_.unique_indexes.end(), covers)) {
            fail(
                place_ + " has no PRIMARY KEY or UNIQUE index on exactly (" + joined(table_.key) +
                    "), so the key does not name one row",
                "name the columns of a unique index in `key:`, or create that index"
            );
        }
        for (const auto& odd : facts_.odd_collations) {
            fail(
                "key column " + place_ + '.' + odd,
                "use a collation that ignores nothing but case for ASCII, or a _bin one"
            );
        }
    }

    void judge_key_column(const ColumnFacts& column) {
        const bool text = column.data_type == "varchar" || column.data_type == "char";
        const bool is_binary =
            column.data_type == "varbinary" || (text && ends_with(column.collation, "_bin"));
        if (column.name.find(',') != std::string::npos) {
            fail("key column " + at(column.name) + " has a comma in its name", "rename the column");
        }
        if (!column.generated.empty()) {
            fail("key column " + at(column.name) + " is generated", "use a key of stored values");
        }
        if (integer_type(column)) {
            shape_.key_types.push_back(KeyType::integer);
        } else if (is_binary) {
            shape_.key_types.push_back(KeyType::binary_string);
        } else if (text && ends_with(column.collation, "_ci")) {
            shape_.key_types.push_back(KeyType::folded_string);
        } else if (text) {
            fail(
                "key column " + at(column.name) + " has the collation " + column.collation +
                    ", which is neither _ci nor _bin",
                "manage a table whose key uses a _ci or _bin collation"
            );
        } else {
            fail(
                "key column " + at(column.name) + " is " + column.column_type +
                    "; only integers, CHAR, VARCHAR and VARBINARY can be keys",
                "use another unique key of the table"
            );
        }
    }

    void judge_stock() {
        const auto* column = facts_.column(table_.stock);
        if (!column) {
            fail("stock column " + at(table_.stock) + " does not exist", "correct `stock:`");
            return;
        }
        if (!column->generated.empty()) {
            fail("stock column " + at(column->name) + " is generated", "name the stored column");
        }
        const auto* type = integer_type(*column);
        if (!type) {
            fail(
                "stock column " + at(column->name) + " is " + column->column_type +
                    "; the ledger counts whole units only",
                "use an integer column (TINYINT to BIGINT)"
            );
            return;
        }
        shape_.stock_unsigned = column->column_type.find("unsigned") != std::string::npos;
        shape_.stock_max = shape_.stock_unsigned ? type->unsigned_max : type->signed_max;
    }

    void judge_companions() {
        if (!table_.version.empty()) {
            const auto* column = facts_.column(table_.version);
            if (!column) {
                fail(
                    "version column " + at(table_.version) + " does not exist", "correct `version:`"
                );
            } else if (!integer_type(*column) || !column->generated.empty()) {
                fail(
                    "version column " + at(table_.version) + " is no ordinary integer column",
                    "leave `version:` out, or name a column that statements step by 1"
                );
            }
        }
        for (const auto& name : table_.time) {
            const auto* column = facts_.column(name);
            const bool is_time =
                column && (column->data_type == "timestamp" || column->data_type == "datetime" ||
                           column->data_type == "date");
            if (!column) {
                fail("time column " + at(name) + " does not exist", "correct `time:`");
            } else if (!is_time || !column->generated.empty()) {
                fail(
                    "time column " + at(name) +
                        " is no ordinary TIMESTAMP, DATETIME or DATE column",
                    "leave it out of `time:`"
                );
            }
        }
    }

    void judge_triggers() {
        for (const auto& trigger : facts_.triggers) {
            fail(
                "trigger " + trigger.name + " (" + trigger.event + ") on " + place_ +
                    " would not fire for deductions that go to the ledger",
                "move what it does into the application, then DROP TRIGGER " + trigger.name
            );
        }
    }

    void judge_foreign_keys() {
        for (const auto& key : facts_.foreign_keys) {
            const bool on_stock = same_name(key.column, table_.stock);
            const bool on_key = contains_name(table_.key, key.column);
            const bool moves = changes_rows(key.on_update) || changes_rows(key.on_delete);
            const std::string what =
                "foreign key " + key.name + " between " + at(key.column) + " and " + key.other;
            if (on_stock) {
                fail(what + " involves the stock column", "drop the foreign key");
            } else if (on_key && key.from_us && moves) {
                fail(
                    what + " changes or deletes rows of " + place_ + " by itself (ON UPDATE " +
                        key.on_update + ", ON DELETE " + key.on_delete + "), past the ledger",
                    "define it with RESTRICT"
                );
            }
        }
    }

    static bool changes_rows(const std::string& rule) {
        return rule != "RESTRICT" && rule != "NO ACTION";
    }

    void judge_generated() {
        for (const auto& column : facts_.columns) {
            if (column.generated.empty() || !mentions_column(column.generated, table_.stock))
                continue;
            fail(
                "generated column " + at(column.name) + " is computed from " + table_.stock +
                    " and would show the projected figure",
                "drop it, or compute it in the reader"
            );
        }
    }

    static std::string joined(const std::vector<std::string>& names) {
        std::string list;
        for (const auto& name : names) {
            if (!list.empty()) list += ", ";
            list += name;
        }
        return list;
    }

    const config::Table& table_;
    const TableFacts& facts_;
    TableShape& shape_;
    std::string place_;
    std::vector<Hazard> hazards_;
};

}  // namespace

std::vector<Hazard> judge_table(
    const config::Table& table, const TableFacts& facts, TableShape& shape
) {
    return TableJudge{table, facts, shape}.run();
}

Hazard hidden_triggers(const config::Table& table, Severity severity) {
    const std::string place = table.schema + '.' + table.name;
    return Hazard{
        severity,
        "this account lacks the TRIGGER privilege on " + place +
            ", so the server hides whether the table has triggers",
        "use --account with an account that may see them, or GRANT TRIGGER ON " + place};
}

bool forbids_adoption(const std::vector<Hazard>& hazards) {
    return std::any_of(hazards.begin(), hazards.end(), [](const Hazard& hazard) {
        return hazard.severity == Severity::failure;
    });
}

}  // namespace proxy
