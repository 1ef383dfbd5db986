#pragma once
// The managed tables, compiled for look-up by name. Immutable after construction; shared by all
// threads. Also answers "does this text mention a managed table at all?", the first and
// cheapest test that every statement passes: an identifier cannot be written in MySQL without
// its literal bytes, so a text without them cannot touch the table by name. Names compare by
// bytes, ASCII letters without case; other letters only as they are spelt here.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rewrite {

struct ManagedTable {
    std::string schema;
    std::string table;
    std::vector<std::string> key_columns;  // one or more, in the order of the ledger key
    std::string stock_column;
    std::optional<std::string> version_column;
    std::vector<std::string> time_columns;
};

class Rules {
public:
    Rules() = default;
    explicit Rules(std::vector<ManagedTable> tables);

    [[nodiscard]] const std::vector<ManagedTable>& tables() const noexcept { return tables_; }
    [[nodiscard]] bool empty() const noexcept { return tables_.empty(); }

    // Names compare without case, as MySQL does where lower_case_table_names is not 0; a
    // false match costs only a closer look. `schema` empty: any schema with that table.
    [[nodiscard]] std::optional<std::size_t> find(std::string_view schema, std::string_view table)
        const noexcept;

    // True if the bytes contain a managed table's name, in any case, anywhere (also inside a
    // string or comment).
    [[nodiscard]] bool mentioned_in(std::string_view bytes) const noexcept;
    [[nodiscard]] std::size_t longest_name() const noexcept { return longest_name_; }

private:
    std::vector<ManagedTable> tables_;
    [[nodiscard]] bool starts_name(std::string_view bytes) const noexcept;

    std::vector<std::string> lowered_names_;  // distinct table names
    std::size_t longest_name_ = 0;
    std::size_t window_ = 0;  // the shortest name; 0: there are none
    unsigned char step_[256] = {};
};

// `Rules::mentioned_in` over a packet that arrives in pieces. Keeps the last bytes of a piece
// so that a name cut in two is found.
class MentionScanner {
public:
    explicit MentionScanner(const Rules& rules) : rules_(&rules) {}
    // True once a name has been seen in all that was fed so far.
    bool feed(std::string_view piece);

private:
    const Rules* rules_;
    std::string tail_;
    bool seen_ = false;
};

}  // namespace rewrite
