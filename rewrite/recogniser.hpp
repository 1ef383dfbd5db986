#pragma once
// Text in, Statement out. Pure; no allocation for a text that mentions no managed table and is
// no transaction control. Never throws; a text that cannot be understood but mentions a managed
// table comes back as Touches without keys.

#include "rewrite/dialect.hpp"
#include "rewrite/rules.hpp"
#include "rewrite/statement.hpp"

#include <string_view>

namespace rewrite {

// `default_schema`: the session's current database, empty if none.
[[nodiscard]] Statement analyse(
    std::string_view sql,
    const Rules& rules,
    const Dialect& dialect,
    std::string_view default_schema
);

}  // namespace rewrite
