#include "row.hpp"

namespace rewrite_test {

namespace {

std::string key_text(const std::vector<rewrite::KeyValue>& key) {
    std::string out;
    for (const rewrite::KeyValue& value : key) {
        if (!out.empty()) out += '/';
        switch (value.kind) {
            case rewrite::KeyValue::Kind::integer:
                out += value.text;
                break;
            case rewrite::KeyValue::Kind::string:
                out += "'" + value.text + "'";
                break;
            case rewrite::KeyValue::Kind::param:
                out += "?" + std::to_string(value.param);
                break;
        }
    }
    return out;
}

std::string linear_text(const rewrite::Linear& linear) {
    if (linear.has_null) return "null";
    std::string out;
    if (linear.constant != 0 || linear.terms.empty()) out += std::to_string(linear.constant);
    for (const auto& term : linear.terms) {
        out += term.factor < 0 ? "-" : (out.empty() ? "" : "+");
        out += "?" + std::to_string(term.param);
        if (term.factor != 1 && term.factor != -1) out += "*" + std::to_string(term.factor);
    }
    return out;
}

std::string at(std::size_t table) {
    return table == 0 ? "" : "@" + std::to_string(table);
}

std::string action_text(const rewrite::Action& action) {
    if (const auto* reads = std::get_if<rewrite::Reads>(&action)) return "reads" + at(reads->table);
    if (const auto* touches = std::get_if<rewrite::Touches>(&action)) {
        std::string out = "touches" + at(touches->table);
        if (!touches->keys) return out;
        out += touches->keys->empty() ? " none" : " ";
        for (std::size_t i = 0; i < touches->keys->size(); ++i) {
            out += (i == 0 ? "" : ",") + key_text((*touches->keys)[i]);
        }
        return out;
    }
    const auto* hot = std::get_if<rewrite::HotUpdate>(&action);
    if (hot == nullptr) return "pass";
    std::string out = "hot" + at(hot->table) + " " + key_text(hot->key);
    out += " " + linear_text(hot->delta);
    if (hot->minimum) out += " >=" + linear_text(*hot->minimum);
    if (hot->steps_version) out += " version";
    for (const std::string& column : hot->set_time_columns) out += " time:" + column;
    if (hot->param_count > 0) out += " params:" + std::to_string(hot->param_count);
    return out;
}

std::string kind_text(rewrite::Kind kind) {
    switch (kind) {
        case rewrite::Kind::other:
            return "";
        case rewrite::Kind::empty:
            return "empty ";
        case rewrite::Kind::begin:
            return "begin ";
        case rewrite::Kind::commit:
            return "commit ";
        case rewrite::Kind::rollback:
            return "rollback ";
        case rewrite::Kind::savepoint:
            return "savepoint ";
        case rewrite::Kind::rollback_to:
            return "rollback_to ";
        case rewrite::Kind::release_savepoint:
            return "release ";
        case rewrite::Kind::use_schema:
            return "use ";
        case rewrite::Kind::xa:
            return "xa ";
        case rewrite::Kind::opaque:
            return "opaque ";
    }
    return "?";
}

}  // namespace

const rewrite::Rules& rules() {
    static const rewrite::Rules all({
        {"shop", "t_stock", {"sku_id"}, "stock", "version", {"update_time", "modified"}},
        {"shop", "warehouse_stock", {"warehouse_id", "sku_id"}, "qty", std::nullopt, {}},
        {"seata_stock", "stock", {"product_id"}, "stock_num", std::nullopt, {}},
        {"shop", "products", {"id"}, "stock", "lock_version", {"updated_at"}},
        {"shop", "odd`name", {"id"}, "stock", std::nullopt, {}},
    });
    return all;
}

std::string describe(const rewrite::Statement& statement) {
    std::string out = kind_text(statement.kind);
    if (!statement.name.empty()) out += "'" + statement.name + "' ";
    if (statement.chain) out += "chain ";
    if (statement.multi) out += "multi ";
    return out + action_text(statement.action);
}

std::vector<Row> all_rows() {
    std::vector<Row> out;
    for (const auto& rows :
         {deduction_rows(),
          guard_rows(),
          value_rows(),
          update_rows(),
          change_rows(),
          read_rows(),
          control_rows(),
          prepared_rows(),
          multi_rows(),
          dialect_rows()}) {
        out.insert(out.end(), rows.begin(), rows.end());
    }
    return out;
}

}  // namespace rewrite_test
