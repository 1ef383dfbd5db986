#pragma once

// A visitor that turns every single value into its YAML text, for whoever shows or compares
// configurations. Secrets come out as "***" or as the file or variable they were read from. Pure,
// any thread; it changes no field.

#include "config/schema.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace config {

class LeafVisitor : public Visitor {
public:
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

protected:
    // `name` is the field's, or that name with _file or _env; `yaml` is empty for an unset value;
    // `allowed` says in words what the value may be.
    virtual void leaf(
        const Field& field,
        const std::string& name,
        const std::string& yaml,
        const std::string& allowed
    ) = 0;

private:
    void leaf(const Field& field, const std::string& yaml, const std::string& allowed);
};

// Double quoted YAML, with escapes.
[[nodiscard]] std::string quoted(std::string_view text);

}  // namespace config
