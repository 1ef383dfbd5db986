#include "config/reader.hpp"

#include <array>
#include <filesystem>
#include <utility>

// The part of the reader that handles secrets. No message here contains a value from the file: what
// stands in the wrong place may be the password itself.

namespace config {
namespace {

std::string kind_of(const YamlNode& node) {
    return node.kind == YamlNode::Kind::scalar ? "a text" : describe(node);
}

}  // namespace

void Reader::secret(const Field& field, Secret& value) {
    const std::string name(field.name);
    const std::array<std::string, 3> names = {name, name + "_file", name + "_env"};
    const YamlNode* chosen = nullptr;
    std::size_t form = 0;
    for (std::size_t index = 0; index < names.size(); ++index) {
        const YamlNode* node = child(names[index]);
        if (node == nullptr) continue;
        if (chosen != nullptr) {
            const std::string text = "only one of " + names[form] + " and " + names[index];
            wrong(*node, path_of(names[index]), text + " may be given", "Remove the other");
            return;
        }
        chosen = node;
        form = index;
    }
    if (chosen == nullptr) return;
    const std::string path = path_of(names[form]);
    if (chosen->kind != YamlNode::Kind::scalar) {
        const std::string hint = form == 0 ? "Write \"\" for an empty password" : "";
        wrong(*chosen, path, "expected a text, got " + kind_of(*chosen), hint);
        return;
    }
    if (form == 0) {
        value = chosen->text.empty() ? Secret() : Secret(chosen->text);
        return;
    }
    auto read =
        form == 1 ? secret_from_file(*chosen, path) : secret_from_environment(*chosen, path);
    if (read) value = std::move(*read);
}

std::optional<Secret> Reader::secret_from_file(const YamlNode& node, const std::string& path) {
    if (node.text.empty()) {
        wrong(node, path, "names no file");
        return std::nullopt;
    }
    const std::string place = (std::filesystem::path(folder_) / node.text).string();
    SecretSource::File file = secrets_.file(place);
    if (!file.wrong.empty()) {
        wrong(node, path, "the file " + file.wrong, "The process needs to be able to read it");
        return std::nullopt;
    }
    if (file.world_readable) {
        report_.warning_at(
            path, "every user of this machine can read the file", "Take the right away: chmod o-r"
        );
    }
    if (file.content.empty()) report_.warning_at(path, "the file is empty");
    return Secret(std::move(file.content), Secret::Origin::file, place);
}

std::optional<Secret> Reader::secret_from_environment(
    const YamlNode& node, const std::string& path
) {
    std::optional<std::string> content = secrets_.variable(node.text);
    if (!content) {
        wrong(node, path, "the environment variable is not set", "Set it, or use password_file");
        return std::nullopt;
    }
    if (content->empty()) report_.warning_at(path, "the environment variable is empty");
    return Secret(std::move(*content), Secret::Origin::environment, node.text);
}

}  // namespace config
