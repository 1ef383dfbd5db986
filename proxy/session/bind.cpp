#include "proxy/session/bind.hpp"

#include <charconv>
#include <cmath>

namespace proxy {
namespace {

using protocol::ParamValue;
using Number = std::variant<std::int64_t, BindProblem>;

// A decimal text that is exactly a whole number: "2", "-2", "2.00". Blanks around it are what the
// server itself skips.
Number whole_number(std::string_view text) {
    while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
    while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
    if (const auto dot = text.find('.'); dot != std::string_view::npos) {
        if (text.find_first_not_of('0', dot + 1) != std::string_view::npos) {
            return BindProblem::not_integer;
        }
        text = text.substr(0, dot);
    }
    if (!text.empty() && text.front() == '+') {
        text.remove_prefix(1);
        if (!text.empty() && text.front() == '-') return BindProblem::not_integer;
    }
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error == std::errc::result_out_of_range) return BindProblem::out_of_range;
    if (error != std::errc{} || end != text.data() + text.size()) return BindProblem::not_integer;
    return value;
}

Number number_of(const ParamValue& value) {
    switch (value.kind) {
        case ParamValue::Kind::signed_integer:
            return value.integer;
        case ParamValue::Kind::unsigned_integer:
            if (value.integer < 0) return BindProblem::out_of_range;
            return value.integer;
        case ParamValue::Kind::text:
            return whole_number(value.text);
        case ParamValue::Kind::real:
            // Beyond 2^53 a double no longer tells neighbouring whole numbers apart.
            if (std::trunc(value.real) != value.real) return BindProblem::not_integer;
            if (std::fabs(value.real) > 9007199254740992.0) return BindProblem::out_of_range;
            return static_cast<std::int64_t>(value.real);
        case ParamValue::Kind::null:
            return BindProblem::null_amount;
        case ParamValue::Kind::other:
            break;
    }
    return BindProblem::not_integer;
}

Number evaluate(const rewrite::Linear& linear, const std::vector<ParamValue>& params) {
    if (linear.has_null) return BindProblem::null_amount;
    std::int64_t sum = linear.constant;
    for (const auto& term : linear.terms) {
        if (term.param >= params.size()) return BindProblem::not_integer;
        const Number value = number_of(params[term.param]);
        if (const auto* problem = std::get_if<BindProblem>(&value)) return *problem;
        std::int64_t product = 0;
        if (__builtin_mul_overflow(std::get<std::int64_t>(value), term.factor, &product) ||
            __builtin_add_overflow(sum, product, &sum)) {
            return BindProblem::out_of_range;
        }
    }
    return sum;
}

// The text of one key value, or why it has none.
std::variant<std::string, BindProblem> key_text(
    const rewrite::KeyValue& value, const std::vector<ParamValue>& params, KeyType type
) {
    const bool wants_integer = type == KeyType::integer;
    if (value.kind == rewrite::KeyValue::Kind::integer) {
        // A number against a string column compares as floating point and may match many rows.
        if (!wants_integer) return BindProblem::unclear_key;
        return value.text;
    }
    if (value.kind == rewrite::KeyValue::Kind::string) {
        if (!wants_integer) return value.text;
        const Number number = whole_number(value.text);
        if (std::holds_alternative<BindProblem>(number)) return BindProblem::unclear_key;
        return std::to_string(std::get<std::int64_t>(number));
    }
    if (value.param >= params.size()) return BindProblem::unclear_key;
    const ParamValue& param = params[value.param];
    if (param.kind == ParamValue::Kind::null) return BindProblem::null_key;
    if (!wants_integer) {
        if (param.kind != ParamValue::Kind::text) return BindProblem::unclear_key;
        return std::string{param.text};
    }
    if (param.kind == ParamValue::Kind::unsigned_integer) {
        return std::to_string(static_cast<std::uint64_t>(param.integer));
    }
    const Number number = number_of(param);
    if (std::holds_alternative<BindProblem>(number)) return BindProblem::unclear_key;
    return std::to_string(std::get<std::int64_t>(number));
}

}  // namespace

std::variant<BoundUpdate, BindProblem> bind_amounts(
    const rewrite::HotUpdate& update, const std::vector<ParamValue>& params
) {
    BoundUpdate bound;
    if (update.minimum) {
        const Number minimum = evaluate(*update.minimum, params);
        if (const auto* problem = std::get_if<BindProblem>(&minimum)) {
            return *problem == BindProblem::null_amount ? BindProblem::null_guard : *problem;
        }
        bound.minimum = std::get<std::int64_t>(minimum);
    }
    const Number delta = evaluate(update.delta, params);
    if (const auto* problem = std::get_if<BindProblem>(&delta)) return *problem;
    bound.delta = std::get<std::int64_t>(delta);
    if (bound.delta == INT64_MIN) return BindProblem::out_of_range;
    return bound;
}

std::variant<std::string, BindProblem> bind_key(
    const std::vector<rewrite::KeyValue>& key,
    const std::vector<ParamValue>& params,
    const TableInfo& table
) {
    if (key.size() != table.key_types.size()) return BindProblem::unclear_key;
    std::vector<std::string> parts;
    parts.reserve(key.size());
    for (std::size_t i = 0; i < key.size(); ++i) {
        auto text = key_text(key[i], params, table.key_types[i]);
        if (const auto* problem = std::get_if<BindProblem>(&text)) return *problem;
        parts.push_back(std::move(std::get<std::string>(text)));
    }
    auto sku_id = make_sku_id(table.table, parts, table.key_types);
    if (!sku_id) return BindProblem::unclear_key;
    return std::move(*sku_id);
}

}  // namespace proxy
