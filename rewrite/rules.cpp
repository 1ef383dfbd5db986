#include "rewrite/rules.hpp"

#include "rewrite/text.hpp"

#include <algorithm>
#include <utility>

namespace rewrite {

namespace {

std::string lowered_copy(std::string_view text) {
    std::string out(text);
    std::transform(out.begin(), out.end(), out.begin(), lowered);
    return out;
}

constexpr std::size_t longest_step = 255;

}  // namespace

Rules::Rules(std::vector<ManagedTable> tables) : tables_(std::move(tables)) {
    for (const ManagedTable& table : tables_) lowered_names_.push_back(lowered_copy(table.table));
    std::sort(lowered_names_.begin(), lowered_names_.end());
    lowered_names_.erase(
        std::unique(lowered_names_.begin(), lowered_names_.end()), lowered_names_.end()
    );
    std::erase_if(lowered_names_, [](const std::string& name) { return name.empty(); });
    if (lowered_names_.empty()) return;
    window_ = longest_step;
    for (const std::string& name : lowered_names_) {
        longest_name_ = std::max(longest_name_, name.size());
        window_ = std::min(window_, name.size());
    }
    // How far the window may move when its last byte is this one: to the nearest place where
    // some name has that byte.
    std::fill(std::begin(step_), std::end(step_), static_cast<unsigned char>(window_));
    for (const std::string& name : lowered_names_) {
        for (std::size_t i = 0; i < window_; ++i) {
            const auto distance = static_cast<unsigned char>(window_ - 1 - i);
            const auto lower = static_cast<unsigned char>(name[i]);
            step_[lower] = std::min(step_[lower], distance);
            if (lower >= 'a' && lower <= 'z') step_[lower - 'a' + 'A'] = step_[lower];
        }
    }
}

std::optional<std::size_t> Rules::find(std::string_view schema, std::string_view table)
    const noexcept {
    for (std::size_t i = 0; i < tables_.size(); ++i) {
        if (!equal_ignoring_case(tables_[i].table, table)) continue;
        if (schema.empty() || equal_ignoring_case(tables_[i].schema, schema)) return i;
    }
    return std::nullopt;
}

bool Rules::starts_name(std::string_view bytes) const noexcept {
    for (const std::string& name : lowered_names_) {
        if (bytes.size() >= name.size() && equals_lower(bytes.substr(0, name.size()), name)) {
            return true;
        }
    }
    return false;
}

// Horspool's search for several names at once: most bytes are never looked at.
bool Rules::mentioned_in(std::string_view bytes) const noexcept {
    if (window_ == 0) return false;
    std::size_t last = window_ - 1;
    while (last < bytes.size()) {
        const unsigned char step = step_[static_cast<unsigned char>(bytes[last])];
        if (step != 0) {
            last += step;
            continue;
        }
        if (starts_name(bytes.substr(last + 1 - window_))) return true;
        ++last;
    }
    return false;
}

bool MentionScanner::feed(std::string_view piece) {
    if (seen_ || rules_->longest_name() == 0) return seen_;
    const std::size_t keep = rules_->longest_name() - 1;
    if (!tail_.empty()) {
        const std::size_t kept = tail_.size();
        tail_ += piece.substr(0, keep);
        if (rules_->mentioned_in(tail_)) return seen_ = true;
        tail_.resize(kept);
    }
    if (rules_->mentioned_in(piece)) return seen_ = true;
    if (piece.size() >= keep) {
        tail_.assign(piece.substr(piece.size() - keep));
    } else {
        tail_ += piece;
        if (tail_.size() > keep) tail_.erase(0, tail_.size() - keep);
    }
    return false;
}

}  // namespace rewrite
