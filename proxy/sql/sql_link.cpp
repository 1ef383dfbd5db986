#include "proxy/sql/sql_link.hpp"

#include "proxy/sql/socket_wait.hpp"
#include "proxy/sql/sql_failure.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <mysql.h>
#include <poll.h>
#include <sys/socket.h>

#include <cassert>

namespace proxy {

namespace asio = boost::asio;
using asio::ip::tcp;
using std::chrono::steady_clock;

namespace {

constexpr auto as_tuple_awaitable = asio::as_tuple(asio::use_awaitable);
// How often an interrupted call is resumed until it has unwound; three is the most ever seen.
constexpr int unwind_steps_max = 64;

void initialise_library() {
    static const int done = mysql_library_init(0, nullptr, nullptr);
    static_cast<void>(done);
}

}  // namespace

// The suspended call of the library, to be resumed with what happened on the socket.
enum class Pending { none, connect, query, fetch };

struct SqlLink::Impl {
    Impl(const asio::any_io_executor& executor_, SqlAccount account_)
        : executor(executor_),
          account(std::move(account_)),
          timeout(account.timeout),
          waiter(executor_) {}
    ~Impl() { close(); }
    Impl(const Impl&) = delete;
    Impl& operator=(const Impl&) = delete;

    int resume(int happened) noexcept;
    void shut_down() noexcept;
    void unwind() noexcept;
    void close() noexcept;
    Task<bool> drive(int wants);
    void secure();
    Task<SqlError> open();
    Task<SqlReply> run(const std::string& sql);
    Task<SqlError> read_rows(MYSQL_RES* result, std::vector<SqlRow>& rows);
    Task<SqlError> set_up_session();
    SqlError library_error(const std::string& sql, const char* what);

