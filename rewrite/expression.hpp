#pragma once
// Reads expressions of the server's grammar by recursive descent with its precedences, and says
// what they mean (Value). Functions and subqueries that mean nothing here are skipped by their
// parentheses. Depth and size are bounded; what is not understood makes `read` fail, never guess.

#include "rewrite/cursor.hpp"
#include "rewrite/table_scope.hpp"
#include "rewrite/value.hpp"

#include <cstddef>
#include <string_view>

namespace rewrite {

class Expression {
public:
    // The cursor moves; all must outlive the reader.
    Expression(Cursor& cursor, const TableScope& scope, Seen& seen)
        : cursor_(cursor), scope_(scope), seen_(seen) {}

    // One expression. False: not understood, the cursor stands somewhere inside.
    [[nodiscard]] bool read(Value& out) { return read_logic(out, 0); }

    // Moves behind parentheses, CASE ... END: noting, not understanding.
    [[nodiscard]] bool skip_parentheses_noting();

private:
    static constexpr int depth_max = 200;
    class Level;  // counts the depth

    bool read_logic(Value& out, int weakest);
    bool read_not(Value& out);
    bool read_comparison(Value& out);
    bool read_is(Value& out);
    bool read_predicate(Value& out);
    bool read_in(Value& out, bool is_negated);
    bool read_between(Value& out);
    bool read_pattern(Value& out);
    bool read_arithmetic(Value& out, int weakest);
    bool read_unary(Value& out);
    bool read_primary(Value& out);
    bool read_parenthesised(Value& out);
    bool read_braces(Value& out);
    bool read_strings(Value& out);
    bool read_variable(Value& out);
    bool read_word(Value& out);
    bool read_column_or_call(Value& out);
    bool read_case(Value& out);
    bool read_cast(Value& out);
    bool read_coalesce(Value& out);
    bool read_moment(Value& out);
    bool read_interval(Value& out);
    bool skip_call(Value& out, const char* reason);
    [[nodiscard]] bool at_subquery() const noexcept;
    void pass();  // notes the token and moves on

    Cursor& cursor_;
    const TableScope& scope_;
    Seen& seen_;
    int depth_ = 0;
    bool gave_up_ = false;  // too deep: nothing is tried in another way
};

}  // namespace rewrite
