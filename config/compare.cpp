#include "config/leaf_visitor.hpp"
#include "config/loader.hpp"

namespace config {
namespace {

// Every value outside of lists of maps. Holds secrets in clear text: never shown.
class Values : public LeafVisitor {
public:
    struct Value {
        std::string path;
        std::string text;
    };
    explicit Values(const Config& config) {
        Config copy = config;
        visit_config(copy, *this);
    }
    [[nodiscard]] const std::vector<Value>& values() const { return values_; }

    void enter(const Field& field) override { prefixes_.push_back(path_of(field.name) + "."); }
    void leave() override { prefixes_.pop_back(); }
    void secret(const Field& field, Secret& value) override {
        leaf(field, std::string(field.name), value.reveal(), {});
    }
    // Compared as they are: two lists need not have the same keys.
    void tables(const Field&, std::vector<Table>&) override {}
    void skus(const Field&, std::vector<Sku>&) override {}

protected:
    void leaf(const Field&, const std::string& name, const std::string& yaml, const std::string&)
        override {
        values_.push_back({path_of(name), yaml});
    }

private:
    [[nodiscard]] std::string path_of(std::string_view name) const {
        return (prefixes_.empty() ? std::string() : prefixes_.back()) + std::string(name);
    }

    std::vector<std::string> prefixes_;
    std::vector<Value> values_;
};

}  // namespace

std::vector<std::string> changed_keys(const Config& running, const Config& wanted) {
    const Values left(running);
    const Values right(wanted);
    std::vector<std::string> changed;
    // Both come from the same schema, so they have the same keys in the same order.
    for (std::size_t index = 0; index < left.values().size(); ++index) {
        const auto& value = left.values()[index];
        if (value.text != right.values()[index].text) changed.push_back(value.path);
    }
    if (running.tables != wanted.tables) changed.emplace_back("tables");
    return changed;
}

}  // namespace config
