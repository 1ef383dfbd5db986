#pragma once

// The shop's own database code: one connection of a standard driver (the blocking API of MariaDB
// Connector/C) and the statements that shops send. It knows nothing of what may stand between it
// and the database. A Shop belongs to one thread. Failures are answers, with the driver's error
// number in last_error().

#include "tests/demo/options.hpp"

#include <mysql.h>

#include <cstdint>
#include <string>

namespace demo {

class Shop {
public:
    explicit Shop(const Options& options) : options_(options) {}
    ~Shop() { close(); }
    Shop(const Shop&) = delete;
    Shop& operator=(const Shop&) = delete;

    [[nodiscard]] bool connect();
    void close();
    // Cuts the TCP connection without a word, as a crashed program or a pulled cable does.
    void cut();
    [[nodiscard]] bool is_connected() const { return connection_ != nullptr; }

    [[nodiscard]] bool begin() { return run("BEGIN"); }
    [[nodiscard]] bool commit() { return run("COMMIT"); }
    [[nodiscard]] bool rollback() { return run("ROLLBACK"); }
    [[nodiscard]] bool insert_order(const std::string& number, std::uint64_t sku, unsigned units);
    // rows is the number of rows that the server says it changed: 1 sold, 0 no stock.
    [[nodiscard]] bool deduct(std::uint64_t sku, unsigned units, std::uint64_t& rows);
    // Sends the deduction and does not wait for the answer.
    [[nodiscard]] bool send_deduct(std::uint64_t sku, unsigned units);

    [[nodiscard]] unsigned last_error() const { return error_code_; }
    [[nodiscard]] const std::string& last_error_text() const { return error_text_; }
    // The driver's own errors: nobody can say what the server did.
    [[nodiscard]] bool is_connection_lost() const;

private:
    bool run(const std::string& sql);
    bool prepare(MYSQL_STMT*& statement, const std::string& sql);
    bool fail();
    bool fail(MYSQL_STMT* statement);

    const Options& options_;
    MYSQL* connection_ = nullptr;
    MYSQL_STMT* insert_ = nullptr;
    MYSQL_STMT* update_ = nullptr;
    unsigned error_code_ = 0;
    std::string error_text_;
};

}  // namespace demo
