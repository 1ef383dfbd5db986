#include "proxy/cli/text_table.hpp"

#include <algorithm>

namespace proxy {

TextTable::TextTable(std::vector<std::string> heads) {
    rows_.push_back(std::move(heads));
}

void TextTable::add(std::vector<std::string> cells) {
    cells.resize(rows_.front().size());
    rows_.push_back(std::move(cells));
}

void TextTable::print(std::ostream& out) const {
    std::vector<std::size_t> widths(rows_.front().size());
    for (const auto& row : rows_) {
        for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
    }
    for (const auto& row : rows_) {
        std::string line;
        for (std::size_t i = 0; i < row.size(); ++i) {
            const std::string blanks(widths[i] - row[i].size(), ' ');
            if (i > 0) line += "  ";
            line += i == 0 ? row[i] + blanks : blanks + row[i];
        }
        out << line << '\n';
    }
}

}  // namespace proxy
