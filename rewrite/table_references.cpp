#include "rewrite/table_references.hpp"

#include <array>
#include <cstdint>
#include <utility>

namespace rewrite {

namespace {

using namespace std::string_view_literals;

constexpr std::array ends_of_from{
    "where"sv,
    "group"sv,
    "having"sv,
    "order"sv,
    "limit"sv,
    "window"sv,
    "union"sv,
    "except"sv,
    "intersect"sv,
    "minus"sv,
    "procedure"sv,
    "lock"sv,
    "into"sv,
    "set"sv,
    "fetch"sv,
    "offset"sv,
    "returning"sv,
    "for"sv};

constexpr std::array no_aliases{
    "join"sv,          "inner"sv,  "cross"sv,     "left"sv,      "right"sv,       "natural"sv,
    "straight_join"sv, "on"sv,     "using"sv,     "set"sv,       "where"sv,       "use"sv,
    "force"sv,         "ignore"sv, "partition"sv, "for"sv,       "order"sv,       "limit"sv,
    "group"sv,         "having"sv, "union"sv,     "except"sv,    "intersect"sv,   "window"sv,
    "lock"sv,          "into"sv,   "full"sv,      "returning"sv, "tablesample"sv, "procedure"sv,
    "select"sv,        "values"sv};

// Walks over a statement and keeps, for each open parenthesis, whether a table comes next.
class Walker {
public:
    Walker(Cursor& cursor, const Context& context) : cursor_(cursor), context_(context) {
        frames_.push_back({});
    }

    void expect_table() { frames_.back().state = State::table; }
    // One token, or one table with its alias.
    void step();
    [[nodiscard]] bool is_outermost() const noexcept { return frames_.size() == 1; }

    TableReferences found;

private:
    enum class State : std::uint8_t { elsewhere, table, in_from };
    struct Frame {
        State state = State::elsewhere;
        bool is_query = false;  // a SELECT stands in it, so FROM is a clause and no argument
        bool is_inner = false;  // in a subquery, seen from the statement
    };

    void open();
    void close();
    void step_word();
    void step_table();
    void read_alias(TableReference& reference);

