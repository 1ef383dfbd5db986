#pragma once
// One connection of the proxy's own account, over mariadb-connector-c's non-blocking calls on the
// core's event loop. One core, one call at a time (asserted). sql_link.cpp is the only file that
// includes mysql.h. A call that times out or fails unclearly poisons the link: it is closed, never reused.

#include <boost/asio/any_io_executor.hpp>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "proxy/runtime/spawn.hpp"

namespace proxy {

struct SqlAccount {
    std::string host;  // name or address; resolved without blocking the loop
    std::uint16_t port = 3306;
    std::string user;
    std::string password;
    std::chrono::milliseconds timeout{5000};  // per statement, and for connecting
};

struct SqlError {
    unsigned code = 0;       // server or client error number; 0: none
    std::string sql_state;
    std::string message;
    // The statement may have taken effect: the connection broke or timed out after it was sent.
    bool outcome_unknown = false;
    explicit operator bool() const noexcept { return code != 0; }
};

using SqlRow = std::vector<std::optional<std::string>>;

struct SqlReply {
    SqlError error;
    std::uint64_t affected_rows = 0;
    std::vector<SqlRow> rows;
};

class SqlLink {
public:
    SqlLink(const boost::asio::any_io_executor& executor, SqlAccount account);
    ~SqlLink();
    SqlLink(const SqlLink&) = delete;
    SqlLink& operator=(const SqlLink&) = delete;

    Task<SqlError> connect();
    // One statement, text protocol, whole result in memory (at most `rows_max` rows are kept, more is an
    // error). Never retries.
    Task<SqlReply> query(const std::string& sql);
    [[nodiscard]] bool usable() const noexcept;
    // Escapes for a quoted literal in this link's character set (utf8mb4) and sql_mode (set at connect).
    [[nodiscard]] std::string quote(const std::string& text) const;
    [[nodiscard]] const std::string& server_version() const noexcept;
    void close() noexcept;

    static constexpr std::size_t rows_max = 2'000'000;

private:
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace proxy
