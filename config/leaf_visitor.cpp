#include "config/leaf_visitor.hpp"

#include <array>

namespace config {
namespace {

std::string in_words(Range range) {
    return std::to_string(range.min) + " to " + std::to_string(range.max);
}

std::string list_of(const std::vector<std::string>& items) {
    std::string result = "[";
    for (const std::string& item : items) result += (result.size() > 1 ? ", " : "") + item;
    return result + "]";
}

std::string in_words(std::span<const std::string_view> names) {
    std::string result;
    for (const std::string_view name : names) {
        result += (result.empty() ? "`" : ", `") + std::string(name) + "`";
    }
    return result;
}

std::string in_words(TextRule rule) {
    switch (rule) {
        case TextRule::instance:
            return "1 to 64 letters, digits, `.`, `_`, `-`";
        case TextRule::user:
            return "up to 128 bytes";
        case TextRule::optional_host:
            return "host name or IP address";
        case TextRule::column:
        case TextRule::optional_column:
            break;
    }
    return "column name";
}

}  // namespace

std::string quoted(std::string_view text) {
    constexpr std::string_view digits = "0123456789abcdef";
    std::string result = "\"";
    for (const char byte : text) {
        const auto value = static_cast<unsigned char>(byte);
        if (byte == '"' || byte == '\\') {
            result += '\\';
            result += byte;
        } else if (value < 0x20 || value == 0x7f) {
            result += "\\x";
            result += digits[value >> 4U];
            result += digits[value & 0xfU];
        } else {
            result += byte;
        }
    }
    return result + "\"";
}

void LeafVisitor::leaf(const Field& field, const std::string& yaml, const std::string& allowed) {
    leaf(field, std::string(field.name), yaml, allowed);
}

void LeafVisitor::integer(const Field& field, std::uint32_t& value, Range range) {
    leaf(field, std::to_string(value), in_words(range));
}

void LeafVisitor::integer(const Field& field, std::optional<std::uint32_t>& value, Range range) {
    leaf(field, value ? std::to_string(*value) : std::string(), in_words(range));
}

void LeafVisitor::duration(const Field& field, std::chrono::milliseconds& value, Range range) {
    leaf(field, std::to_string(value.count()), in_words(range));
}

void LeafVisitor::text(const Field& field, std::string& value, TextRule rule) {
    leaf(field, quoted(value), in_words(rule));
}

void LeafVisitor::columns(const Field& field, std::vector<std::string>& value, Range count) {
    std::vector<std::string> items;
    items.reserve(value.size());
    for (const std::string& item : value) items.push_back(quoted(item));
    leaf(field, list_of(items), in_words(count) + " columns");
}

void LeafVisitor::path(const Field& field, std::string& value) {
    leaf(field, quoted(value), "path");
}

void LeafVisitor::networks(const Field& field, std::vector<Network>& value, Range count) {
    std::vector<std::string> items;
    items.reserve(value.size());
    for (const Network& item : value) items.push_back(quoted(to_string(item)));
    leaf(field, list_of(items), in_words(count) + " of `ADDRESS/PREFIX`");
}

void LeafVisitor::address(const Field& field, Address& value, AddressRule rule) {
    const bool given = value.is_unix() || !value.host.empty();
    leaf(
        field,
        given ? quoted(to_string(value)) : std::string(),
        rule.unix_socket ? "`HOST:PORT`, `unix:/PATH`" : "`HOST:PORT`"
    );
}

void LeafVisitor::addresses(const Field& field, std::vector<Address>& value, Range count) {
    std::vector<std::string> items;
    items.reserve(value.size());
    for (const Address& item : value) items.push_back(quoted(to_string(item)));
    leaf(field, list_of(items), in_words(count) + " of `HOST:PORT`, `unix:/PATH`");
}

void LeafVisitor::secret(const Field& field, Secret& value) {
    const std::string name(field.name);
    switch (value.origin()) {
        case Secret::Origin::none:
            return leaf(field, name, "\"\"", {});
        case Secret::Origin::text:
            return leaf(field, name, "\"***\"", {});
        case Secret::Origin::file:
            return leaf(field, name + "_file", quoted(value.source()), {});
        case Secret::Origin::environment:
            return leaf(field, name + "_env", quoted(value.source()), {});
    }
}

void LeafVisitor::choice(
    const Field& field, std::size_t& value, std::span<const std::string_view> names
) {
    leaf(field, std::string(names[value]), in_words(names));
}

void LeafVisitor::choices(
    const Field& field, std::vector<std::string>& value, std::span<const std::string_view> names
) {
    leaf(field, list_of(value), "list of " + in_words(names));
}

void LeafVisitor::table_name(const Field& field, Table& table) {
    const bool named = !table.name.empty();
    leaf(field, named ? quoted(table.schema + "." + table.name) : std::string(), "`SCHEMA.TABLE`");
}

void LeafVisitor::sku_key(const Field& field, std::vector<KeyPart>& value) {
    std::vector<std::string> items;
    items.reserve(value.size());
    for (const KeyPart& part : value) items.push_back(part.quoted ? quoted(part.text) : part.text);
    const std::string yaml = items.size() == 1 ? items.front() : list_of(items);
    leaf(field, items.empty() ? std::string() : yaml, "1 to 255 bytes per column");
}

}  // namespace config
