#include "unit/config/problem_case.hpp"

namespace config::test {
namespace {

TEST(problems_values, ranges) {
    check_problems({
        {minimal + "threads: 257\n",
         "f:2: threads: 257 is out of range. Allowed are 0 to 256 threads.\n"},
        {minimal + "threads: -1\n",
         "f:2: threads: -1 is out of range. Allowed are 0 to 256 threads.\n"},
        {minimal + "threads: 99999999999999999999\n",
         "f:2: threads: 99999999999999999999 is out of range. Allowed are 0 to 256 threads.\n"},
        {minimal + "ledger: { pool_size: 0 }\n",
         "f:2: ledger.pool_size: 0 is out of range. Allowed are 1 to 64 connections.\n"},
        {minimal + "ledger: { pool_size: 65 }\n",
         "f:2: ledger.pool_size: 65 is out of range. Allowed are 1 to 64 connections.\n"},
        {minimal + "gate: { probes: 0 }\n",
         "f:2: gate.probes: 0 is out of range. Allowed are 1 to 64 buckets.\n"},
        {minimal + "breaker: { half_open_probes: 0 }\n",
         "f:2: breaker.half_open_probes: 0 is out of range. Allowed are 1 to 100 calls.\n"},
        {minimal + "limits: { connections_max: 0, inspect_bytes_max: 10 }\n",
         "f:2: limits.connections_max: 0 is out of range. Allowed are 1 to 1000000 connections.\n"
         "f:2: limits.inspect_bytes_max: 10 is out of range. Allowed are 1024 to 67108864 "
         "bytes.\n"},
        {minimal + "gate: { redis: { timeout_ms: 0, database: 1024 } }\n",
         "f:2: gate.redis.database: 1024 is out of range. Allowed are 0 to 1023.\n"
         "f:2: gate.redis.timeout_ms: 0 is out of range. Allowed are 1 to 60000 ms.\n"},
    });
}

TEST(problems_values, choices) {
    check_problems({
        {minimal + "gate: { kind: rediss }\n",
         "f:2: gate.kind: 'rediss' is not known here. Did you mean 'redis'?\n"},
        {minimal + "breaker: { mode: forever }\n",
         "f:2: breaker.mode: 'forever' is not known here. Use one of auto, open, closed.\n"},
        {minimal + "log: { level: warning }\n",
         "f:2: log.level: 'warning' is not known here. Did you mean 'warn'?\n"},
        {minimal + "gate: { kind: [redis] }\n", "f:2: gate.kind: expected a word, got a list.\n"},
    });
}

TEST(problems_values, missing_keys) {
    check_problems({
        {"threads: 1\n",
         "f:1: backend.address: is required but missing. MySQL or MariaDB server that every client "
         "connection is relayed to.\n"},
        {"backend:\n"
         "  connect_timeout_ms: 10\n",
         "f:1: backend.address: is required but missing. MySQL or MariaDB server that every client "
         "connection is relayed to.\n"},
        {"threads: 1\n"
         "backend:\n",
         "f:2: backend.address: is required but missing. MySQL or MariaDB server that every client "
         "connection is relayed to.\n"},
    });
}

TEST(problems_values, one_address) {
    check_problems({
        {"backend: { address: db }\n",
         "f:1: backend.address: 'db' has no port. Write HOST:PORT or [IPV6]:PORT.\n"},
        {"backend: { address: \":3306\" }\n",
         "f:1: backend.address: ':3306' has no host. Write HOST:PORT or [IPV6]:PORT.\n"},
        {"backend: { address: db:0 }\n",
         "f:1: backend.address: port 0 cannot be connected to. Write the server's port.\n"},
        {"backend: { address: db:65536 }\n",
         "f:1: backend.address: the port '65536' is not a number up to 65535. Write HOST:PORT or "
         "[IPV6]:PORT.\n"},
        {"backend: { address: \"db:\" }\n",
         "f:1: backend.address: the port '' is not a number up to 65535. Write HOST:PORT or "
         "[IPV6]:PORT.\n"},
        {"backend: { address: db:33x }\n",
         "f:1: backend.address: the port '33x' is not a number up to 65535. Write HOST:PORT or "
         "[IPV6]:PORT.\n"},
        {"backend: { address: \"::1:3306\" }\n",
         "f:1: backend.address: '::1:3306' has several colons. Put an IPv6 address in brackets: "
         "[IPV6]:PORT.\n"},
        {"backend: { address: \"[::1]\" }\n",
         "f:1: backend.address: '[::1]' has no port. Write HOST:PORT or [IPV6]:PORT.\n"},
        {"backend: { address: \"[::1:3306\" }\n",
         "f:1: backend.address: '[::1:3306' lacks the closing bracket. Write HOST:PORT or "
         "[IPV6]:PORT.\n"},
        {"backend: { address: \"[zz]:3306\" }\n",
         "f:1: backend.address: 'zz' is not an IPv6 address. Write HOST:PORT or [IPV6]:PORT.\n"},
        {"backend: { address: \"d b:3306\" }\n",
         "f:1: backend.address: 'd b' is not a host name. Write HOST:PORT or [IPV6]:PORT.\n"},
        {"backend:\n"
         "  address: [::1]\n",
         "f:2: backend.address: expected an address, got a list. Quote an IPv6 address: "
         "\"[::1]:PORT\".\n"},
        {"backend: { address: /run/db.sock }\n",
         "f:1: backend.address: '/run/db.sock' is not an address. Write unix:/PATH for a unix "
         "socket.\n"},
        {"backend: { address: \"unix:db.sock\" }\n",
         "f:1: backend.address: 'db.sock' is not an absolute path. Write unix:/PATH.\n"},
        {"backend: { address: \"unix:/" + std::string(107, 'a') + "\" }\n",
         "f:1: backend.address: the path has 108 bytes, a unix socket's at most 107. Choose a "
         "shorter path.\n"},
        {minimal + "gate: { redis: { address: \"unix:/run/redis.sock\" } }\n",
         "f:2: gate.redis.address: unix sockets are not supported here. Write HOST:PORT or "
         "[IPV6]:PORT.\n"},
        {minimal + "admin: { address: \"unix:/run/admin.sock\" }\n",
         "f:2: admin.address: unix sockets are not supported here. Write HOST:PORT or "
         "[IPV6]:PORT.\n"},
    });
}

TEST(problems_values, addresses_together) {
    check_problems({
        {minimal + "listen: [\"unix:/run/x\", \"unix:/run/../run/x\"]\n",
         "f:2: listen[1]: unix:/run/../run/x collides with unix:/run/x. Remove one of them.\n"},
        {"listen: unix:/run/x\n"
         "backend: { address: unix:/run/x }\n",
         "f:2: backend.address: unix:/run/x is where this proxy itself listens. Write the address "
         "of the database server.\n"},
        {"listen: unix:/run/x\n"
         "backend: { address: unix:/run/y }\n",
         ""},
        {minimal + "listen: []\n", "f:2: listen: has 0 entries, allowed are 1 to 16.\n"},
        {minimal + "listen: [\"127.0.0.1:1\", \"127.0.0.1:1\"]\n",
         "f:2: listen[1]: 127.0.0.1:1 collides with 127.0.0.1:1. Remove one of them.\n"},
        {minimal + "listen:\n"
                   "  - 0.0.0.0:6033\n"
                   "  - 127.0.0.1:6033\n",
         "f:4: listen[1]: 127.0.0.1:6033 collides with 0.0.0.0:6033. Remove one of them.\n"},
        {minimal + "listen:\n"
                   "  - \"[::1]:6033\"\n"
                   "  - \"[0:0::1]:6033\"\n",
         "f:4: listen[1]: [0:0::1]:6033 collides with [::1]:6033. Remove one of them.\n"},
        {minimal + "listen:\n"
                   "  - 127.0.0.1\n"
                   "  - { a: 1 }\n",
         "f:3: listen[0]: '127.0.0.1' has no port. Write HOST:PORT or [IPV6]:PORT.\n"
         "f:4: listen[1]: expected an address, got a map.\n"},
        {minimal + "admin: { address: 0.0.0.0:6080 }\n",
         "f:2: admin.address: 0.0.0.0:6080 is not a loopback address. Nobody is asked for a "
         "password there; use 127.0.0.1 and a tunnel or sidecar.\n"},
        {minimal + "admin: { address: 10.1.2.3:6080 }\n",
         "f:2: admin.address: 10.1.2.3:6080 is not a loopback address. Nobody is asked for a "
         "password there; use 127.0.0.1 and a tunnel or sidecar.\n"},
        {minimal + "admin: { address: 127.0.0.1:6033 }\n",
         "f:2: admin.address: collides with listen 127.0.0.1:6033. Choose another port.\n"},
        {minimal + "admin: { address: nowhere }\n",
         "f:2: admin.address: 'nowhere' has no port. Write HOST:PORT or [IPV6]:PORT.\n"},
        {"backend: { address: 127.0.0.1:6033 }\n",
         "f:1: backend.address: 127.0.0.1:6033 is where this proxy itself listens. Write the "
         "address of the database server.\n"},
        {"listen: 0.0.0.0:3306\n"
         "backend: { address: localhost:3306 }\n",
         "f:2: backend.address: localhost:3306 is where this proxy itself listens. Write the "
         "address of the database server.\n"},
    });
}

TEST(problems_values, secrets) {
    check_problems({
        {minimal + "ledger: { password: a, password_env: hunter2 }\n",
         "f:2: ledger.password_env: only one of password and password_env may be given. Remove the "
         "other.\n"},
        {minimal + "ledger: { password_file: hunter2 }\n",
         "f:2: ledger.password_file: the file cannot be read: No such file or directory. The "
         "process needs to be able to read it.\n"},
        {minimal + "ledger: { password_env: hunter2 }\n",
         "f:2: ledger.password_env: the environment variable is not set. Set it, or use "
         "password_file.\n"},
        {minimal + "ledger: { password: [hunter2] }\n",
         "f:2: ledger.password: expected a text, got a list. Write \"\" for an empty password.\n"},
        {minimal + "ledger: { password: }\n",
         "f:2: ledger.password: expected a text, got nothing. Write \"\" for an empty password.\n"},
        {minimal + "ledger: { password_file: \"\" }\n",
         "f:2: ledger.password_file: names no file.\n"},
        {minimal + "ledger:\n"
                   "  password:\n"
                   "    hunter2: x\n",
         "f:3: ledger.password: expected a text, got a map. Write \"\" for an empty password.\n"},
    });
}

TEST(problems_values, across_keys) {
    check_problems({
        {minimal + "breaker: { open_ms: 1000, open_max_ms: 999 }\n",
         "f:2: breaker.open_max_ms: 999 is less than open_ms 1000. The longest window is at least "
         "as long as the first.\n"},
        {minimal + "breaker:\n"
                   "  open_ms: 400000\n",
         "f:2: breaker.open_max_ms: 300000 is less than open_ms 400000. The longest window is at "
         "least as long as the first.\n"},
        {minimal + "breaker: { slow_call_ms: 301 }\n",
         "",
         "f:2: breaker.slow_call_ms: 301 is more than gate.redis.timeout_ms 300, so no call is "
         "ever that slow. Lower it, or raise the timeout.\n"},
        {minimal + "breaker: { open_ms: 5, open_max_ms: 20 }\n",
         "f:2: breaker.open_ms: 5 is out of range. Allowed are 10 to 3600000 ms.\n"},
    });
}

}  // namespace
}  // namespace config::test
