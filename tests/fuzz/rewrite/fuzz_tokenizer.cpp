// Any bytes: the tokens join back to the text, are not empty, and end.

#include "fuzz_dialect.hpp"
#include "rewrite/text.hpp"
#include "rewrite/tokenizer.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    const rewrite::Dialect dialect = dialect_of(data[0]);
    const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
    rewrite::Tokenizer tokenizer(text, dialect);
    std::size_t at = 0;
    for (auto token = tokenizer.next(); token.kind != rewrite::TokenKind::end;
         token = tokenizer.next()) {
        const bool is_end_of_comment = at == size - 1 && token.kind == rewrite::TokenKind::broken;
        if (token.text.empty()) {
            if (!is_end_of_comment) std::abort();
            continue;
        }
        if (token.text.data() != text.data() + at) std::abort();
        at += token.text.size();
        if (token.kind == rewrite::TokenKind::string) {
            if (rewrite::string_of(token, dialect).size() > token.text.size()) std::abort();
        }
        if (token.kind == rewrite::TokenKind::quoted_name) {
            if (rewrite::name_of(token).size() > token.text.size()) std::abort();
        }
    }
    if (at != text.size()) std::abort();
    return 0;
}
