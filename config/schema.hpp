#pragma once

// The one declaration of every configuration key: name, unit, range and a sentence; the
// default is the struct's. Reading, printing, comparing and the reference table are visitors of
// this declaration, so none of them can miss a key. Pure, any thread. A visitor may change the
// fields it is shown.

#include "config/config.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace config {

enum class Presence { optional, required };

struct Field {
    std::string_view name;     // YAML key
    std::string_view unit;     // "ms", "bytes", "buckets"; empty: none
    std::string_view meaning;  // one sentence for the reference
    Presence presence = Presence::optional;
};

struct Range {
    std::uint32_t min = 0;
    std::uint32_t max = 0;
};

// What a text may be.
enum class TextRule { instance, user, column, optional_column, optional_host };

// What an address is for.
struct AddressRule {
    bool listens = false;      // port 0 makes sense: any free port
    bool unix_socket = false;  // it may be one
};

class Visitor {
public:
    Visitor() = default;
    Visitor(const Visitor&) = delete;
    Visitor& operator=(const Visitor&) = delete;
    virtual ~Visitor() = default;

    // A mapping begins and ends.
    virtual void enter(const Field& field) = 0;
    virtual void leave() = 0;

    virtual void integer(const Field& field, std::uint32_t& value, Range range) = 0;
    virtual void integer(const Field& field, std::optional<std::uint32_t>& value, Range range) = 0;
    virtual void duration(const Field& field, std::chrono::milliseconds& value, Range range) = 0;
    virtual void text(const Field& field, std::string& value, TextRule rule) = 0;
    virtual void columns(const Field& field, std::vector<std::string>& value, Range count) = 0;
    // Of a file; one that is not absolute is meant beside the configuration file.
    virtual void path(const Field& field, std::string& value) = 0;
    virtual void networks(const Field& field, std::vector<Network>& value, Range count) = 0;
    virtual void address(const Field& field, Address& value, AddressRule rule) = 0;
    virtual void addresses(const Field& field, std::vector<Address>& value, Range count) = 0;
    virtual void secret(const Field& field, Secret& value) = 0;
    virtual void choice(
        const Field& field, std::size_t& value, std::span<const std::string_view> names
    ) = 0;
    // Any of the names, each at most once.
    virtual void choices(
        const Field& field, std::vector<std::string>& value, std::span<const std::string_view> names
    ) = 0;
    virtual void table_name(const Field& field, Table& table) = 0;
    virtual void sku_key(const Field& field, std::vector<KeyPart>& value) = 0;
    // Each calls visit_table or visit_sku for its elements.
    virtual void tables(const Field& field, std::vector<Table>& value) = 0;
    virtual void skus(const Field& field, std::vector<Sku>& value) = 0;
};

void visit_config(Config& config, Visitor& visitor);
void visit_table(Table& table, Visitor& visitor);
void visit_sku(Sku& sku, Visitor& visitor);

}  // namespace config
