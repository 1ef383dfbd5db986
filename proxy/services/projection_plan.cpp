#include "proxy/services/projection_plan.hpp"

#include "proxy/ledger/ledger_sql.hpp"

#include <charconv>

namespace proxy {
namespace {

std::optional<std::int64_t> whole_number(const std::optional<std::string>& text) {
    std::int64_t value = 0;
    if (!text) return std::nullopt;
    const char* end = text->data() + text->size();
    const auto [stopped, error] = std::from_chars(text->data(), end, value);
    if (error != std::errc{} || stopped != end) return std::nullopt;
    return value;
}

ProjectionAction action_for(const ProjectionFacts& facts, std::int64_t base) {
    const bool booked = facts.versions != facts.projected_version;
    if (facts.projected_stock) {
        if (base != *facts.projected_stock) return ProjectionAction::changed;
        return booked || base != facts.remainder ? ProjectionAction::write
                                                 : ProjectionAction::nothing;
    }
    if (base == facts.remainder) return ProjectionAction::write;
    return booked ? ProjectionAction::write_first : ProjectionAction::changed;
}

}  // namespace

ProjectionPlan plan_projection(const ProjectionFacts& facts) {
    ProjectionPlan plan;
    if (facts.state != "active" && facts.state != "paused") return plan;
    // Another proxy was faster and saw more than we do.
    if (facts.projected_stock && facts.versions < facts.projected_version) return plan;
    if (facts.base_stock.size() != 1) {
        plan.action = ProjectionAction::missing;
        return plan;
    }
    plan.base = whole_number(facts.base_stock.front());
    plan.action = plan.base ? action_for(facts, *plan.base) : ProjectionAction::unreadable;
    if (facts.versions > facts.projected_version) {
        plan.version_delta = facts.versions - facts.projected_version;
    }
    return plan;
}

bool is_alarm(ProjectionAction action) noexcept {
    return action == ProjectionAction::changed || action == ProjectionAction::missing ||
           action == ProjectionAction::unreadable;
}

const char* name_of(ProjectionAction action) noexcept {
    switch (action) {
        case ProjectionAction::nothing:
            return "nothing";
        case ProjectionAction::write:
            return "write";
        case ProjectionAction::write_first:
            return "base_row_first_projection";
        case ProjectionAction::changed:
            return "base_row_changed";
        case ProjectionAction::missing:
            return "base_row_missing";
        case ProjectionAction::unreadable:
            return "base_row_unreadable";
    }
    return "nothing";
}

std::optional<std::string> base_row_condition(
    const rewrite::ManagedTable& table,
    const std::vector<KeyType>& types,
    const std::string& sku_id,
    const Quote& quote
) {
    const auto parts = key_parts_of(sku_id);
    if (!parts || parts->size() != table.key_columns.size() || parts->size() != types.size()) {
        return std::nullopt;
    }
    // Also proves that an integer part is one: it is written without quotes.
    if (make_sku_id(table.table, *parts, types) != sku_id) return std::nullopt;
    std::string condition;
    for (std::size_t i = 0; i < parts->size(); ++i) {
        if (i != 0) condition += " AND ";
        condition += ledger_sql::quote_name(table.key_columns[i]) + '=';
        condition += types[i] == KeyType::integer ? (*parts)[i] : quote((*parts)[i]);
    }
    return condition;
}

std::string base_row_update(
    const rewrite::ManagedTable& table,
    const std::string& condition,
    std::int64_t remainder,
    std::uint64_t version_delta
) {
    using ledger_sql::quote_name;
    std::string sql = "UPDATE " + quote_name(table.schema) + '.' + quote_name(table.table) +
                      " SET " + quote_name(table.stock_column) + '=' + std::to_string(remainder);
    if (table.version_column && version_delta != 0) {
        const auto column = quote_name(*table.version_column);
        sql += ',' + column + '=' + column + '+' + std::to_string(version_delta);
    }
    for (const auto& column : table.time_columns) sql += ',' + quote_name(column) + "=NOW()";
    return sql + " WHERE " + condition;
}

std::string projection_candidates(const std::string& schema) {
    const auto from = ledger_sql::quote_name(schema);
    return "SELECT s.sku_id FROM (SELECT sku_id,SUM(version) AS versions FROM " + from +
           ".inventory_bucket GROUP BY sku_id) AS b JOIN " + from +
           ".inventory_sku AS s ON s.sku_id=b.sku_id WHERE s.state IN ('active','paused') AND "
           "(s.projected_stock IS NULL OR NOT (s.projected_version<=>b.versions)) "
           "ORDER BY s.sku_id";
}

}  // namespace proxy
