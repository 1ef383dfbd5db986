// Making and turning actions.

#include "rewrite/readers.hpp"

#include <utility>

namespace rewrite {

Touches touches(
    const Context& context, std::size_t table, std::string_view reason, std::string_view advice
) {
    Touches out;
    out.table = table;
    const ManagedTable& managed = context.rules.tables()[table];
    out.reason = "table " + managed.schema + "." + managed.table + " is managed: ";
    out.reason += reason;
    out.reason += "; ";
    out.reason += advice;
    return out;
}

Action reads_or_pass(std::optional<std::size_t> table) {
    if (table) return Reads{*table};
    return Pass{};
}

Action demoted(Action action, const Context& context, std::string_view reason) {
    HotUpdate* const hot = std::get_if<HotUpdate>(&action);
    if (hot == nullptr) return action;
    Touches out = touches(context, hot->table, reason, "send the UPDATE by itself");
    out.keys.emplace().push_back(std::move(hot->key));
    return out;
}

Action not_understood(Cursor cursor, const Context& context) {
    const std::optional<std::size_t> named = find_named(cursor, context);
    if (!named) return Pass{};
    return touches(context, *named, "the statement is not understood", "write it in a plain form");
}

}  // namespace rewrite
