// Any bytes: the answer is well formed, and a text that does not mention a managed table is
// never said to touch one, except where its text cannot be seen (PREPARE ... FROM @v).

#include "fuzz_dialect.hpp"
#include "rewrite/recogniser.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

namespace {

void require(bool condition) {
    if (!condition) std::abort();
}

const rewrite::Rules& rules() {
    static const rewrite::Rules all({
        {"s", "t", {"k"}, "n", "v", {"u"}},
        {"s", "two", {"a", "b"}, "n", std::nullopt, {}},
    });
    return all;
}

void check_key(const std::vector<rewrite::KeyValue>& key, std::size_t table) {
    require(key.size() == rules().tables()[table].key_columns.size());
    for (const rewrite::KeyValue& value : key) {
        const bool is_integer = value.kind == rewrite::KeyValue::Kind::integer;
        require(!is_integer || !value.text.empty());
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    const rewrite::Dialect dialect = dialect_of(data[0]);
    const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
    const rewrite::Statement statement = rewrite::analyse(text, rules(), dialect, "s");
    if (const auto* hot = std::get_if<rewrite::HotUpdate>(&statement.action)) {
        require(rules().mentioned_in(text));
        require(!statement.multi && statement.kind == rewrite::Kind::other);
        check_key(hot->key, hot->table);
        for (const auto& term : hot->delta.terms) require(term.param < hot->param_count);
        if (hot->minimum) {
            for (const auto& term : hot->minimum->terms) require(term.param < hot->param_count);
        }
    }
    if (const auto* touches = std::get_if<rewrite::Touches>(&statement.action)) {
        require(touches->table < rules().tables().size() && !touches->reason.empty());
        if (touches->keys) {
            for (const auto& key : *touches->keys) check_key(key, touches->table);
        }
    }
    const bool is_named = statement.kind == rewrite::Kind::savepoint ||
                          statement.kind == rewrite::Kind::rollback_to ||
                          statement.kind == rewrite::Kind::release_savepoint ||
                          statement.kind == rewrite::Kind::use_schema;
    require(statement.name.empty() || is_named);
    require(!statement.multi || statement.kind == rewrite::Kind::opaque);
    return 0;
}
