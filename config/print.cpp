#include "config/leaf_visitor.hpp"
#include "config/loader.hpp"

namespace config {
namespace {

class Printer : public LeafVisitor {
public:
    [[nodiscard]] std::string take() { return std::move(text_); }

    void enter(const Field& field) override {
        line(field.name, {});
        depth_ += 1;
    }
    void leave() override { depth_ -= 1; }
    void tables(const Field& field, std::vector<Table>& value) override {
        if (value.empty()) return line(field.name, "[]");
        line(field.name, {});
        for (Table& table : value) {
            begin_element();
            visit_table(table, *this);
            end_element();
        }
    }
    void skus(const Field& field, std::vector<Sku>& value) override {
        if (value.empty()) return line(field.name, "[]");
        line(field.name, {});
        for (Sku& sku : value) {
            begin_element();
            visit_sku(sku, *this);
            end_element();
        }
    }

protected:
    void leaf(const Field&, const std::string& name, const std::string& yaml, const std::string&)
        override {
        if (!yaml.empty()) line(name, yaml);
    }

private:
    static constexpr std::size_t indent = 2;

    void begin_element() {
        depth_ += 2;
        dash_ = true;
    }
    void end_element() { depth_ -= 2; }
    void line(std::string_view name, std::string_view value) {
        std::string margin(depth_ * indent, ' ');
        if (dash_) margin.replace(margin.size() - indent, indent, "- ");
        dash_ = false;
        text_ += margin;
        text_ += name;
        text_ += ':';
        if (!value.empty()) text_ += ' ';
        text_ += value;
        text_ += '\n';
    }

    std::string text_;
    std::size_t depth_ = 0;
    bool dash_ = false;  // the next line begins an element of a list
};

}  // namespace

std::string print(const Config& config) {
    Config copy = config;  // a visitor may change what it sees; this one does not
    Printer printer;
    visit_config(copy, printer);
    return printer.take();
}

}  // namespace config
