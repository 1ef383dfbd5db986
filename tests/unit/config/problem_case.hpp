#pragma once

// Table tests of the loader's messages: a text, the exact problems, and the exact warnings.

#include "unit/config/support.hpp"

#include <string>
#include <vector>

namespace config::test {

struct ProblemCase {
    std::string text;
    std::string problems;       // one a line, as the operator reads them
    std::string warnings = {};  // likewise
};

// Four, five and six lines before whatever a case appends.
inline const std::string with_table = with_ledger +
                                      "  - table: a.t\n"
                                      "    key: k\n"
                                      "    stock: s\n";

inline void check_problems(const std::vector<ProblemCase>& cases) {
    for (const ProblemCase& item : cases) {
        const LoadResult result = load(item.text);
        EXPECT_EQ(lines(result.problems), item.problems) << item.text;
        EXPECT_EQ(lines(result.warnings), item.warnings) << item.text;
        EXPECT_EQ(result.ok(), item.problems.empty()) << item.text;
    }
}

}  // namespace config::test
