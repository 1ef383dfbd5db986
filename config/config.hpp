#pragma once

// Everything an operator can set, as plain structs with the default values. A Config that came out
// of config::load_file or config::load_text is complete and valid; the structs themselves check
// nothing. After start-up it is shared read-only (std::shared_ptr<const Config>) by all threads.
// YAML keys equal the field names; durations are called NAME_ms there. Ranges and units of each key
// are declared once, in schema.cpp and schema_links.cpp, and listed in docs/configuration.md.

#include "config/address.hpp"
#include "config/network.hpp"
#include "config/secret.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace config {

using std::chrono::milliseconds;

enum class TlsVersion { v1_2, v1_3 };

// TLS between clients and this proxy. The paths are PEM files; those that the YAML names relative
// to itself are complete here. Nobody has read them yet.
struct ClientTls {
    enum class Mode { off, optional, required };
    Mode mode = Mode::off;
    std::string certificate;                   // with its chain; required unless mode is off
    std::string key;                           // likewise
    std::string client_ca;                     // empty: clients are not asked for certificates
    bool client_certificate_required = false;  // needs client_ca
    TlsVersion min_version = TlsVersion::v1_2;
    bool operator==(const ClientTls&) const = default;
};

struct ProxyProtocolIn {
    std::vector<Network> trusted;  // peers from there, and only they, must send a PROXY header
    bool operator==(const ProxyProtocolIn&) const = default;
};

// The side that clients connect to.
struct Client {
    ClientTls tls{};
    bool compression = true;  // offered to clients when the backend offers it
    ProxyProtocolIn proxy_protocol{};
    std::vector<std::string> mask;  // names of capabilities that are withheld from clients
    bool operator==(const Client&) const = default;
};

// TLS between this proxy and the backend. Paths as in ClientTls.
struct BackendTls {
    enum class Mode { as_client, disabled, preferred, required };  // as_client: when the client did
    enum class Verify { none, ca, host };  // host: its certificate is also for the right name
    Mode mode = Mode::as_client;
    Verify verify = Verify::none;
    std::string ca;           // needed to verify
    std::string host;         // name expected in the certificate; empty: that of backend.address
    std::string certificate;  // shown to the server; with a key, or neither
    std::string key;
    bool operator==(const BackendTls&) const = default;
};

enum class BackendCompression { as_client, off };  // as_client: when the client agreed on it
enum class ProxyProtocolOut { off, v1, v2 };

struct Backend {
    Address address{};                   // the MySQL or MariaDB server behind this proxy; required
    milliseconds connect_timeout{5000};  // for opening one connection to it
    BackendTls tls{};
    BackendCompression compression = BackendCompression::as_client;
    ProxyProtocolOut proxy_protocol = ProxyProtocolOut::off;  // header sent on each connection
    bool operator==(const Backend&) const = default;
};

// The proxy's own database account: registry, judge, rebuild, projection.
struct Ledger {
    std::string user;             // required as soon as there are tables
    Secret password;              // empty when none is given
    std::uint32_t pool_size = 4;  // connections per worker event loop
    milliseconds timeout{5000};   // per statement
    bool operator==(const Ledger&) const = default;
};

struct Redis {
    Address address{"127.0.0.1", 6379};
    std::string username;                    // ACL user; empty: the default user
    Secret password;                         // empty: no AUTH is sent
    std::uint32_t database = 0;              // number for SELECT
    milliseconds timeout{300};               // per call; what is later counts as unknown
    milliseconds connect_timeout{1000};      // for opening one connection
    std::uint32_t queue_length_max = 10000;  // requests in flight per worker event loop
    bool operator==(const Redis&) const = default;
};

enum class GateKind { redis, local };

struct Gate {
    GateKind kind = GateKind::redis;
    std::uint32_t probes = 3;  // buckets asked before the ledger is
    Redis redis{};             // unused when kind is local
    bool operator==(const Gate&) const = default;
};

enum class BreakerMode { automatic, open, closed };  // open and closed are manual overrides

struct Breaker {
    BreakerMode mode = BreakerMode::automatic;  // "auto" in YAML
    std::uint32_t failures = 5;                 // consecutive failures or slow calls that open it
    milliseconds slow_call{300};                // a call that takes longer counts as a failure
    milliseconds open{30000};                   // first open window
    milliseconds open_max{300000};              // the window doubles on repeated failure up to this
    std::uint32_t half_open_probes = 3;         // clean probes needed to close
    bool operator==(const Breaker&) const = default;
};

struct Admin {
    Address address{"127.0.0.1", 6080};  // HTTP; always a loopback address
    bool operator==(const Admin&) const = default;
};

struct Limits {
    std::uint32_t connections_max = 10000;      // client connections per process
    milliseconds handshake_timeout{10000};      // from accept to the end of authentication
    std::uint32_t inspect_bytes_max = 1048576;  // longer SQL is streamed, only scanned for names
    milliseconds drain_timeout{10000};          // at shutdown: for open transactions to finish
    milliseconds idle_timeout{0};       // client that says nothing; 0: only the server's own rules
    milliseconds write_timeout{60000};  // peer that takes no bytes; 0: none
    bool operator==(const Limits&) const = default;
};

struct Background {
    milliseconds registry_refresh{500};  // how often registry changes are read
    milliseconds projection{1000};       // how often the base row is brought up to date
    bool operator==(const Background&) const = default;
};

enum class LogLevel { trace, debug, info, warn, error };

struct Log {
    LogLevel level = LogLevel::info;
    bool operator==(const Log&) const = default;
};

// The value of one key column, exactly as written: 0017 stays 0017.
struct KeyPart {
    std::string text;
    bool quoted = false;  // a string: written in quotes, or not a whole number such as 1001 or -7
    bool operator==(const KeyPart&) const = default;
};

struct Sku {
    std::vector<KeyPart> key;              // one part per key column of the table, in order
    std::optional<std::uint32_t> buckets;  // overrides the table's default
    bool operator==(const Sku&) const = default;
};

enum class Unguarded { error, zero_rows };

struct Table {
    std::string schema;                      // "shop" of `table: shop.t_stock`
    std::string name;                        // "t_stock" of the same
    std::vector<std::string> key;            // key columns, at least one
    std::string stock;                       // stock column
    std::string version;                     // version column; empty: none
    std::vector<std::string> time;           // time columns that every update sets; may be empty
    std::uint32_t buckets = 16;              // per SKU, unless the SKU says otherwise
    Unguarded unguarded = Unguarded::error;  // answer of an unguarded deduction when sold out
    std::vector<Sku> skus;                   // the wish that `stockgate init` carries out
    bool operator==(const Table&) const = default;
};

[[nodiscard]] inline std::uint32_t buckets_of(const Table& table, const Sku& sku) {
    return sku.buckets.value_or(table.buckets);
}

struct Config {
    std::string instance = "stockgate";  // name of this proxy in logs and lease owners
    std::uint32_t threads = 0;           // worker event loops; 0: one per core
    std::vector<Address> listen{{"127.0.0.1", 6033}};  // where clients connect
    Client client{};
    Backend backend{};
    Ledger ledger{};
    Gate gate{};
    Breaker breaker{};
    Admin admin{};
    Limits limits{};
    Background background{};
    Log log{};
    std::vector<Table> tables;  // managed tables; none: everything passes unchanged
    bool operator==(const Config&) const = default;
};

}  // namespace config
