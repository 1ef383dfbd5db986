#include "tests/demo/shop.hpp"

#include <errmsg.h>
#include <mysqld_error.h>
#include <sys/socket.h>

#include <cstring>

namespace demo {
namespace {

constexpr unsigned connect_timeout_seconds = 10;
constexpr unsigned read_timeout_seconds = 60;

MYSQL_BIND bind_unsigned(std::uint64_t& value) {
    MYSQL_BIND bind;
    std::memset(&bind, 0, sizeof bind);
    bind.buffer_type = MYSQL_TYPE_LONGLONG;
    bind.buffer = &value;
    bind.is_unsigned = 1;
    return bind;
}

std::string deduct_sql(const std::string& sku, const std::string& units) {
    return "UPDATE t_stock SET stock = stock - " + units + " WHERE sku_id = " + sku +
           " AND stock >= " + units;
}

}  // namespace

bool Shop::connect() {
    close();
    MYSQL* fresh = mysql_init(nullptr);
    mysql_options(fresh, MYSQL_OPT_CONNECT_TIMEOUT, &connect_timeout_seconds);
    mysql_options(fresh, MYSQL_OPT_READ_TIMEOUT, &read_timeout_seconds);
    connection_ = fresh;
    if (mysql_real_connect(
            fresh,
            options_.host.c_str(),
            options_.user.c_str(),
            options_.password.c_str(),
            options_.database.c_str(),
            options_.port,
            nullptr,
            0
        ) == nullptr) {
        fail();
        close();
        return false;
    }
    if (!options_.prepared) return true;
    if (prepare(insert_, "INSERT INTO t_order (order_no, sku_id, quantity) VALUES (?, ?, ?)") &&
        prepare(update_, deduct_sql("?", "?"))) {
        return true;
    }
    close();
    return false;
}

void Shop::close() {
    if (insert_ != nullptr) mysql_stmt_close(insert_);
    if (update_ != nullptr) mysql_stmt_close(update_);
    if (connection_ != nullptr) mysql_close(connection_);
    insert_ = nullptr;
    update_ = nullptr;
    connection_ = nullptr;
}

void Shop::cut() {
    if (connection_ != nullptr) ::shutdown(mysql_get_socket(connection_), SHUT_RDWR);
    close();
}

bool Shop::insert_order(const std::string& number, std::uint64_t sku, unsigned units) {
    if (!options_.prepared) {
        return run(
            "INSERT INTO t_order (order_no, sku_id, quantity) VALUES ('" + number + "', " +
            std::to_string(sku) + ", " + std::to_string(units) + ")"
        );
    }
    std::uint64_t quantity = units;
    std::string text = number;
    MYSQL_BIND binds[3] = {{}, bind_unsigned(sku), bind_unsigned(quantity)};
    binds[0].buffer_type = MYSQL_TYPE_STRING;
    binds[0].buffer = text.data();
    binds[0].buffer_length = text.size();
    if (mysql_stmt_bind_param(insert_, binds) != 0 || mysql_stmt_execute(insert_) != 0) {
        return fail(insert_);
    }
    return true;
}

bool Shop::deduct(std::uint64_t sku, unsigned units, std::uint64_t& rows) {
    if (!options_.prepared) {
        if (!run(deduct_sql(std::to_string(sku), std::to_string(units)))) return false;
        rows = mysql_affected_rows(connection_);
        return true;
    }
    std::uint64_t quantity = units;
    MYSQL_BIND binds[3] = {bind_unsigned(quantity), bind_unsigned(sku), bind_unsigned(quantity)};
    if (mysql_stmt_bind_param(update_, binds) != 0 || mysql_stmt_execute(update_) != 0) {
        return fail(update_);
    }
    rows = mysql_stmt_affected_rows(update_);
    return true;
}

bool Shop::send_deduct(std::uint64_t sku, unsigned units) {
    const std::string sql = deduct_sql(std::to_string(sku), std::to_string(units));
    if (mysql_send_query(connection_, sql.data(), sql.size()) != 0) return fail();
    return true;
}

bool Shop::is_connection_lost() const {
    return error_code_ >= CR_MIN_ERROR && error_code_ <= CR_MAX_ERROR;
}

bool Shop::run(const std::string& sql) {
    if (mysql_real_query(connection_, sql.data(), sql.size()) != 0) return fail();
    return true;
}

bool Shop::prepare(MYSQL_STMT*& statement, const std::string& sql) {
    statement = mysql_stmt_init(connection_);
    if (mysql_stmt_prepare(statement, sql.data(), sql.size()) != 0) return fail(statement);
    return true;
}

bool Shop::fail() {
    error_code_ = mysql_errno(connection_);
    error_text_ = mysql_error(connection_);
    return false;
}

bool Shop::fail(MYSQL_STMT* statement) {
    error_code_ = mysql_stmt_errno(statement);
    error_text_ = mysql_stmt_error(statement);
    return false;
}

}  // namespace demo
