#include "config/reference.hpp"

#include "config/leaf_visitor.hpp"

#include <utility>

namespace config {
namespace {

class Collector : public LeafVisitor {
public:
    std::vector<ReferenceRow> rows;

    void enter(const Field& field) override { push(path_of(field.name) + "."); }
    void leave() override { prefixes_.pop_back(); }
    void secret(const Field& field, Secret&) override {
        const std::string name(field.name);
        row(field, name, "\"\"", "text");
        Field form = field;
        form.meaning = "The same, read from a file; one newline at its end is dropped.";
        row(form, name + "_file", {}, "path");
        form.meaning = "The same, read from an environment variable.";
        row(form, name + "_env", {}, "name of a variable");
    }
    void tables(const Field& field, std::vector<Table>&) override {
        row(field, std::string(field.name), "[]", "list of maps");
        push(path_of(field.name) + "[].");
        Table table;
        visit_table(table, *this);
        prefixes_.pop_back();
    }
    void skus(const Field& field, std::vector<Sku>&) override {
        row(field, std::string(field.name), "[]", "list");
        push(path_of(field.name) + "[].");
        Sku sku;
        visit_sku(sku, *this);
        prefixes_.pop_back();
    }

protected:
    void leaf(
        const Field& field,
        const std::string& name,
        const std::string& yaml,
        const std::string& allowed
    ) override {
        row(field, name, yaml, allowed);
    }

private:
    void push(std::string prefix) { prefixes_.push_back(std::move(prefix)); }
    [[nodiscard]] std::string path_of(std::string_view name) const {
        return (prefixes_.empty() ? std::string() : prefixes_.back()) + std::string(name);
    }
    void row(const Field& field, const std::string& name, std::string value, std::string allowed) {
        if (field.presence == Presence::required) value = "required";
        rows.push_back(
            {path_of(name),
             std::move(value),
             std::string(field.unit),
             std::move(allowed),
             std::string(field.meaning)}
        );
    }

    std::vector<std::string> prefixes_;
};

std::string cell(const std::string& text) {
    return " " + text + (text.empty() ? "|" : " |");
}

std::string code(const std::string& text) {
    return text.empty() || text == "required" ? text : "`" + text + "`";
}

}  // namespace

std::vector<ReferenceRow> reference() {
    Config defaults;
    Collector collector;
    visit_config(defaults, collector);
    return std::move(collector.rows);
}

std::string reference_markdown() {
    std::string text = "| Key | Default | Unit | Allowed | Meaning |\n";
    text += "|---|---|---|---|---|\n";
    for (const ReferenceRow& row : reference()) {
        text += "|" + cell(code(row.path)) + cell(code(row.default_value)) + cell(row.unit) +
                cell(row.allowed) + cell(row.meaning) + "\n";
    }
    return text;
}

}  // namespace config
