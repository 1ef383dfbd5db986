#include "proxy/cli/database.hpp"

namespace proxy {
namespace {

SqlAccount account_of(
    const config::Backend& backend, const Login& login, std::chrono::milliseconds timeout
) {
    SqlAccount account = backend_account(backend);
    account.user = login.user;
    account.password = login.password;
    account.timeout = timeout;
    return account;
}

Task<> run_connect(SqlLink& link, SqlError& error) {
    error = co_await link.connect();
}

Task<> run_query(SqlLink& link, const std::string& sql, SqlReply& reply) {
    reply = co_await link.query(sql);
}

}  // namespace

Database::Database(
    const config::Backend& backend, const Login& login, std::chrono::milliseconds timeout
)
    : link_(loop_.get_executor(), account_of(backend, login, timeout)) {}

SqlError Database::connect() {
    SqlError error;
    error.code = sql_error_local;
    error.message = "the connection attempt was abandoned";
    loop_.restart();
    auto task = run_connect(link_, error);
    spawn(loop_.get_executor(), "connect", std::move(task));
    loop_.run();
    return error;
}

SqlReply Database::query(const std::string& sql) {
    SqlReply reply;
    reply.error.code = sql_error_local;
    reply.error.message = "the statement was abandoned";
    loop_.restart();
    auto task = run_query(link_, sql, reply);
    spawn(loop_.get_executor(), "query", std::move(task));
    loop_.run();
    return reply;
}

std::string Database::value(const std::string& sql, SqlError& error) {
    auto reply = query(sql);
    error = reply.error;
    if (reply.rows.empty() || reply.rows.front().empty()) return {};
    return reply.rows.front().front().value_or("");
}

bool Database::is_mariadb() const {
    return version().find("MariaDB") != std::string::npos;
}

std::string to_string(const SqlError& error) {
    std::string text = "error " + std::to_string(error.code);
    if (!error.sql_state.empty() && error.code != sql_error_local) {
        text += " (" + error.sql_state + ')';
    }
    return text + ": " + error.message;
}

bool is_lock_conflict(const SqlError& error) {
    constexpr unsigned lock_wait_timeout = 1205;
    constexpr unsigned deadlock = 1213;
    return error.code == lock_wait_timeout || error.code == deadlock;
}

std::string place_of(const config::Backend& backend, const Login& login) {
    return login.user + '@' + config::to_string(backend.address);
}

Login ledger_login(const config::Config& config) {
    return Login{config.ledger.user, config.ledger.password.reveal()};
}

}  // namespace proxy
