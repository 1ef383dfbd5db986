#include "shop.hpp"

#include "proxy/ledger/request_id.hpp"

#include <cstdlib>

namespace shop {
namespace {

constexpr std::chrono::seconds patience{30};

std::unique_ptr<support::DatabaseServer> start_server() {
    const char* kind = std::getenv("STOCKGATE_TEST_SERVER");
    if (kind && std::string{kind} == "mysql9") return std::make_unique<support::Mysql9Server>();
    return std::make_unique<support::MariaDbServer>();
}

}  // namespace

support::DatabaseServer& server() {
    static const std::unique_ptr<support::DatabaseServer> only = start_server();
    return *only;
}

proxy::Login dba() {
    return proxy::Login{support::DatabaseServer::user, support::DatabaseServer::password};
}

config::Backend backend() {
    config::Backend there;
    there.address = config::Address{"127.0.0.1", server().port()};
    return there;
}

proxy::SqlAccount account() {
    proxy::SqlAccount there;
    there.host = "127.0.0.1";
    there.port = server().port();
    there.user = support::DatabaseServer::user;
    there.password = support::DatabaseServer::password;
    there.timeout = patience;
    return there;
}

ShopTest::ShopTest() : database_(backend(), dba(), patience) {
    const auto error = database_.connect();
    EXPECT_FALSE(error) << proxy::to_string(error);
    sql("DROP DATABASE IF EXISTS shop");
    sql("CREATE DATABASE shop");
    config_.backend = backend();
    config_.ledger.user = support::DatabaseServer::user;
    config_.ledger.password = config::Secret{support::DatabaseServer::password};
    config_.gate.kind = config::GateKind::local;
}

void ShopTest::sql(const std::string& text) {
    const auto reply = database_.query(text);
    EXPECT_FALSE(reply.error) << text << ": " << proxy::to_string(reply.error);
}

std::string ShopTest::value(const std::string& text) {
    const auto reply = database_.query(text);
    EXPECT_FALSE(reply.error) << text << ": " << proxy::to_string(reply.error);
    if (reply.rows.empty()) return {};
    return reply.rows.front().front().value_or("NULL");
}

void ShopTest::make_stock_table(const std::vector<std::pair<int, int>>& stocks) {
    sql("CREATE TABLE shop.t_stock (sku_id BIGINT PRIMARY KEY, stock INT UNSIGNED NOT NULL, "
        "version INT NOT NULL DEFAULT 7, changed DATETIME NULL) ENGINE=InnoDB");
    auto& table = configure("t_stock", {"sku_id"}, "stock");
    for (const auto& [id, stock] : stocks) {
        sql("INSERT INTO shop.t_stock (sku_id,stock) VALUES (" + std::to_string(id) + ',' +
            std::to_string(stock) + ')');
        table.skus.push_back(sku({std::to_string(id)}));
    }
}

config::Table& ShopTest::configure(
    const std::string& table, const std::vector<std::string>& key, const std::string& stock
) {
    auto& added = config_.tables.emplace_back();
    added.schema = "shop";
    added.name = table;
    added.key = key;
    added.stock = stock;
    added.buckets = 4;
    return added;
}

config::Sku ShopTest::sku(const std::vector<std::string>& key) {
    config::Sku made;
    for (const auto& text : key) {
        config::KeyPart part{text, false};
        made.key.push_back(std::move(part));
    }
    return made;
}

void ShopTest::use_redis() {
    redis_ = std::make_unique<support::RedisServer>();
    config_.gate.kind = config::GateKind::redis;
    config_.gate.redis.address = config::Address{"127.0.0.1", redis_->port()};
}

Ran ShopTest::init(const proxy::InitOptions& options) {
    std::ostringstream out;
    const int code = proxy::run_init(config_, options, out);
    return Ran{code, out.str()};
}

Ran ShopTest::drain(const std::string& key, bool accept_difference) {
    proxy::DrainOptions options;
    options.skus.push_back(key);
    options.accept_base_difference = accept_difference;
    std::ostringstream out;
    const int code = proxy::run_drain(config_, options, out);
    return Ran{code, out.str()};
}

Ran ShopTest::verify(const proxy::VerifyOptions& options) {
    std::ostringstream out;
    const int code = proxy::run_verify(config_, options, out);
    return Ran{code, out.str()};
}

Ran ShopTest::check(const proxy::CheckOptions& options) {
    std::ostringstream out;
    const int code = proxy::run_check(config_, options, out);
    return Ran{code, out.str()};
}

void ShopTest::make_account(const std::string& name) {
    sql("DROP USER IF EXISTS " + name + "@'%'");
    sql("CREATE USER " + name + "@'%' IDENTIFIED BY 'secret'");
}

void ShopTest::sell(unsigned bucket, int units) {
    proxy::RequestId id;
    id.bytes[15] = static_cast<std::uint8_t>(++sold_);
    const std::string number = std::to_string(bucket);
    sql("START TRANSACTION");
    sql("INSERT INTO shop.stock_deduct_detail (request_id,sku_id,qty,bucket_id) VALUES (X'" +
        id.hex() + "','t_stock:1001'," + std::to_string(units) + ',' + number + ')');
    sql("UPDATE shop.inventory_bucket SET sold_stock=sold_stock+" + std::to_string(units) +
        ",version=version+1 WHERE sku_id='t_stock:1001' AND bucket_id=" + number);
    sql("COMMIT");
}

bool ShopTest::ledger_exists() {
    return value(
               "SELECT COUNT(*) FROM information_schema.TABLES WHERE TABLE_SCHEMA='shop' AND "
               "TABLE_NAME='inventory_sku'"
           ) == "1";
}

}  // namespace shop
