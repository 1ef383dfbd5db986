#include "config/yaml_node.hpp"
#include "config/yaml_text.hpp"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <sstream>
#include <utility>

namespace config {
namespace {

constexpr int exact_null_items_max = 100;

// Ends the parse from inside a callback; the problem has been noted. Never leaves this file.
struct Stop {};

class TreeBuilder : public YAML::EventHandler {
public:
    TreeBuilder(Document& document, std::string_view text, const std::string& name)
        : document_(document), text_(text), name_(name) {}

    void OnDocumentStart(const YAML::Mark& mark) override {
        if (started_) stop(mark, "only one YAML document is allowed", "Remove the line \"---\"");
        started_ = true;
    }
    void OnDocumentEnd() override {}
    void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
        refuse_anchor(mark, anchor);
        const bool item = !open_.empty() && open_.back().node->kind == YamlNode::Kind::sequence;
        YAML::Mark place = mark;
        // Finding the line costs a pass over the text, so it is done for the first few only.
        if (item && ++null_items_ <= exact_null_items_max)
            place.line = line_of_null_item(text_, mark.line, mark.column);
        add(place, YamlNode{});
    }
    void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
        problem(mark, "an alias is not allowed", "Write the value out");
        add(mark, YamlNode{});
    }
    void OnScalar(
        const YAML::Mark& mark,
        const std::string& tag,
        YAML::anchor_t anchor,
        const std::string& value
    ) override {
        refuse_anchor(mark, anchor);
        refuse_tag(mark, tag);
        last_scalar_ = mark;
        // yaml-cpp gives one byte for the escapes \_ and \N instead of a character.
        if (!is_utf8(value)) {
            problem(mark, "an escape stands for no text", "Write the character itself");
        }
        if (expects_key()) {
            open_.back().key = value;
            open_.back().key_line = mark.line + 1;
            open_.back().has_key = true;
            return;
        }
        YamlNode node;
        node.kind = YamlNode::Kind::scalar;
        node.text = value;
        node.quoted = tag == "!";
        add(mark, std::move(node));
    }
    void OnSequenceStart(
        const YAML::Mark& mark,
        const std::string& tag,
        YAML::anchor_t anchor,
        YAML::EmitterStyle::value
    ) override {
        open(mark, tag, anchor, YamlNode::Kind::sequence);
    }
    void OnSequenceEnd() override { open_.pop_back(); }
    void OnMapStart(
        const YAML::Mark& mark,
        const std::string& tag,
        YAML::anchor_t anchor,
        YAML::EmitterStyle::value
    ) override {
        open(mark, tag, anchor, YamlNode::Kind::map);
    }
    void OnMapEnd() override { open_.pop_back(); }

    [[nodiscard]] const YAML::Mark& last_scalar() const { return last_scalar_; }

private:
    struct Open {
        YamlNode* node;  // stays put: its parent gets no further child while this one is open
        std::string key;
        int key_line = 0;
        bool has_key = false;
    };

    [[nodiscard]] bool expects_key() const {
        return !open_.empty() && open_.back().node->kind == YamlNode::Kind::map &&
               !open_.back().has_key;
    }
    void problem(const YAML::Mark& mark, std::string text, std::string hint) {
        document_.problems.push_back({name_, mark.line + 1, {}, std::move(text), std::move(hint)});
    }
    [[noreturn]] void stop(const YAML::Mark& mark, std::string text, std::string hint) {
        problem(mark, std::move(text), std::move(hint));
        throw Stop{};
    }
    void refuse_anchor(const YAML::Mark& mark, YAML::anchor_t anchor) {
        if (anchor != YAML::NullAnchor) {
            problem(mark, "an anchor is not allowed", "Write the value out at each place");
        }
    }
    void refuse_tag(const YAML::Mark& mark, const std::string& tag) {
        // "?" and "!" are what the parser itself gives to plain and to quoted values.
        if (!tag.empty() && tag != "?" && tag != "!") {
            problem(mark, "a tag is not allowed", "Remove it, or quote a value that begins with !");
        }
    }
    YamlNode& add(const YAML::Mark& mark, YamlNode node) {
        if (expects_key()) stop(mark, "a key must be plain text", "");
        node.line = mark.line + 1;
        if (open_.empty()) {
            document_.root = std::move(node);
            return document_.root;
        }
        Open& parent = open_.back();
        if (parent.has_key) {
            node.key = std::exchange(parent.key, {});
            node.line = parent.key_line;
            parent.has_key = false;
        }
        return parent.node->children.emplace_back(std::move(node));
    }
    void open(
        const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor, YamlNode::Kind kind
    ) {
        refuse_anchor(mark, anchor);
        refuse_tag(mark, tag);
        if (std::cmp_greater_equal(open_.size(), nesting_max)) {
            stop(mark, "nested deeper than " + std::to_string(nesting_max) + " levels", "");
        }
        YamlNode node;
        node.kind = kind;
        YamlNode& placed = add(mark, std::move(node));
        open_.push_back(Open{&placed, {}, 0, false});
    }

    Document& document_;
    std::string_view text_;
    const std::string& name_;
    std::vector<Open> open_;
    YAML::Mark last_scalar_ = YAML::Mark::null_mark();
    bool started_ = false;
    int null_items_ = 0;
};

// yaml-cpp may quote a part of the text after a colon, and that part may be a secret.
std::string without_quotation(const std::string& message) {
    return message.substr(0, message.find(':'));
}

bool note_open_quote(
    std::string_view text, const std::string& name, const YAML::Mark& mark, Document& document
) {
    if (mark.is_null() || !quote_is_open(text, mark.line, mark.column)) return false;
    document.problems.push_back(
        {name, mark.line + 1, {}, "the quote that begins here is never closed", {}}
    );
    return true;
}

void read_document(std::string_view text, const std::string& name, Document& document) {
    TreeBuilder builder(document, text, name);
    try {
        std::istringstream input{std::string(text)};
        YAML::Parser parser(input);
        document.empty = !parser.HandleNextDocument(builder);
        while (parser.HandleNextDocument(builder)) {
        }
        // yaml-cpp takes the end of the file for the closing quote.
        document.complete = !note_open_quote(text, name, builder.last_scalar(), document);
    } catch (const Stop&) {
        // The problem is in the document already.
    } catch (const YAML::Exception& error) {
        if (note_open_quote(text, name, builder.last_scalar(), document)) return;
        const int line = std::max(error.mark.line, 0) + 1;
        document.problems.push_back(
            {name, line, {}, "YAML syntax: " + without_quotation(error.msg), {}}
        );
    }
}

}  // namespace

Document parse_yaml(std::string_view text, const std::string& name) {
    Document document;
    if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
    const TextFault fault = find_text_fault(text);
    if (!fault.wrong.empty()) {
        document.problems.push_back({name, fault.line, {}, fault.wrong, fault.hint});
        return document;
    }
    read_document(text, name, document);
    return document;
}

}  // namespace config