    asio::any_io_executor executor;
    SqlAccount account;
    std::chrono::milliseconds timeout;
    SocketWait waiter;
    MYSQL* mysql = nullptr;
    Pending pending = Pending::none;
    MYSQL* connect_result = nullptr;
    int query_result = 0;
    MYSQL_RES* result_set = nullptr;  // belongs to the running call
    MYSQL_ROW row = nullptr;
    std::string address;  // here, because the library reads it until its call has unwound
    std::string version;
    bool busy = false;
    bool connected = false;
    bool broken = false;
};

int SqlLink::Impl::resume(int happened) noexcept {
    int wants = 0;
    switch (pending) {
        case Pending::none:
            break;
        case Pending::connect:
            wants = mysql_real_connect_cont(&connect_result, mysql, happened);
            break;
        case Pending::query:
            wants = mysql_real_query_cont(&query_result, mysql, happened);
            break;
        case Pending::fetch:
            wants = mysql_fetch_row_cont(&row, result_set, happened);
            break;
    }
    if (wants == 0) pending = Pending::none;
    return wants;
}

void SqlLink::Impl::shut_down() noexcept {
    const auto socket = mysql_get_socket(mysql);
    if (socket != MARIADB_INVALID_SOCKET) ::shutdown(socket, SHUT_RDWR);
}

// Ends a suspended call: with the socket shut down and a timeout reported, the library gives up
// and frees what it holds.
void SqlLink::Impl::unwind() noexcept {
    if (pending == Pending::none) return;
    shut_down();
    waiter.let_go();
    for (int step = 0; step < unwind_steps_max && pending != Pending::none; ++step) {
        resume(MYSQL_WAIT_TIMEOUT);
    }
    pending = Pending::none;
}

void SqlLink::Impl::close() noexcept {
    waiter.stop_deadline();
    if (!mysql) return;
    unwind();
    waiter.let_go();
    if (result_set) {
        shut_down();  // rows that nobody will read must not be waited for
        mysql_free_result(result_set);
        result_set = nullptr;
    }
    if (broken) shut_down();
    mysql_close(mysql);
    mysql = nullptr;
    connected = false;
}

// Runs the started call to its end. False: it was interrupted and has been unwound.
Task<bool> SqlLink::Impl::drive(int wants) {
    if (wants == 0) pending = Pending::none;
    while (wants != 0) {
        const bool read = (wants & MYSQL_WAIT_READ) != 0;
        const bool write = (wants & MYSQL_WAIT_WRITE) != 0;
        const auto ready = co_await waiter.wait(mysql_get_socket(mysql), read, write);
        if (!ready.any()) {
            broken = true;
            unwind();
            co_return false;
        }
        wants = resume(ready.read ? MYSQL_WAIT_READ : MYSQL_WAIT_WRITE);
    }
    co_return true;
}

SqlError SqlLink::Impl::library_error(const std::string& sql, const char* what) {
    SqlError error;
    error.code = mysql_errno(mysql);
    error.sql_state = mysql_sqlstate(mysql);
    error.message = mysql_error(mysql);
    if (error.code == 0) {
        error.code = 2000;
        error.message = std::string{what} + ": the client library gave no reason";
    }
    error.outcome_unknown = sql_failure::leaves_open(error.code, sql);
    if (sql_failure::ends_connection(error.code)) broken = true;
    return error;
}

void SqlLink::Impl::secure() {
    if (!account.use_tls) return;
    const auto file = [this](mysql_option option, const std::string& path) {
        if (!path.empty()) mysql_optionsv(mysql, option, path.c_str());
    };
    const my_bool yes = 1;
    mysql_optionsv(mysql, MYSQL_OPT_SSL_ENFORCE, &yes);
    file(MYSQL_OPT_SSL_CA, account.tls_ca);
    file(MYSQL_OPT_SSL_CERT, account.tls_certificate);
    file(MYSQL_OPT_SSL_KEY, account.tls_key);
    if (account.verify_host) mysql_optionsv(mysql, MYSQL_OPT_SSL_VERIFY_SERVER_CERT, &yes);
}

Task<SqlError> SqlLink::Impl::open() {
    broken = false;
    mysql = mysql_init(nullptr);
    if (!mysql) co_return sql_failure::local("out of memory");
    const unsigned no = 0;
    mysql_optionsv(mysql, MYSQL_OPT_NONBLOCK, nullptr);
    mysql_optionsv(mysql, MYSQL_SET_CHARSET_NAME, "utf8mb4");
    mysql_optionsv(mysql, MYSQL_OPT_LOCAL_INFILE, &no);
    secure();
    pending = Pending::connect;
    const bool local = !account.socket.empty();
    const int wants = mysql_real_connect_start(
        &connect_result,
        mysql,
        local ? nullptr : address.c_str(),
        account.user.c_str(),
        account.password.c_str(),
        nullptr,
        account.port,
        local ? account.socket.c_str() : nullptr,
        0
    );
    const bool answered = co_await drive(wants);
    SqlError error;
    if (!answered) {
        error = sql_failure::timed_out(timeout, "connect");
    } else if (!connect_result) {
        error = library_error({}, "connect");
    }
    error.outcome_unknown = false;
    if (error) close();
    co_return error;
}

Task<SqlError> SqlLink::Impl::set_up_session() {
    // Each name exists in MariaDB 10.3 and later and in MySQL 5.7 and later. The isolation level is
    // set by statement because its variable has different names.
    const std::string variables =
        "SET SESSION autocommit=1,completion_type=0,sql_safe_updates=0,sql_auto_is_null=0,"
        "sql_select_limit=18446744073709551615,innodb_lock_wait_timeout=2,time_zone='+00:00',"
        "sql_mode='STRICT_TRANS_TABLES,NO_ENGINE_SUBSTITUTION'";
    const std::string isolation = "SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED";
    auto reply = co_await run(variables);
    if (!reply.error) reply = co_await run(isolation);
    co_return reply.error;
}

Task<SqlError> SqlLink::Impl::read_rows(MYSQL_RES* result, std::vector<SqlRow>& rows) {
    const unsigned columns = mysql_num_fields(result);
    for (;;) {
        pending = Pending::fetch;
        const bool answered = co_await drive(mysql_fetch_row_start(&row, result));
        if (!answered) {
            co_return sql_failure::timed_out(timeout, "result");
        }
        if (!row) break;
        if (rows.size() == rows_max) {
            broken = true;
            co_return sql_failure::local(
                "result has more than " + std::to_string(rows_max) + " rows"
            );
        }
        const unsigned long* sizes = mysql_fetch_lengths(result);
        auto& kept = rows.emplace_back(columns);
        for (unsigned i = 0; i < columns; ++i) {
            if (row[i]) kept[i].emplace(row[i], sizes[i]);
        }
    }
    SqlError error;
    if (mysql_errno(mysql) != 0) error = library_error({}, "result");
    co_return error;
}

Task<SqlReply> SqlLink::Impl::run(const std::string& sql) {
    SqlReply reply;
    pending = Pending::query;
    const int wants = mysql_real_query_start(&query_result, mysql, sql.data(), sql.size());
    const bool answered = co_await drive(wants);
    if (!answered) {
        reply.error = sql_failure::timed_out(timeout, "statement");
        reply.error.outcome_unknown = true;
        co_return reply;
    }
    if (query_result != 0) {
        reply.error = library_error(sql, "statement");
        co_return reply;
    }
    if (mysql_field_count(mysql) == 0) {
        reply.affected_rows = mysql_affected_rows(mysql);
    } else {
        result_set = mysql_use_result(mysql);
        if (!result_set) {
            reply.error = library_error(sql, "result");
            broken = true;
            co_return reply;
        }
        reply.error = co_await read_rows(result_set, reply.rows);
        if (broken) {
            reply.error.outcome_unknown = true;
            co_return reply;  // close() frees the rest
        }
        mysql_free_result(result_set);
        result_set = nullptr;
    }
    if (mysql_more_results(mysql)) {
        broken = true;
        reply.error = sql_failure::local("the statement gave more than one result");
        reply.error.outcome_unknown = true;
    }
    co_return reply;
}

SqlLink::SqlLink(const asio::any_io_executor& executor, SqlAccount account)
    : impl_(std::make_unique<Impl>(executor, std::move(account))) {
    initialise_library();
}

SqlLink::~SqlLink() = default;

Task<SqlError> SqlLink::connect() {
    auto& impl = *impl_;
    assert(!impl.busy);
    impl.close();
    impl.busy = true;
    impl.waiter.start_deadline(steady_clock::now() + impl.timeout);
    SqlError error;
    std::vector<std::string> addresses;
    boost::system::error_code failed;
    const auto literal = asio::ip::make_address(impl.account.host, failed);
    if (!failed) {
        addresses.push_back(literal.to_string());
    } else if (!impl.account.socket.empty() || impl.account.verify_host) {
        // The library compares the certificate with the name that it was given, and so must look
        // it up itself, which blocks.
        addresses.push_back(impl.account.host);
    } else {
        tcp::resolver resolver(impl.executor);
        auto [wrong, found] = co_await resolver.async_resolve(
            impl.account.host, std::to_string(impl.account.port), as_tuple_awaitable
        );
        for (const auto& entry : found) addresses.push_back(entry.endpoint().address().to_string());
        if (wrong || addresses.empty()) {
            error =
                sql_failure::local("cannot resolve " + impl.account.host + ": " + wrong.message());
        }
    }
    for (const auto& address : addresses) {
        impl.address = address;
        error = co_await impl.open();
        // Another address of the same name is worth a try only if this one gave no answer.
        if (!error || !sql_failure::is_client_error(error.code)) break;
    }
    if (!error) {
        error = co_await impl.set_up_session();
        error.outcome_unknown = false;
        if (error) {
            impl.broken = true;
            impl.close();
        }
    }
    impl.waiter.stop_deadline();
    if (!error) {
        impl.connected = true;
        impl.version = mysql_get_server_info(impl.mysql);
    }
    impl.busy = false;
    co_return error;
}

Task<SqlReply> SqlLink::query(const std::string& sql) {
    auto& impl = *impl_;
    assert(!impl.busy);
    SqlReply reply;
    if (!impl.connected || impl.broken) {
        reply.error = sql_failure::local("not connected");
        co_return reply;
    }
    impl.busy = true;
    impl.waiter.start_deadline(steady_clock::now() + impl.timeout);
    reply = co_await impl.run(sql);
    impl.waiter.stop_deadline();
    if (impl.broken) impl.close();
    impl.busy = false;
    co_return reply;
}

bool SqlLink::usable() const noexcept {
    const auto& impl = *impl_;
    if (!impl.connected || impl.broken || !impl.mysql) return false;
    if (impl.busy) return true;
    // Nothing is asked: whatever can be read is the end of the connection, or an error before it.
    pollfd probe{mysql_get_socket(impl.mysql), POLLIN, 0};
    return ::poll(&probe, 1, 0) == 0;
}

bool SqlLink::in_transaction() const noexcept {
    unsigned status = 0;
    if (!impl_->mysql) return false;
    mariadb_get_infov(impl_->mysql, MARIADB_CONNECTION_SERVER_STATUS, &status);
    return (status & SERVER_STATUS_IN_TRANS) != 0;
}

std::string SqlLink::quote(const std::string& text) const {
    std::string literal(2 * text.size() + 3, '\0');
    literal[0] = '\'';
    if (!impl_->mysql) return "''";
    const auto size = mysql_real_escape_string(impl_->mysql, &literal[1], text.data(), text.size());
    literal.resize(size + 2);
    literal.back() = '\'';
    return literal;
}

const std::string& SqlLink::server_version() const noexcept {
    return impl_->version;
}

void SqlLink::set_timeout(std::chrono::milliseconds timeout) noexcept {
    impl_->timeout = timeout;
}

void SqlLink::close() noexcept {
    impl_->close();
}

}  // namespace proxy
