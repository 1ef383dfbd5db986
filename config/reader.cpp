#include "config/reader.hpp"

#include "config/spelling.hpp"
#include "config/text_rule.hpp"
#include "config/yaml_text.hpp"

#include <algorithm>
#include <charconv>
#include <unordered_map>
#include <utility>

namespace config {

std::string describe(const YamlNode& node) {
    switch (node.kind) {
        case YamlNode::Kind::null:
            return "nothing";
        case YamlNode::Kind::sequence:
            return "a list";
        case YamlNode::Kind::map:
            return "a map";
        case YamlNode::Kind::scalar:
            break;
    }
    return node.quoted ? "the text " + shown(node.text) : shown(node.text);
}

void Reader::read(const YamlNode& root, Config& config) {
    begin(&root, {});
    visit_config(config, *this);
    leave();
}

void Reader::begin(const YamlNode* node, std::string path) {
    if (node != nullptr) report_duplicates(*node, path);
    frames_.push_back({node, std::move(path), {}});
}

void Reader::enter(const Field& field) {
    const YamlNode* node = child(field.name);
    const std::string path = path_of(field.name);
    // A section whose keys are all commented out is a section with defaults.
    if (node != nullptr && node->kind == YamlNode::Kind::null) node = nullptr;
    if (node != nullptr && node->kind != YamlNode::Kind::map) {
        wrong(*node, path, "expected a map of keys", "Put its keys on indented lines below it");
        node = nullptr;
    }
    begin(node, path);
}

void Reader::leave() {
    report_unknown();
    frames_.pop_back();
}

void Reader::report_duplicates(const YamlNode& map, const std::string& path) {
    const std::string prefix = path.empty() ? path : path + ".";
    std::unordered_map<std::string_view, int> seen;
    for (const YamlNode& entry : map.children) {
        const auto [first, is_new] = seen.emplace(entry.key, entry.line);
        if (is_new) continue;
        wrong(
            entry,
            prefix + printable(entry.key),
            "is given twice, first at line " + std::to_string(first->second),
            "Keep one of them"
        );
    }
}

void Reader::report_unknown() {
    const Frame& frame = frames_.back();
    if (frame.node == nullptr) return;
    const std::vector<std::string_view> known(frame.known.begin(), frame.known.end());
    for (const YamlNode& entry : frame.node->children) {
        if (std::ranges::find(known, entry.key) != known.end()) continue;
        wrong(entry, path_of(printable(entry.key)), "unknown key", suggestion(entry.key, known));
    }
}

std::string Reader::path_of(std::string_view name) const {
    const std::string& path = frames_.back().path;
    return path.empty() ? std::string(name) : path + "." + std::string(name);
}

const YamlNode* Reader::child(std::string_view name) {
    Frame& frame = frames_.back();
    frame.known.emplace_back(name);
    if (frame.node == nullptr) return nullptr;
    const auto found = std::ranges::find(frame.node->children, name, &YamlNode::key);
    if (found == frame.node->children.end()) return nullptr;
    report_.place(path_of(name), found->line);
    return &*found;
}

void Reader::report_missing(const Field& field, const std::string& path) {
    if (field.presence == Presence::required) {
        report_.problem_at(path, "is required but missing", std::string(field.meaning));
    }
}

const YamlNode* Reader::scalar(const Field& field, std::string_view expected) {
    const YamlNode* node = child(field.name);
    const std::string path = path_of(field.name);
    if (node == nullptr) {
        report_missing(field, path);
        return nullptr;
    }
    return expect_scalar(*node, path, expected) ? node : nullptr;
}

bool Reader::expect_scalar(
    const YamlNode& node, const std::string& path, std::string_view expected
) {
    if (node.kind == YamlNode::Kind::scalar) return true;
    wrong(node, path, "expected " + std::string(expected) + ", got " + describe(node));
    return false;
}

std::optional<std::vector<Reader::Element>> Reader::list(
    const Field& field, std::string_view expected
) {
    const YamlNode* node = child(field.name);
    const std::string path = path_of(field.name);
    std::vector<Element> result;
    if (node == nullptr || node->kind == YamlNode::Kind::null) return result;
    if (node->kind != YamlNode::Kind::sequence) {
        wrong(
            *node, path, "expected a list of " + std::string(expected) + ", got " + describe(*node)
        );
        return std::nullopt;
    }
    for (std::size_t index = 0; index < node->children.size(); ++index) {
        std::string element_path = path + "[" + std::to_string(index) + "]";
        report_.place(element_path, node->children[index].line);
        result.push_back({&node->children[index], std::move(element_path)});
    }
    return result;
}

std::optional<std::vector<Reader::Element>> Reader::elements(
    const Field& field, std::string_view expected, Range count
) {
    const YamlNode* node = child(field.name);
    const std::string path = path_of(field.name);
    if (node == nullptr) {
        report_missing(field, path);
        return std::nullopt;
    }
    std::vector<Element> result;
    if (node->kind != YamlNode::Kind::sequence) {
        result.push_back({node, path});
        return result;
    }
    frames_.back().known.pop_back();  // list() enters it again
    result = list(field, expected).value_or(std::vector<Element>{});
    if (result.size() < count.min || result.size() > count.max) {
        wrong(
            *node,
            path,
            "has " + std::to_string(result.size()) + " entries, allowed are " +
                std::to_string(count.min) + " to " + std::to_string(count.max)
        );
        return std::nullopt;
    }
    return result;
}

void Reader::wrong(const YamlNode& node, std::string path, std::string text, std::string hint) {
    report_.problem(node.line, std::move(path), std::move(text), std::move(hint));
}

std::optional<std::uint32_t> Reader::number(const Field& field, Range range) {
    const std::string unit(field.unit);
    const std::string expected = "a whole number" + (unit.empty() ? "" : " of " + unit);
    const YamlNode* node = scalar(field, expected);
    if (node == nullptr) return std::nullopt;
    const std::string path = path_of(field.name);
    const std::string_view digits =
        std::string_view(node->text).substr(node->text.starts_with('-'));
    if (node->quoted || !is_whole_number(node->text)) {
        wrong(*node, path, "expected " + expected + ", got " + describe(*node));
        return std::nullopt;
    }
    if (digits.size() > 1 && digits.front() == '0') {
        wrong(
            *node, path, shown(node->text) + " begins with a zero", "Write it without, in base ten"
        );
        return std::nullopt;
    }
    std::uint32_t value = 0;
    const char* end = node->text.data() + node->text.size();
    const bool fits = std::from_chars(node->text.data(), end, value).ec == std::errc();
    if (!fits || value < range.min || value > range.max) {
        const std::string text = std::to_string(range.min) + " to " + std::to_string(range.max);
        wrong(
            *node,
            path,
            printable(node->text) + " is out of range",
            "Allowed are " + text + (unit.empty() ? "" : " " + unit)
        );
        return std::nullopt;
    }
    return value;
}

void Reader::integer(const Field& field, std::uint32_t& value, Range range) {
    value = number(field, range).value_or(value);
}

void Reader::integer(const Field& field, std::optional<std::uint32_t>& value, Range range) {
    value = number(field, range);
}

void Reader::duration(const Field& field, std::chrono::milliseconds& value, Range range) {
    if (const auto count = number(field, range)) value = std::chrono::milliseconds(*count);
}

bool Reader::check_text(const YamlNode& node, const std::string& path, TextRule rule) {
    TextVerdict verdict = judge_text(node.text, rule);
    if (verdict.wrong.empty()) return true;
    wrong(node, path, std::move(verdict.wrong), std::move(verdict.hint));
    return false;
}

void Reader::text(const Field& field, std::string& value, TextRule rule) {
    const YamlNode* node = scalar(field, "a text");
    if (node != nullptr && check_text(*node, path_of(field.name), rule)) value = node->text;
}

void Reader::choice(
    const Field& field, std::size_t& value, std::span<const std::string_view> names
) {
    const YamlNode* node = scalar(field, "a word");
    if (node == nullptr) return;
    const auto found = std::ranges::find(names, node->text);
    if (found == names.end()) {
        const std::string path = path_of(field.name);
        wrong(*node, path, shown(node->text) + " is not known here", suggestion(node->text, names));
        return;
    }
    value = static_cast<std::size_t>(found - names.begin());
}

}  // namespace config
