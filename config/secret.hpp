#pragma once

// A text that must never reach a log, a terminal or an error message: passwords. It has no stream
// operator and no formatter, so that printing one does not compile; whoever really needs the text
// says so with reveal(). It remembers where the text came from, which may be shown. Value type,
// any thread.

#include <string>
#include <string_view>
#include <utility>

namespace config {

class Secret {
public:
    enum class Origin { none, text, file, environment };

    Secret() = default;
    Secret(std::string value, Origin origin, std::string source)
        : value_(std::move(value)), source_(std::move(source)), origin_(origin) {}
    explicit Secret(std::string value) : Secret(std::move(value), Origin::text, {}) {}

    // The text itself. Keep it out of logs, messages and statements that may be logged.
    [[nodiscard]] const std::string& reveal() const { return value_; }
    [[nodiscard]] bool empty() const { return value_.empty(); }
    [[nodiscard]] Origin origin() const { return origin_; }
    // Path of the file or name of the environment variable; empty for the other origins.
    [[nodiscard]] const std::string& source() const { return source_; }
    bool operator==(const Secret&) const = default;

private:
    std::string value_;
    std::string source_;
    Origin origin_ = Origin::none;
};

}  // namespace config
