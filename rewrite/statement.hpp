#pragma once
// What the recogniser says of one COM_QUERY / COM_STMT_PREPARE text. Values own nothing of the
// input except where a member is a string_view, which points into the analysed text.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace rewrite {

// An integer-valued expression of constants and parameters: constant + sum(factor * ?index).
struct Linear {
    struct Term {
        std::uint32_t param;  // 0-based position of the `?`
        std::int64_t factor;
        bool operator==(const Term&) const = default;
    };
    std::int64_t constant = 0;
    std::vector<Term> terms;
    bool has_null = false;  // a literal NULL takes part: the value is NULL
    bool operator==(const Linear&) const = default;
};

// One component of a SKU key: `column = literal` or `column = ?`.
struct KeyValue {
    enum class Kind : std::uint8_t { integer, string, param };
    Kind kind = Kind::integer;
    std::string text;  // integer: canonical decimal ("-7", "42"); string: unescaped bytes
    std::uint32_t param = 0;
    bool operator==(const KeyValue&) const = default;
};

// UPDATE of one row's stock by a difference: stock = stock + delta, WHERE key [AND stock >=
// minimum].
struct HotUpdate {
    std::size_t table = 0;          // index into Rules::tables()
    std::vector<KeyValue> key;      // in the order of ManagedTable::key_columns
    Linear delta;                   // negative: deduction, positive: return
    std::optional<Linear> minimum;  // the guard, normalised; absent: unguarded
    bool steps_version = false;     // SET version = version + 1
    std::vector<std::string>
        set_time_columns;           // as in ManagedTable, set to NOW()-like or a literal
    std::uint32_t param_count = 0;  // `?` in the whole text
};

// A statement that may read or change a managed table's stock or its rows in a way that cannot be
// booked. `keys` set: only these rows are concerned (one entry a row, each as in HotUpdate::key);
// set and empty: no row is concerned, for example WHERE key = NULL.
struct Touches {
    std::size_t table = 0;
    std::optional<std::vector<std::vector<KeyValue>>> keys;
    std::string reason;  // for the ERR text: which rule, what to do
};

// A SELECT (or other pure read) that names a managed table.
struct Reads {
    std::size_t table = 0;
};

struct Pass {};

using Action = std::variant<Pass, HotUpdate, Touches, Reads>;

enum class Kind : std::uint8_t {
    other,              // anything not below
    empty,              // nothing but blanks and comments
    begin,              // BEGIN [WORK], START TRANSACTION ...: commits an open transaction
    commit,             // COMMIT [WORK] [AND [NO] CHAIN] [[NO] RELEASE]
    rollback,           // ROLLBACK, the whole transaction
    savepoint,          // SAVEPOINT name
    rollback_to,        // ROLLBACK [WORK] TO [SAVEPOINT] name
    release_savepoint,  // RELEASE SAVEPOINT name
    use_schema,         // USE name
    xa,                 // XA ...
    // May run other statements, which may change modes and transactions too: CALL, DO, EXECUTE,
    // PREPARE ... FROM @v, BEGIN NOT ATOMIC, HANDLER, SET STATEMENT ... FOR, several statements,
    // malformed transaction control, anything the tokenizer could not finish.
    opaque,
};

struct Statement {
    Kind kind = Kind::other;
    std::string name;    // savepoint / schema, unquoted
    bool chain = false;  // AND CHAIN was given: a new transaction begins
    // More than one statement in the text. Then `kind` is opaque and `action` sums up: Touches if
    // a part is HotUpdate or Touches (keys: of all such parts), else Reads if a part reads.
    bool multi = false;
    bool mentions_sql_mode = false;  // the text contains sql_mode in any case (SET, a string, ...)
    bool mentions_charset = false;   // a SET that may change the client's character set
    Action action;
};

}  // namespace rewrite
