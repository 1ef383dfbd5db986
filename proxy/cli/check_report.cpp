#include "proxy/cli/check_report.hpp"

#include "proxy/cli/json_text_writer.hpp"

#include <algorithm>

namespace proxy {
namespace {

const char* label_of(Severity severity) {
    switch (severity) {
        case Severity::fine:
            return "OK";
        case Severity::warning:
            return "WARN";
        case Severity::failure:
            return "FAIL";
    }
    return "FAIL";
}

constexpr std::size_t label_width = 6;

}  // namespace

void CheckReport::add(Severity severity, std::string area, std::string text, std::string hint) {
    if (severity == Severity::failure) ++failures_;
    if (severity == Severity::warning) ++warnings_;
    Line line{severity, std::move(area), std::move(text), std::move(hint)};
    lines_.push_back(std::move(line));
}

std::string CheckReport::verdict() const {
    return failures_ == 0 ? "PASS" : "FAIL";
}

void CheckReport::print(std::ostream& out) const {
    std::size_t width = 0;
    for (const auto& line : lines_) width = std::max(width, line.area.size());
    for (const auto& line : lines_) {
        std::string label = label_of(line.severity);
        label.resize(label_width, ' ');
        out << label << line.area << std::string(width - line.area.size() + 2, ' ') << line.text
            << '\n';
        if (!line.hint.empty()) {
            out << std::string(label_width + width + 2, ' ') << "fix: " << line.hint << '\n';
        }
    }
    out << "check: " << verdict() << ' ' << failures_ << " failures, " << warnings_
        << " warnings\n";
}

std::string CheckReport::json() const {
    JsonText json;
    json.begin_object().key("verdict").value(verdict()).key("lines").begin_array();
    for (const auto& line : lines_) {
        json.begin_object().key("level").value(label_of(line.severity));
        json.key("area").value(line.area).key("text").value(line.text);
        json.key("hint").value(line.hint).end_object();
    }
    return json.end_array().end_object().text();
}

}  // namespace proxy