    Cursor& cursor_;
    const Context& context_;
    std::vector<Frame> frames_;
    bool after_for_ = false;  // USE INDEX FOR JOIN: no join follows
};

void Walker::open() {
    Frame frame;
    frame.is_inner = frames_.back().is_inner;
    if (frames_.back().state == State::table) {
        frame.state = State::table;
        frames_.back().state = State::in_from;
    }
    frames_.push_back(frame);
}

void Walker::close() {
    if (frames_.size() > 1) frames_.pop_back();
}

void Walker::step() {
    Frame& frame = frames_.back();
    if (cursor_.is_symbol("(")) {
        open();
    } else if (cursor_.is_symbol(")")) {
        close();
    } else if (cursor_.is_symbol(",")) {
        if (frame.state == State::in_from) frame.state = State::table;
    } else if (cursor_.is_symbol("{") && frame.state == State::table) {
        cursor_.advance();  // {OJ table ...}
    } else if (cursor_.is_symbol(".") && frame.state != State::table) {
        cursor_.advance();  // what follows is a name, whatever it is spelt like
        if (!cursor_.is_name()) return;
    } else if (frame.state == State::table && (cursor_.is_name() || cursor_.is_symbol("."))) {
        step_table();
        return;
    } else if (cursor_.is(TokenKind::word)) {
        step_word();
        return;
    } else if (frame.state == State::table && !cursor_.is(TokenKind::unknown)) {
        frame.state = State::in_from;
    }
    cursor_.advance();
}

void Walker::step_word() {
    Frame& frame = frames_.back();
    const bool was_after_for = std::exchange(after_for_, cursor_.is_word("for"));
    if (cursor_.following().is_symbol(".")) {
        // A qualifier, not a keyword.
    } else if (cursor_.is_word("select")) {
        frame.is_query = true;
        frame.is_inner = frame.is_inner || frames_.size() > 1;
        frame.state = State::elsewhere;
    } else if (cursor_.is_word("from")) {
        if (frame.is_query || frames_.size() == 1) frame.state = State::table;
    } else if (cursor_.is_word("join")) {
        if (!was_after_for) frame.state = State::table;
    } else if (cursor_.is_word("straight_join")) {
        if (frame.state == State::in_from) frame.state = State::table;
    } else if (cursor_.is_word("table")) {
        frame.state = State::table;
    } else if (is_any_word(cursor_, ends_of_from)) {
        const bool is_index_use =
            was_after_for ||
            (cursor_.is_word("for") &&
             is_any_word(cursor_.following(), std::array{"join"sv, "order"sv, "group"sv}));
        if (!is_index_use) frame.state = State::elsewhere;
    }
    cursor_.advance();
}

void Walker::step_table() {
    Frame& frame = frames_.back();
    if (is_any_word(cursor_, std::array{"select"sv, "values"sv, "with"sv, "table"sv}) &&
        !cursor_.following().is_symbol(".")) {
        const bool is_table = cursor_.is_word("table");
        frame.is_query = true;
        frame.is_inner = true;
        frame.state = is_table ? State::table : State::elsewhere;
        cursor_.advance();
        return;
    }
    if (cursor_.is_word("lateral")) {
        cursor_.advance();
        return;
    }
    frame.state = State::in_from;
    TableReference reference;
    if (!read_name(cursor_, reference.name)) {
        if (!cursor_.at_end()) cursor_.advance();
        return;
    }
    reference.managed = context_.managed(reference.name);
    if (frame.is_inner) {
        if (reference.managed && !found.inner) found.inner = reference.managed;
        return;
    }
    read_alias(reference);
    found.tables.push_back(std::move(reference));
}

void Walker::read_alias(TableReference& reference) {
    reference.alias = reference.name.last();
    const bool has_as = cursor_.accept_word("as");
    const bool is_alias = cursor_.is_name() && (has_as || !is_any_word(cursor_, no_aliases));
    if (!is_alias) return;
    reference.alias = name_of(cursor_.token());
    reference.has_alias = true;
    cursor_.advance();
}

}  // namespace

std::optional<std::size_t> Context::managed(const Name& name) const {
    const std::size_t count = name.parts.size();
    if (count == 0 || count > 2) return std::nullopt;
    return rules.find(count == 2 ? std::string_view(name.parts[0]) : default_schema, name.last());
}

std::optional<std::size_t> TableReferences::managed() const {
    for (const TableReference& table : tables) {
        if (table.managed) return table.managed;
    }
    return std::nullopt;
}

TableReferences read_table_references(
    Cursor& cursor, const Context& context, std::string_view stop_word
) {
    Walker walker(cursor, context);
    walker.expect_table();
    while (!cursor.at_end()) {
        if (walker.is_outermost() && cursor.is_word(stop_word)) break;
        walker.step();
    }
    return std::move(walker.found);
}

std::optional<std::size_t> find_read(Cursor cursor, const Context& context) {
    Walker walker(cursor, context);
    while (!cursor.at_end()) walker.step();
    const std::optional<std::size_t> outer = walker.found.managed();
    return outer ? outer : walker.found.inner;
}

// A name before a dot is a schema or belongs to a column, whose table is named elsewhere. A name
// behind a dot counts if what is before the dot is the managed table's schema.
std::optional<std::size_t> find_named(Cursor cursor, const Context& context) {
    while (!cursor.at_end()) {
        if (!cursor.is_name()) {
            cursor.advance();
            continue;
        }
        Name name;
        if (!read_name(cursor, name)) continue;
        if (const auto managed = context.managed(name)) return managed;
    }
    return std::nullopt;
}

}  // namespace rewrite
