// UPDATE of one managed table: the deduction, or why it is none.
//
// What other statements mean here:
// - a key column is set: the row becomes another SKU's, Touches;
// - the version column is set, but not the stock: the ledger counts version steps for the base
//   row and writes them later, so a value written past it would be lost, Touches;
// - neither is set, but stock or version are read (in WHERE, or on the right of another column):
//   nothing is changed that the ledger keeps, but the base row may be a second old, Reads;
// - neither is set nor read: Pass, whatever the rows are.

#include "rewrite/expression.hpp"
#include "rewrite/readers.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

namespace rewrite {

namespace {

using namespace std::string_view_literals;

bool at_end_of_value(const Cursor& cursor) noexcept {
    return cursor.at_end() || cursor.is_symbol(",") ||
           is_any_word(cursor, std::array{"where"sv, "order"sv, "limit"sv, "returning"sv});
}

// What the SET list does. `reason`: the first thing in it that no deduction has.
struct SetList {
    bool understood = true;
    int stock_terms = 0;
    bool sets_key = false;
    bool sets_version = false;
    bool steps_version = false;
    Linear delta;
    std::vector<std::string> time_columns;
    std::string reason;
    Seen seen;  // on the right of other columns than the stock and the version

    void fail(std::string text) {
        if (reason.empty()) reason = std::move(text);
    }
};

void skip_value(Cursor& cursor, const TableScope& scope, Seen& seen) {
    Expression expression(cursor, scope, seen);
    while (!at_end_of_value(cursor)) {
        if (cursor.is_symbol("(")) {
            if (!expression.skip_parentheses_noting()) return;
        } else {
            seen.note(cursor.token(), *scope.table);
            cursor.advance();
        }
    }
}

Value read_assigned(Cursor& cursor, const TableScope& scope, Seen& seen) {
    const Cursor start = cursor;
    Value value;
    Expression expression(cursor, scope, seen);
    if (expression.read(value) && at_end_of_value(cursor)) return value;
    cursor = start;
    skip_value(cursor, scope, seen);
    return other_value("it is not understood");
}

void set_stock(SetList& set, Value value) {
    ++set.stock_terms;
    make_sum(value);
    if (set.stock_terms > 1) {
        set.fail("the stock column is set twice");
    } else if (value.form != Value::Form::sum) {
        set.fail(std::string("the new stock is not a sum of the old one: ") + value.reason);
    } else if (value.sign == 0) {
        set.fail("the stock column is set to an absolute value");
    } else if (value.sign < 0 || value.column.kind != ColumnKind::stock) {
        set.fail("the new stock is not the old one plus or minus something");
    } else {
        set.delta = std::move(value.linear);
    }
}

void set_version(SetList& set, const Value& value) {
    const bool is_step = value.form == Value::Form::sum && value.sign == 1 &&
                         value.column.kind == ColumnKind::version && value.linear.terms.empty() &&
                         !value.linear.has_null && value.linear.constant == 1;
    if (!is_step || set.sets_version) set.fail("the version column is set, but not to itself + 1");
    set.sets_version = true;
    set.steps_version = is_step;
}

void set_time(SetList& set, const std::string& column, const Value& value) {
    const bool is_known =
        value.form == Value::Form::moment || value.form == Value::Form::text || value.is_param();
    if (!is_known) set.fail("time column " + column + " is set to something else than a time");
    if (std::find(set.time_columns.begin(), set.time_columns.end(), column) !=
        set.time_columns.end()) {
        set.fail("time column " + column + " is set twice");
    }
    set.time_columns.push_back(column);
}

void assign(SetList& set, const TableScope& scope, const Name& name, Value value) {
    const Column column = scope.resolve(name);
    switch (column.kind) {
        case ColumnKind::stock:
            set_stock(set, std::move(value));
            break;
        case ColumnKind::version:
            set_version(set, value);
            break;
        case ColumnKind::time:
            set_time(set, scope.table->time_columns[column.index], value);
            break;
        case ColumnKind::key:
            set.sets_key = true;
            set.fail("a key column is set");
            break;
        case ColumnKind::none:
        case ColumnKind::other:
            if (!scope.owns(name)) set.understood = false;
            set.fail("column " + name.last() + " is set in the same statement");
            break;
    }
}

SetList read_set_list(Cursor& cursor, const TableScope& scope) {
    SetList set;
    do {
        Name name;
        const bool is_assignment =
            read_name(cursor, name) && (cursor.accept_symbol("=") || cursor.accept_symbol(":="));
        if (!is_assignment) {
            set.understood = false;
            break;
        }
        Seen seen;
        Value value = read_assigned(cursor, scope, seen);
        const ColumnKind kind = scope.resolve(name).kind;
        set.seen.subquery = set.seen.subquery || seen.subquery;
        if (kind != ColumnKind::stock) set.seen.stock = set.seen.stock || seen.stock;
        if (kind != ColumnKind::version) set.seen.version = set.seen.version || seen.version;
        assign(set, scope, name, std::move(value));
    } while (cursor.accept_symbol(","));
    return set;
}

// What follows the WHERE clause: LIMIT n with n >= 1 changes nothing where one row is meant.
std::string tail_reason(Cursor& cursor) {
    if (cursor.is_word("order")) return "the UPDATE has an ORDER BY";
    if (cursor.accept_word("limit")) {
        const Value limit =
            cursor.is(TokenKind::number) ? number_value(cursor.token().text) : other_value("");
        if (!limit.is_constant() || limit.linear.constant < 1) {
            return "the LIMIT is not a number above 0";
        }
        cursor.advance();
    }
    return cursor.at_end() ? "" : "what follows the WHERE clause is not understood";
}

// The guard: all lower bounds as one. False, with the reason, if they are not.
bool add_guard(std::optional<Linear>& minimum, const Test& test, std::string& reason) {
    Value bound = other_value("");
    bound.form = Value::Form::sum;
    bound.linear = test.bound;
    if (test.comparison == Comparison::greater) {
        add(bound, constant_value(1), false);
    } else if (test.comparison != Comparison::greater_equal) {
        reason = "the WHERE clause compares the stock other than by a lower bound";
        return false;
    }
    if (bound.form != Value::Form::sum) {
        reason = bound.reason;
        return false;
    }
    if (!minimum) {
        minimum = std::move(bound.linear);
        return true;
    }
    if (minimum->terms != bound.linear.terms || minimum->has_null || bound.linear.has_null) {
        reason = "the WHERE clause has several lower bounds of the stock";
        return false;
    }
    minimum->constant = std::max(minimum->constant, bound.linear.constant);
    return true;
}

std::string read_tests(HotUpdate& hot, const Where& where, const TableScope& scope) {
    std::vector<const Test*> keys(scope.table->key_columns.size(), nullptr);
    for (const Test& test : where.tests) {
        std::string reason;
        switch (test.kind) {
            case Test::Kind::other:
                return test.reason;
            case Test::Kind::never:
                return "the WHERE clause is never true";
            case Test::Kind::stock:
                if (!add_guard(hot.minimum, test, reason)) return reason;
                break;
            case Test::Kind::key_in:
                if (test.values.size() != 1) return "the WHERE clause names several rows, or none";
                if (keys[test.column] != nullptr && keys[test.column]->values != test.values) {
                    return "the WHERE clause tests a key column twice";
                }
                keys[test.column] = &test;
                break;
        }
    }
    for (const Test* key : keys) {
        if (key == nullptr) return "the WHERE clause does not fix every key column";
        hot.key.push_back(key->values.front());
    }
    return {};
}

std::string advice_for(const ManagedTable& table) {
    std::string advice = "write it as UPDATE " + table.table + " SET " + table.stock_column +
                         " = " + table.stock_column + " - n WHERE ";
    for (const std::string& column : table.key_columns) advice += column + " = key AND ";
    return advice + table.stock_column + " >= n";
}

}  // namespace

Action read_single_update(Cursor cursor, const Context& context, const SingleUpdate& update) {
    const TableScope& scope = update.scope;
    const Cursor start = cursor;
    cursor.accept_word("set");
    SetList set = read_set_list(cursor, scope);
    if (!set.understood) {
        return touches(
            context, scope.index, "the SET list is not understood", advice_for(*scope.table)
        );
    }
    Seen where_seen;
    const Where where = read_where(cursor, scope, where_seen);
    const bool is_touching = set.stock_terms > 0 || set.sets_key || set.sets_version;
    if (!is_touching) {
        // Behind the WHERE clause there may be an ORDER BY stock.
        while (!cursor.at_end()) {
            where_seen.note(cursor.token(), *scope.table);
            cursor.advance();
        }
        const bool reads =
            set.seen.stock || set.seen.version || where_seen.stock || where_seen.version;
        if (reads) return Reads{scope.index};
        const bool has_subquery = set.seen.subquery || where_seen.subquery;
        return has_subquery ? reads_or_pass(find_read(start, context)) : Action(Pass{});
    }

    HotUpdate hot;
    hot.table = scope.index;
    std::string reason = set.reason;
    if (reason.empty() && set.stock_terms == 0) reason = "the version is set without the stock";
    if (reason.empty() && update.ignores_errors) reason = "UPDATE IGNORE hides errors";
    if (reason.empty() && !where.understood) reason = "the WHERE clause is not understood";
    if (reason.empty()) reason = read_tests(hot, where, scope);
    const bool has_known_tail = cursor.at_end() || cursor.is_word("order") ||
                                cursor.is_word("limit") || cursor.is_word("returning");
    const std::string tail = tail_reason(cursor);
    if (reason.empty()) reason = tail;
    if (reason.empty()) {
        hot.delta = std::move(set.delta);
        hot.steps_version = set.steps_version;
        hot.set_time_columns = std::move(set.time_columns);
        hot.param_count = cursor.params_before();
        return hot;
    }
    Touches out = touches(context, scope.index, reason, advice_for(*scope.table));
    if (has_known_tail) out.keys = keys_of(where, scope);
    return out;
}

}  // namespace rewrite
