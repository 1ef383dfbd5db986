#pragma once
// The rows of the recogniser's tables: a statement, how it is read, and what must come out, in
// the notation of describe(). Each file of rows is one list; the tests run over all of them.

#include "rewrite/recogniser.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace rewrite_test {

struct Row {
    std::string_view sql;
    // "[kind ]action": hot KEY DELTA [>=MINIMUM] [version] [time:COLUMN] [params:N],
    // touches [KEY,KEY|none], reads, pass. Tables other than t_stock have @INDEX.
    std::string_view expected;
    std::string_view reason = {};  // must be part of Touches::reason
    rewrite::Dialect dialect = {};
    std::string_view schema = "shop";
};

const rewrite::Rules& rules();
std::string describe(const rewrite::Statement& statement);

std::vector<Row> deduction_rows();
std::vector<Row> guard_rows();
std::vector<Row> value_rows();
std::vector<Row> update_rows();
std::vector<Row> change_rows();
std::vector<Row> read_rows();
std::vector<Row> control_rows();
std::vector<Row> prepared_rows();
std::vector<Row> multi_rows();
std::vector<Row> dialect_rows();
std::vector<Row> all_rows();

}  // namespace rewrite_test
