#include "unit/config/problem_case.hpp"

namespace config::test {
namespace {

TEST(problems_tables, names_and_columns) {
    check_problems({
        {with_ledger + "  - a.t\n",
         "f:4: tables[0]: expected a map of keys, got 'a.t'. Begin an entry with \"- table: "
         "SCHEMA.TABLE\".\n"},
        {with_ledger + "  - table: t\n"
                       "    key: k\n"
                       "    stock: s\n",
         "f:4: tables[0].table: 't' has no schema. Write SCHEMA.TABLE.\n"},
        {with_ledger + "  - table: a.b.c\n"
                       "    key: k\n"
                       "    stock: s\n",
         "f:4: tables[0].table: 'a.b.c' is not a table name. Write SCHEMA.TABLE, without "
         "quotes.\n"},
        {with_ledger + "  - table: \"`a`.t\"\n"
                       "    key: k\n"
                       "    stock: s\n",
         "f:4: tables[0].table: '`a`.t' is not a table name. Write SCHEMA.TABLE, without "
         "quotes.\n"},
        {with_ledger + "  - key: k\n",
         "f:4: tables[0].table: is required but missing. The managed table as SCHEMA.TABLE.\n"
         "f:4: tables[0].stock: is required but missing. Column that holds the stock.\n"},
        {with_ledger + "  -\n",
         "f:4: tables[0]: expected a map of keys, got nothing. Begin an entry with \"- table: "
         "SCHEMA.TABLE\".\n"},
        {with_ledger + "  - table: a.t\n"
                       "    key: [k, k]\n"
                       "    stock: s\n",
         "f:5: tables[0].key[1]: 'k' is the key column already. One column has one role.\n"},
        {with_ledger + "  - table: a.t\n"
                       "    key: k\n"
                       "    stock: K\n",
         "f:6: tables[0].stock: 'K' is the key column already. One column has one role.\n"},
        {with_table + "    version: s\n"
                      "    time: [k, u]\n",
         "f:7: tables[0].version: 's' is the stock column already. One column has one role.\n"
         "f:8: tables[0].time[0]: 'k' is the key column already. One column has one role.\n"},
        {with_ledger + "  - table: a.t\n"
                       "    key: []\n"
                       "    stock: s\n",
         "f:5: tables[0].key: has 0 entries, allowed are 1 to 8.\n"},
        {with_ledger + "  - table: a.t\n"
                       "    key: [a, [b]]\n"
                       "    stock: \"s`\"\n",
         "f:5: tables[0].key[1]: expected a column name, got a list.\n"
         "f:6: tables[0].stock: 's`' is not a column name. Write the bare name, without quotes or "
         "dots.\n"},
    });
}

TEST(problems_tables, settings_and_duplicates) {
    check_problems({
        {with_table + "    buckets: 0\n",
         "f:7: tables[0].buckets: 0 is out of range. Allowed are 1 to 1024 buckets.\n"},
        {with_table + "    buckets: 1025\n",
         "f:7: tables[0].buckets: 1025 is out of range. Allowed are 1 to 1024 buckets.\n"},
        {with_table + "    unguarded: zero\n",
         "f:7: tables[0].unguarded: 'zero' is not known here. Did you mean 'zero_rows'?\n"},
        {with_table + "    version: [v]\n",
         "f:7: tables[0].version: expected a text, got a list.\n"},
        {with_table + "    skus: 5\n", "f:7: tables[0].skus: expected a list of SKUs, got '5'.\n"},
        {with_table + "  - table: a.t\n"
                      "    key: k\n"
                      "    stock: s\n",
         "f:7: tables[1].table: 'a.t' is listed already, at line 4. Merge the two entries.\n"},
        {with_table + "  - table: a.T\n"
                      "    key: k\n"
                      "    stock: s\n",
         "",
         "f:7: tables[1].table: 'a.T' differs only in case from the table at line 4. On many "
         "servers that is the same table.\n"},
        {minimal + "tables:\n"
                   "  - table: a.t\n"
                   "    key: k\n"
                   "    stock: s\n",
         "f:2: ledger.user: is required when there are tables. Name the database account of the "
         "proxy itself.\n"},
    });
}

TEST(problems_tables, skus) {
    check_problems({
        {with_table + "    skus: [7, 8, 7]\n",
         "f:7: tables[0].skus[2]: SKU 7 is listed already, at line 7. Keep one of them.\n"},
        {with_table + "    skus:\n"
                      "      - 7\n"
                      "      - \"7\"\n",
         "f:9: tables[0].skus[1]: SKU 7 is listed already, at line 8. Keep one of them.\n"},
        {with_table + "    skus:\n"
                      "      - 7\n"
                      "      - { key: \"7\" }\n",
         "f:9: tables[0].skus[1].key: SKU 7 is listed already, at line 8. Keep one of them.\n"},
        {with_table + "    skus: [7, 007]\n",
         "f:7: tables[0].skus[1]: SKU 007 is listed already, at line 7. Keep one of them.\n",
         "f:7: tables[0].skus[1]: 007 is read as a number that begins with a zero. Quote it if it "
         "is a text.\n"},
        {with_table + "    skus: [\"7\", \"007\"]\n", ""},
        {with_table + "    skus: [A, \"A\"]\n",
         "f:7: tables[0].skus[1]: SKU A is listed already, at line 7. Keep one of them.\n"},
        {with_table + "    skus: [a, A]\n", ""},
        {with_table + "    skus: [[1, 2]]\n",
         "f:7: tables[0].skus[0]: expected 1 key value, got 2. Write one value for each of: k.\n"},
        {with_ledger + "  - table: a.t\n"
                       "    key: [w, k]\n"
                       "    stock: s\n"
                       "    skus:\n"
                       "      - 1\n"
                       "      - { key: [1, 2] }\n"
                       "      - { key: [1, \"2\"], buckets: 2000 }\n"
                       "      - [1, 3]\n"
                       "      - key: [1]\n",
         "f:8: tables[0].skus[0]: expected 2 key values, got 1. Write one value for each of: w, "
         "k.\n"
         "f:10: tables[0].skus[2].buckets: 2000 is out of range. Allowed are 1 to 1024 buckets.\n"
         "f:10: tables[0].skus[2].key: SKU [1, 2] is listed already, at line 9. Keep one of them.\n"
         "f:12: tables[0].skus[4].key: expected 2 key values, got 1. Write one value for each of: "
         "w, k.\n"},
        {with_table + "    skus: [~, \"\", [], {}, { key: 1, bucket: 3 }, [1, [2]]]\n",
         "f:7: tables[0].skus[0]: a key value cannot be null. Quote it if it is a text.\n"
         "f:7: tables[0].skus[1]: a key value has 1 to 255 bytes, this has 0.\n"
         "f:7: tables[0].skus[2]: has no key value.\n"
         "f:7: tables[0].skus[3].key: is required but missing. Key value, or one value per key "
         "column; quoted values are text.\n"
         "f:7: tables[0].skus[4].bucket: unknown key. Did you mean 'buckets'?\n"
         "f:7: tables[0].skus[5][1]: expected a key value, got a list.\n"},
        {with_table + "    skus: [-0, 0, -7, -07]\n",
         "f:7: tables[0].skus[1]: SKU 0 is listed already, at line 7. Keep one of them.\n"
         "f:7: tables[0].skus[3]: SKU -07 is listed already, at line 7. Keep one of them.\n",
         "f:7: tables[0].skus[3]: -07 is read as a number that begins with a zero. Quote it if it "
         "is a text.\n"},
        {with_table + "    skus: [0017]\n",
         "",
         "f:7: tables[0].skus[0]: 0017 is read as a number that begins with a zero. Quote it if it "
         "is a text.\n"},
    });
}

}  // namespace
}  // namespace config::test
