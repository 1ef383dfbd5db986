#pragma once
// One connection of the proxy's own account, over mariadb-connector-c's non-blocking calls on the
// core's event loop. One core, one call at a time (asserted). sql_link.cpp is the only file that
// includes mysql.h. A call that times out or fails unclearly poisons the link: it is closed, never
// reused. The link must outlive its calls; errors are values, nothing throws.

#include "config/config.hpp"
#include "proxy/runtime/spawn.hpp"

#include <boost/asio/any_io_executor.hpp>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace proxy {

struct SqlAccount {
    std::string host;  // name or address; resolved without blocking the loop
    std::uint16_t port = 3306;
    std::string socket;  // path of a Unix socket, instead of host and port
    bool use_tls = false;
    std::string tls_ca;           // PEM files; empty: none
    std::string tls_certificate;  // with tls_key
    std::string tls_key;
    bool verify_host = false;  // the certificate must be for `host`
    std::string user;
    std::string password;
    std::chrono::milliseconds timeout{5000};  // per statement, and for connecting
};

// Where the backend is and how its connections are secured; the caller adds who logs in.
[[nodiscard]] SqlAccount backend_account(const config::Backend& backend);

// `code` of failures that neither the server nor the library reports: link not connected, result
// too large, no pooled link free in time.
inline constexpr unsigned sql_error_local = 9999;

struct SqlError {
    unsigned code = 0;  // server or client error number; 0: none
    std::string sql_state;
    std::string message;
    // The statement may have taken effect: the connection broke or timed out after it was sent, or
    // the server's error does not say whether a commit happened.
    bool outcome_unknown = false;
    explicit operator bool() const noexcept { return code != 0; }
};

using SqlRow = std::vector<std::optional<std::string>>;

struct SqlReply {
    SqlError error;
    std::uint64_t affected_rows = 0;  // changed rows, not matched ones
    std::vector<SqlRow> rows;
};

class SqlLink {
public:
    SqlLink(const boost::asio::any_io_executor& executor, SqlAccount account);
    ~SqlLink();
    SqlLink(const SqlLink&) = delete;
    SqlLink& operator=(const SqlLink&) = delete;

    // Log in and set the session up: utf8mb4, autocommit, strict sql_mode, READ COMMITTED, lock
    // waits of 2 s, UTC. After an error the link is unusable; connect may be called again.
    Task<SqlError> connect();
    // One statement, text protocol, whole result in memory (at most `rows_max` rows, more is an
    // error and closes the link). Never retries.
    Task<SqlReply> query(const std::string& sql);
    // Connected, not poisoned, and (while idle) not closed by the server meanwhile.
    [[nodiscard]] bool usable() const noexcept;
    // As the server's last OK said. After an error it may be out of date, on the side of true.
    [[nodiscard]] bool in_transaction() const noexcept;
    // `text` as a literal, quotes included, for this link's character set and sql_mode.
    [[nodiscard]] std::string quote(const std::string& text) const;
    [[nodiscard]] const std::string& server_version() const noexcept;
    // For a call that is known to take long (an audit); the account's timeout is the default.
    void set_timeout(std::chrono::milliseconds timeout) noexcept;
    void close() noexcept;

    static constexpr std::size_t rows_max = 2'000'000;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace proxy
