#include "config/loader.hpp"

#include "config/reader.hpp"
#include "config/regular_file.hpp"
#include "config/report.hpp"
#include "config/validate.hpp"
#include "config/yaml_node.hpp"

#include <cstdlib>
#include <filesystem>
#include <utility>

namespace config {
namespace {

constexpr std::size_t file_bytes_max = 1'048'576;
constexpr std::size_t secret_bytes_max = 4096;

void drop_newline(std::string& text) {
    if (!text.ends_with('\n')) return;
    text.pop_back();
    if (text.ends_with('\r')) text.pop_back();
}

class SystemSecrets : public SecretSource {
public:
    [[nodiscard]] std::optional<std::string> variable(const std::string& name) const override {
        const char* value = std::getenv(name.c_str());
        if (value == nullptr) return std::nullopt;
        return std::string(value);
    }
    [[nodiscard]] File file(const std::string& path) const override {
        FileContent content = read_regular_file(path, secret_bytes_max);
        drop_newline(content.bytes);
        return {std::move(content.bytes), std::move(content.wrong), content.world_readable};
    }
};

LoadResult finish(std::optional<Config> config, Report& report) {
    LoadResult result;
    if (report.clean()) result.config = std::move(config);
    result.problems = report.take_problems();
    result.warnings = report.take_warnings();
    return result;
}

}  // namespace

const SecretSource& system_secrets() {
    static const SystemSecrets secrets;
    return secrets;
}

LoadResult load_file(const std::string& path) {
    const FileContent content = read_regular_file(path, file_bytes_max);
    if (!content.wrong.empty()) {
        LoadResult result;
        result.problems.push_back({path, 0, {}, content.wrong, {}});
        return result;
    }
    return load_text(content.bytes, path);
}

LoadResult load_text(std::string_view text, const std::string& name, const SecretSource& secrets) {
    Report report(name);
    if (text.size() > file_bytes_max) {
        const std::string limit = std::to_string(file_bytes_max);
        report.problem(0, {}, "is larger than " + limit + " bytes");
        return finish(std::nullopt, report);
    }
    Document document = parse_yaml(text, name);
    const bool complete = document.complete;
    for (Problem& problem : document.problems) report.add(std::move(problem));
    if (!complete) return finish(std::nullopt, report);
    if (document.empty || document.root.kind == YamlNode::Kind::null) {
        report.problem(1, {}, "the file is empty", "Begin with backend: { address: HOST:PORT }");
        return finish(std::nullopt, report);
    }
    if (document.root.kind != YamlNode::Kind::map) {
        report.problem(document.root.line, {}, "expected a map of keys, such as backend: ...");
        return finish(std::nullopt, report);
    }
    std::optional<Config> config(std::in_place);
    Reader reader(report, secrets, std::filesystem::path(name).parent_path().string());
    reader.read(document.root, *config);
    validate(*config, report);
    return finish(std::move(config), report);
}

}  // namespace config
