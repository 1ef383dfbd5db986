#pragma once
// A shop on private servers: one database server for the whole test process, a fresh schema `shop`
// for each test, and a Redis per test that wants one. Commands are run in this process with their
// output kept.

#include "config/config.hpp"
#include "proxy/cli/check.hpp"
#include "proxy/cli/database.hpp"
#include "proxy/cli/drain.hpp"
#include "proxy/cli/exit_code.hpp"
#include "proxy/cli/init.hpp"
#include "proxy/cli/verify.hpp"
#include "tests/support/server_fixture.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <sstream>
#include <string>
#include <vector>

namespace shop {

// MariaDB, or MySQL 9 when the environment says STOCKGATE_TEST_SERVER=mysql9.
[[nodiscard]] support::DatabaseServer& server();
[[nodiscard]] proxy::Login dba();
[[nodiscard]] config::Backend backend();
[[nodiscard]] proxy::SqlAccount account();

struct Ran {
    int code = -1;
    std::string text;
    [[nodiscard]] bool says(const std::string& words) const {
        return text.find(words) != std::string::npos;
    }
};

class ShopTest : public testing::Test {
protected:
    ShopTest();

    // Runs a statement that must succeed.
    void sql(const std::string& text);
    // First column of the first row; "NULL" for NULL, "" for no row.
    [[nodiscard]] std::string value(const std::string& text);

    // shop.t_stock(sku_id BIGINT PRIMARY KEY, stock INT UNSIGNED, ...) with these rows, and its
    // entry in the configuration.
    void make_stock_table(const std::vector<std::pair<int, int>>& stocks);
    config::Table& configure(
        const std::string& table, const std::vector<std::string>& key, const std::string& stock
    );
    static config::Sku sku(const std::vector<std::string>& key);
    void use_redis();  // instead of a local gate

    [[nodiscard]] Ran init(const proxy::InitOptions& options = {});
    [[nodiscard]] Ran drain(const std::string& key, bool accept_difference = false);
    [[nodiscard]] Ran verify(const proxy::VerifyOptions& options = {});
    [[nodiscard]] Ran check(const proxy::CheckOptions& options = {});

    // A fresh account, password "secret".
    void make_account(const std::string& name);
    // One deduction as a proxy books it, on SKU t_stock:1001.
    void sell(unsigned bucket, int units);
    [[nodiscard]] bool ledger_exists();

    proxy::Database database_;
    config::Config config_;
    std::unique_ptr<support::RedisServer> redis_;
    unsigned sold_ = 0;
};

}  // namespace shop
