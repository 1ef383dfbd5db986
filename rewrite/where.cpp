// WHERE clauses: the tests, and the rows that they leave.

#include "rewrite/expression.hpp"
#include "rewrite/readers.hpp"

#include <array>
#include <utility>

namespace rewrite {

namespace {

using namespace std::string_view_literals;

constexpr std::size_t keys_max = 200'000;

bool at_end_of_where(const Cursor& cursor) noexcept {
    return cursor.at_end() || is_any_word(cursor, std::array{"order"sv, "limit"sv, "returning"sv});
}

using Keys = std::vector<std::vector<KeyValue>>;

// Each key so far with each of the values of the next column.
std::optional<Keys> extended(Keys keys, const std::vector<KeyValue>& values) {
    if (values.size() == 1) {
        for (std::vector<KeyValue>& key : keys) key.push_back(values.front());
        return keys;
    }
    if (keys.size() * values.size() > keys_max) return std::nullopt;
    Keys out;
    out.reserve(keys.size() * values.size());
    for (const std::vector<KeyValue>& key : keys) {
        for (const KeyValue& value : values) {
            out.push_back(key);
            out.back().push_back(value);
        }
    }
    return out;
}

}  // namespace

Where read_where(Cursor& cursor, const TableScope& scope, Seen& seen) {
    Where where;
    if (!cursor.accept_word("where")) {
        where.understood = at_end_of_where(cursor);
    } else {
        const Cursor start = cursor;
        Value value;
        Expression expression(cursor, scope, seen);
        where.understood = expression.read(value) && at_end_of_where(cursor);
        if (where.understood) {
            make_condition(value);
            where.tests = std::move(value.tests);
        } else {
            cursor = start;
        }
    }
    while (!at_end_of_where(cursor)) {
        Expression skipper(cursor, scope, seen);
        if (cursor.is_symbol("(")) {
            if (!skipper.skip_parentheses_noting()) break;
        } else {
            seen.note(cursor.token(), *scope.table);
            cursor.advance();
        }
    }
    return where;
}

std::optional<Keys> keys_of(const Where& where, const TableScope& scope) {
    if (!where.understood) return std::nullopt;
    for (const Test& test : where.tests) {
        if (test.kind == Test::Kind::never) return Keys{};
    }
    std::optional<Keys> keys = Keys{{}};
    for (std::size_t column = 0; column < scope.table->key_columns.size(); ++column) {
        const Test* found = nullptr;
        for (const Test& test : where.tests) {
            const bool is_better = test.kind == Test::Kind::key_in && test.column == column &&
                                   (found == nullptr || test.values.size() < found->values.size());
            if (is_better) found = &test;
        }
        if (found == nullptr) return std::nullopt;
        keys = extended(*std::move(keys), found->values);
        if (!keys) return std::nullopt;
    }
    return keys;
}

}  // namespace rewrite
