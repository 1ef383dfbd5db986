#include "config/reader.hpp"
#include "config/spelling.hpp"
#include "config/text_rule.hpp"
#include "config/yaml_text.hpp"

#include <algorithm>
#include <filesystem>
#include <utility>

// The part of the reader that knows addresses, networks and files, and what is agreed with peers.

namespace config {

std::optional<Address> Reader::one_address(
    const YamlNode& node, const std::string& path, AddressRule rule
) {
    if (node.kind == YamlNode::Kind::sequence) {
        wrong(
            node, path, "expected an address, got a list", "Quote an IPv6 address: \"[::1]:PORT\""
        );
        return std::nullopt;
    }
    if (!expect_scalar(node, path, "an address")) return std::nullopt;
    ParsedAddress parsed = parse_address(node.text);
    if (!parsed.wrong.empty()) {
        wrong(node, path, std::move(parsed.wrong), std::move(parsed.hint));
        return std::nullopt;
    }
    if (parsed.address.is_unix()) {
        if (rule.unix_socket) return parsed.address;
        wrong(node, path, "unix sockets are not supported here", "Write HOST:PORT or [IPV6]:PORT");
        return std::nullopt;
    }
    if (parsed.address.port == 0 && !rule.listens) {
        wrong(node, path, "port 0 cannot be connected to", "Write the server's port");
        return std::nullopt;
    }
    return parsed.address;
}

void Reader::address(const Field& field, Address& value, AddressRule rule) {
    const YamlNode* node = child(field.name);
    const std::string path = path_of(field.name);
    if (node == nullptr) return report_missing(field, path);
    value = one_address(*node, path, rule).value_or(value);
}

void Reader::addresses(const Field& field, std::vector<Address>& value, Range count) {
    constexpr AddressRule listening = {true, true};
    const auto found = elements(field, "addresses", count);
    if (!found) return;
    value.clear();
    for (const Element& element : *found) {
        // A place is kept even for a bad one, so that the indexes stay those of the file.
        value.push_back(one_address(*element.node, element.path, listening).value_or(Address{}));
    }
}

void Reader::path(const Field& field, std::string& value) {
    const YamlNode* node = scalar(field, "a path");
    if (node == nullptr) return;
    TextVerdict verdict = judge_path(node->text);
    if (!verdict.wrong.empty()) {
        wrong(*node, path_of(field.name), std::move(verdict.wrong), std::move(verdict.hint));
        return;
    }
    value.clear();
    if (!node->text.empty()) value = (std::filesystem::path(folder_) / node->text).string();
}

void Reader::networks(const Field& field, std::vector<Network>& value, Range count) {
    const auto found = elements(field, "networks", count);
    if (!found) return;
    value.clear();
    for (const Element& element : *found) {
        if (!expect_scalar(*element.node, element.path, "a network")) continue;
        ParsedNetwork parsed = parse_network(element.node->text);
        if (parsed.wrong.empty()) {
            value.push_back(parsed.network);
        } else {
            wrong(*element.node, element.path, std::move(parsed.wrong), std::move(parsed.hint));
        }
    }
}

void Reader::choices(
    const Field& field, std::vector<std::string>& value, std::span<const std::string_view> names
) {
    const auto found = elements(field, "words", {0, static_cast<std::uint32_t>(names.size())});
    if (!found) return;
    value.clear();
    for (const Element& element : *found) {
        const YamlNode& node = *element.node;
        if (!expect_scalar(node, element.path, "a word")) continue;
        if (std::ranges::find(names, node.text) == names.end()) {
            wrong(
                node,
                element.path,
                shown(node.text) + " is not known here",
                suggestion(node.text, names)
            );
        } else if (std::ranges::find(value, node.text) != value.end()) {
            wrong(node, element.path, shown(node.text) + " is listed already", "Keep one of them");
        } else {
            value.push_back(node.text);
        }
    }
}

}  // namespace config
