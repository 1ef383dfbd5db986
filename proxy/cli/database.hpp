#pragma once
// A SqlLink for commands that do one thing after the other: each call runs a private event loop
// until its answer is there. One thread, one call at a time. Failures are values, as SqlLink's.

#include "config/config.hpp"
#include "proxy/sql/sql_link.hpp"

#include <boost/asio/io_context.hpp>

#include <chrono>
#include <string>

namespace proxy {

// Who logs in. Commands take another account than the ledger's where rights such as CREATE TABLE
// are needed.
struct Login {
    std::string user;
    std::string password;
};

class Database {
public:
    Database(const config::Backend& backend, const Login& login, std::chrono::milliseconds timeout);

    [[nodiscard]] SqlError connect();
    [[nodiscard]] SqlReply query(const std::string& sql);
    // First column of the first row; empty when there is none or it is NULL.
    [[nodiscard]] std::string value(const std::string& sql, SqlError& error);
    [[nodiscard]] std::string quote(const std::string& text) const { return link_.quote(text); }
    [[nodiscard]] const std::string& version() const { return link_.server_version(); }
    [[nodiscard]] bool is_mariadb() const;
    void set_timeout(std::chrono::milliseconds timeout) { link_.set_timeout(timeout); }

private:
    boost::asio::io_context loop_;
    SqlLink link_;
};

// "error 1045 (28000): Access denied ..."
[[nodiscard]] std::string to_string(const SqlError& error);

// A lock that somebody else holds, or a deadlock: the same transaction may succeed a moment later.
[[nodiscard]] bool is_lock_conflict(const SqlError& error);

// "user@host:port", for messages.
[[nodiscard]] std::string place_of(const config::Backend& backend, const Login& login);
[[nodiscard]] Login ledger_login(const config::Config& config);

}  // namespace proxy
