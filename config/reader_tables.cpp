#include "config/reader.hpp"
#include "config/text_rule.hpp"
#include "config/yaml_text.hpp"

#include <algorithm>
#include <utility>

// The part of the reader that knows tables and their SKUs.

namespace config {
namespace {

constexpr std::size_t key_text_bytes_max = 255;

}  // namespace

void Reader::table_name(const Field& field, Table& table) {
    const YamlNode* node = scalar(field, "SCHEMA.TABLE");
    if (node == nullptr) return;
    TextVerdict verdict = split_table_name(node->text, table.schema, table.name);
    if (verdict.wrong.empty()) return;
    wrong(*node, path_of(field.name), std::move(verdict.wrong), std::move(verdict.hint));
}

void Reader::columns(const Field& field, std::vector<std::string>& value, Range count) {
    const auto found = elements(field, "column names", count);
    if (!found) return;
    value.clear();
    for (const Element& element : *found) {
        const bool fits = expect_scalar(*element.node, element.path, "a column name") &&
                          check_text(*element.node, element.path, TextRule::column);
        // A refused name keeps its place, so that the indexes stay those of the file.
        value.push_back(fits ? element.node->text : std::string());
    }
}

void Reader::tables(const Field& field, std::vector<Table>& value) {
    const auto found = list(field, "tables");
    if (!found) return;
    value.clear();
    for (const Element& element : *found) {
        Table& table = value.emplace_back();
        if (element.node->kind != YamlNode::Kind::map) {
            wrong(
                *element.node,
                element.path,
                "expected a map of keys, got " + describe(*element.node),
                "Begin an entry with \"- table: SCHEMA.TABLE\""
            );
            continue;
        }
        begin(element.node, element.path);
        visit_table(table, *this);
        leave();
    }
}

void Reader::skus(const Field& field, std::vector<Sku>& value) {
    const auto found = list(field, "SKUs");
    if (!found) return;
    value.clear();
    for (const Element& element : *found) {
        Sku& sku = value.emplace_back();
        if (element.node->kind != YamlNode::Kind::map) {
            sku.key = key_parts(*element.node, element.path);
            continue;
        }
        begin(element.node, element.path);
        visit_sku(sku, *this);
        leave();
    }
}

void Reader::sku_key(const Field& field, std::vector<KeyPart>& value) {
    const YamlNode* node = child(field.name);
    const std::string path = path_of(field.name);
    if (node == nullptr) return report_missing(field, path);
    value = key_parts(*node, path);
}

// All parts, or none when one of them is bad.
std::vector<KeyPart> Reader::key_parts(const YamlNode& node, const std::string& path) {
    std::vector<KeyPart> parts;
    if (node.kind != YamlNode::Kind::sequence) {
        if (auto part = key_part(node, path)) parts.push_back(std::move(*part));
        return parts;
    }
    if (node.children.empty()) wrong(node, path, "has no key value");
    for (std::size_t index = 0; index < node.children.size(); ++index) {
        auto part = key_part(node.children[index], path + "[" + std::to_string(index) + "]");
        if (!part) return {};
        parts.push_back(std::move(*part));
    }
    return parts;
}

std::optional<KeyPart> Reader::key_part(const YamlNode& node, const std::string& path) {
    if (node.kind == YamlNode::Kind::null) {
        wrong(node, path, "a key value cannot be null", "Quote it if it is a text");
        return std::nullopt;
    }
    if (!expect_scalar(node, path, "a key value")) return std::nullopt;
    if (node.text.empty() || node.text.size() > key_text_bytes_max) {
        wrong(
            node,
            path,
            "a key value has 1 to 255 bytes, this has " + std::to_string(node.text.size())
        );
        return std::nullopt;
    }
    KeyPart part{node.text, node.quoted || !is_whole_number(node.text)};
    const std::string_view digits = std::string_view(part.text).substr(part.text.starts_with('-'));
    if (!part.quoted && digits.size() > 1 && digits.front() == '0') {
        report_.warning_at(
            path,
            printable(part.text) + " is read as a number that begins with a zero",
            "Quote it if it is a text"
        );
    }
    return part;
}

}  // namespace config
