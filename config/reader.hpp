#pragma once

// Fills a Config from a parsed YAML tree, guided by the schema. Each value that does not fit is
// reported and leaves the default in place, so one run finds everything. Owned by one load call on
// one thread. Checks that need more than one key are in validate.hpp.

#include "config/loader.hpp"
#include "config/report.hpp"
#include "config/schema.hpp"
#include "config/yaml_node.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace config {

class Reader : public Visitor {
public:
    // All three outlive the reader. Relative paths are looked up in `folder`.
    Reader(Report& report, const SecretSource& secrets, std::string folder)
        : report_(report), secrets_(secrets), folder_(std::move(folder)) {}

    void read(const YamlNode& root, Config& config);

    void enter(const Field& field) override;
    void leave() override;
    void integer(const Field& field, std::uint32_t& value, Range range) override;
    void integer(const Field& field, std::optional<std::uint32_t>& value, Range range) override;
    void duration(const Field& field, std::chrono::milliseconds& value, Range range) override;
    void text(const Field& field, std::string& value, TextRule rule) override;
    void columns(const Field& field, std::vector<std::string>& value, Range count) override;
    void path(const Field& field, std::string& value) override;
    void networks(const Field& field, std::vector<Network>& value, Range count) override;
    void address(const Field& field, Address& value, AddressRule rule) override;
    void addresses(const Field& field, std::vector<Address>& value, Range count) override;
    void secret(const Field& field, Secret& value) override;
    void choice(const Field& field, std::size_t& value, std::span<const std::string_view> names)
        override;
    void choices(
        const Field& field, std::vector<std::string>& value, std::span<const std::string_view> names
    ) override;
    void table_name(const Field& field, Table& table) override;
    void sku_key(const Field& field, std::vector<KeyPart>& value) override;
    void tables(const Field& field, std::vector<Table>& value) override;
    void skus(const Field& field, std::vector<Sku>& value) override;

private:
    // The mapping whose keys are being asked for.
    struct Frame {
        const YamlNode* node;  // null: the mapping is not in the file, everything keeps its default
        std::string path;
        std::vector<std::string> known;  // keys that the schema asked for
    };
    // One element of a key that takes one value or a list of them.
    struct Element {
        const YamlNode* node;
        std::string path;
    };

    void begin(const YamlNode* node, std::string path);
    void report_duplicates(const YamlNode& map, const std::string& path);
    void report_unknown();
    [[nodiscard]] std::string path_of(std::string_view name) const;
    // Marks the name as known. Null when it is not in the file.
    [[nodiscard]] const YamlNode* child(std::string_view name);
    // Null when it is absent (reported if required) or not a scalar (reported).
    [[nodiscard]] const YamlNode* scalar(const Field& field, std::string_view expected);
    [[nodiscard]] bool expect_scalar(
        const YamlNode& node, const std::string& path, std::string_view expected
    );
    [[nodiscard]] std::optional<std::vector<Element>> elements(
        const Field& field, std::string_view expected, Range count
    );
    [[nodiscard]] std::optional<std::vector<Element>> list(
        const Field& field, std::string_view expected
    );
    void report_missing(const Field& field, const std::string& path);
    void wrong(const YamlNode& node, std::string path, std::string text, std::string hint = {});
    [[nodiscard]] std::optional<std::uint32_t> number(const Field& field, Range range);
    [[nodiscard]] std::optional<Address> one_address(
        const YamlNode& node, const std::string& path, AddressRule rule
    );
    [[nodiscard]] bool check_text(const YamlNode& node, const std::string& path, TextRule rule);
    [[nodiscard]] std::optional<Secret> secret_from_file(
        const YamlNode& node, const std::string& path
    );
    [[nodiscard]] std::optional<Secret> secret_from_environment(
        const YamlNode& node, const std::string& path
    );
    [[nodiscard]] std::vector<KeyPart> key_parts(const YamlNode& node, const std::string& path);
    [[nodiscard]] std::optional<KeyPart> key_part(const YamlNode& node, const std::string& path);

    Report& report_;
    const SecretSource& secrets_;
    std::string folder_;
    std::vector<Frame> frames_;
};

// For messages: "a list", "a map", "nothing" or the scalar's text.
[[nodiscard]] std::string describe(const YamlNode& node);

}  // namespace config
