#include "unit/config/problem_case.hpp"

namespace config::test {
namespace {

TEST(problems_syntax, structure) {
    check_problems({
        {"", "f:1: the file is empty. Begin with backend: { address: HOST:PORT }.\n"},
        {"# only a comment\n",
         "f:1: the file is empty. Begin with backend: { address: HOST:PORT }.\n"},
        {"---\n", "f:1: the file is empty. Begin with backend: { address: HOST:PORT }.\n"},
        {"just text\n", "f:1: expected a map of keys, such as backend: ...\n"},
        {"[1, 2]\n", "f:1: expected a map of keys, such as backend: ...\n"},
        {"a: [1, 2\n", "f:2: YAML syntax: end of sequence flow not found.\n"},
        {"backend: {address: db:3306}\n"
         "log: {level: info\n",
         "f:3: YAML syntax: end of map flow not found.\n"},
        {minimal + "---\n"
                   "threads: 1\n",
         "f:2: only one YAML document is allowed. Remove the line \"---\".\n"},
        {minimal + "threads: \"1\n"
                   "log: { level: debug }\n",
         "f:2: the quote that begins here is never closed.\n"},
        {minimal + "threads: 1\n"
                   "\tlog: x\n",
         "f:3: YAML syntax: illegal tab when looking for indentation.\n"},
        {minimal + "instance: \"a\\qhunter2\"\n", "f:2: YAML syntax: unknown escape character.\n"},
        {minimal + "instance: &x a\n",
         "f:2: an anchor is not allowed. Write the value out at each place.\n"},
        {minimal + "instance: *hunter2\n",
         "f:2: YAML syntax: the referenced anchor is not defined.\n"},
        {minimal + "instance: !!str a\n",
         "f:2: a tag is not allowed. Remove it, or quote a value that begins with !.\n"},
        {minimal + "? [a, b]\n"
                   ": 1\n",
         "f:2: a key must be plain text.\n"},
        {minimal + "null: 1\n", "f:2: a key must be plain text.\n"},
        {"%YAML 1.2\n"
         "---\n"
         "backend: { address: db:3306 }\n",
         "f:1: a YAML directive is not allowed. Remove the line that begins with %.\n"},
        {minimal + "instance: a\004b\n",
         "f:2: has a control character. Save the file as plain UTF-8 text.\n"},
        {minimal + "instance: \377\n",
         "f:2: is not valid UTF-8. Save the file as plain UTF-8 text.\n"},
        {minimal + "x: [[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]\n",
         "f:2: nested deeper than 12 levels.\n"},
        {minimal + "x: &a [1,2]\n"
                   "y: [*a, *a]\n",
         "f:2: an anchor is not allowed. Write the value out at each place.\n"
         "f:2: x: unknown key. Use one of instance, threads, listen, client, backend, ledger, "
         "gate, breaker, admin, limits, background, log, tables.\n"
         "f:3: an alias is not allowed. Write the value out.\n"
         "f:3: an alias is not allowed. Write the value out.\n"
         "f:3: y: unknown key. Use one of instance, threads, listen, client, backend, ledger, "
         "gate, breaker, admin, limits, background, log, tables.\n"},
    });
}

TEST(problems_syntax, unknown_and_duplicate_keys) {
    check_problems({
        {minimal + "thread: 1\n", "f:2: thread: unknown key. Did you mean 'threads'?\n"},
        {minimal + "zzzzzz: 1\n",
         "f:2: zzzzzz: unknown key. Use one of instance, threads, listen, client, backend, ledger, "
         "gate, breaker, admin, limits, background, log, tables.\n"},
        {"backend:\n"
         "  adress: db:3306\n",
         "f:1: backend.address: is required but missing. MySQL or MariaDB server that every client "
         "connection is relayed to.\n"
         "f:2: backend.adress: unknown key. Did you mean 'address'?\n"},
        {minimal + "gate:\n"
                   "  redis:\n"
                   "    timeout: 1\n",
         "f:4: gate.redis.timeout: unknown key. Did you mean 'timeout_ms'?\n"},
        {minimal + "threads: 1\n"
                   "threads: 2\n",
         "f:3: threads: is given twice, first at line 2. Keep one of them.\n"},
        {"backend: { address: db:3306, address: db:3307 }\n",
         "f:1: backend.address: is given twice, first at line 1. Keep one of them.\n"},
        {minimal + "log: { level: info }\n"
                   "log: { level: debug }\n"
                   "log: {}\n",
         "f:3: log: is given twice, first at line 2. Keep one of them.\n"
         "f:4: log: is given twice, first at line 2. Keep one of them.\n"},
        {minimal + "\"thr\\neads\": 1\n", "f:2: thr?eads: unknown key. Did you mean 'threads'?\n"},
        {"threads: 0\n"
         "backend: { address: db }\n"
         "log: { levl: x }\n"
         "admin: { address: 0.0.0.0:1 }\n"
         "threads: 1\n",
         "f:2: backend.address: 'db' has no port. Write HOST:PORT or [IPV6]:PORT.\n"
         "f:3: log.levl: unknown key. Did you mean 'level'?\n"
         "f:4: admin.address: 0.0.0.0:1 is not a loopback address. Nobody is asked for a password "
         "there; use 127.0.0.1 and a tunnel or sidecar.\n"
         "f:5: threads: is given twice, first at line 1. Keep one of them.\n"},
    });
}

TEST(problems_syntax, wrong_types) {
    check_problems({
        {minimal + "threads: many\n",
         "f:2: threads: expected a whole number of threads, got 'many'.\n"},
        {minimal + "threads: \"4\"\n",
         "f:2: threads: expected a whole number of threads, got the text '4'.\n"},
        {minimal + "threads: 4.0\n",
         "f:2: threads: expected a whole number of threads, got '4.0'.\n"},
        {minimal + "threads: [4]\n",
         "f:2: threads: expected a whole number of threads, got a list.\n"},
        {minimal + "threads: { a: 1 }\n",
         "f:2: threads: expected a whole number of threads, got a map.\n"},
        {minimal + "threads:\n",
         "f:2: threads: expected a whole number of threads, got nothing.\n"},
        {minimal + "threads: 010\n",
         "f:2: threads: '010' begins with a zero. Write it without, in base ten.\n"},
        {minimal + "threads: 0x10\n",
         "f:2: threads: expected a whole number of threads, got '0x10'.\n"},
        {minimal + "threads: 5s\n",
         "f:2: threads: expected a whole number of threads, got '5s'.\n"},
        {minimal + "gate: redis\n",
         "f:2: gate: expected a map of keys. Put its keys on indented lines below it.\n"},
        {minimal + "ledger: [a]\n",
         "f:2: ledger: expected a map of keys. Put its keys on indented lines below it.\n"},
        {minimal + "instance: [a]\n", "f:2: instance: expected a text, got a list.\n"},
        {minimal + "instance: a b\n",
         "f:2: instance: 'a b' is not an instance name. Use 1 to 64 letters, digits, '.', '_', "
         "'-'.\n"},
        {minimal + "instance: \"\"\n",
         "f:2: instance: '' is not an instance name. Use 1 to 64 letters, digits, '.', '_', "
         "'-'.\n"},
        {minimal + "tables: a.t\n", "f:2: tables: expected a list of tables, got 'a.t'.\n"},
        {minimal + "tables: { table: a.t }\n",
         "f:2: tables: expected a list of tables, got a map.\n"},
        {minimal + "gate: { redis: { timeout_ms: 1s } }\n",
         "f:2: gate.redis.timeout_ms: expected a whole number of ms, got '1s'.\n"},
        {minimal + "ledger: { password: \"a\\_\",\n  user: \"\\N\" }\n",
         "f:2: an escape stands for no text. Write the character itself.\n"
         "f:3: an escape stands for no text. Write the character itself.\n"},
        {minimal + "ledger: { password: \"\\L\\P\\xe9\\u20ac\\0\" }\n", ""},
        {minimal + "ledger: { user: \"a\\tb\" }\n", "f:2: ledger.user: has a control character.\n"},
    });
}

}  // namespace
}  // namespace config::test
