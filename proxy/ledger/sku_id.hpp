#pragma once
// The canonical name of a SKU in the ledger and the gate: "TABLE:KEY[,KEY...]", printable ASCII
// only
// ([A-Za-z0-9_.-] and %XX), at most 190 bytes. So it needs no quoting rules in SQL of any sql_mode
// or character set, in a Redis key, or in a log line.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace proxy {

inline constexpr std::size_t sku_id_size_max = 190;

// How a key column compares, from its type and collation; decides which literals name one row.
enum class KeyType : char {
    integer = 'i',
    binary_string = 'b',  // _bin collation or a binary type
    folded_string =
        'f',  // case-insensitive collation: ASCII is folded to lower case, trailing blanks go
};

// `parts`: one text per key column. Integers in any exact decimal form become canonical ("007" ->
// "7"). nullopt: the id would be too long, an integer part is no integer, or a folded string has
// bytes outside ASCII (the server's collation alone could compare those).
[[nodiscard]] std::optional<std::string> make_sku_id(
    std::string_view table, const std::vector<std::string>& parts, const std::vector<KeyType>& types
);
// The key parts of an id (percent-decoded); nullopt if it is none.
[[nodiscard]] std::optional<std::vector<std::string>> key_parts_of(std::string_view sku_id);

// The gate's key of one bucket: "stock:SCHEMA.SKU_ID:BUCKET". No hash tag: buckets spread over
// slots.
[[nodiscard]] std::string gate_key(
    std::string_view schema, std::string_view sku_id, unsigned bucket
);

}  // namespace proxy
