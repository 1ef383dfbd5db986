#pragma once
// The lines of `stockgate check`: what was looked at, how it is, and what to do about it. Ends in a
// verdict. Pure apart from printing.

#include "proxy/cli/table_hazards.hpp"

#include <iostream>
#include <string>
#include <vector>

namespace proxy {

class CheckReport {
public:
    // `area`: "backend", "shop.t_stock". Lines without a hint are facts.
    void add(Severity severity, std::string area, std::string text, std::string hint = {});

    [[nodiscard]] unsigned failures() const noexcept { return failures_; }
    void print(std::ostream& out) const;
    [[nodiscard]] std::string json() const;

private:
    struct Line {
        Severity severity = Severity::fine;
        std::string area;
        std::string text;
        std::string hint;
    };
    [[nodiscard]] std::string verdict() const;
    std::vector<Line> lines_;
    unsigned failures_ = 0;
    unsigned warnings_ = 0;
};

}  // namespace proxy
