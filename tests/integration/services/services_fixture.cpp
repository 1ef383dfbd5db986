#include "tests/integration/services/services_fixture.hpp"

#include "proxy/ledger/schema.hpp"
#include "proxy/services/registry_rows.hpp"

namespace proxy {
namespace {

constexpr std::size_t pool_size = 12;
constexpr std::chrono::seconds patience{60};

}  // namespace

ServicesTest::ServicesTest() : pool_(context_.get_executor(), root_account(), pool_size) {
    const std::string schema = test_schema;
    sql_.query("DROP DATABASE IF EXISTS " + schema);
    sql_.query("CREATE DATABASE " + schema);
    for (const auto& statement : ledger_schema::create_statements(schema)) sql_.query(statement);
    sql_.query(
        "CREATE TABLE " + schema +
        ".t_stock (sku_id BIGINT PRIMARY KEY, stock BIGINT UNSIGNED NOT NULL, version BIGINT NOT "
        "NULL DEFAULT 0, note VARCHAR(20) NOT NULL DEFAULT '', changed_at DATETIME NULL) "
        "ENGINE=InnoDB"
    );
}

ServicesTest::~ServicesTest() {
    sql_.try_query(std::string{"DROP DATABASE IF EXISTS "} + test_schema);
}

void ServicesTest::run(Task<> task) {
    bool ended = false;
    boost::asio::co_spawn(context_, std::move(task), [&ended](std::exception_ptr error) {
        if (error) std::rethrow_exception(error);
        ended = true;
    });
    run_until([&ended] { return ended; }, "the task's end");
}

void ServicesTest::run_until(const std::function<bool()>& holds, const char* what) {
    const auto deadline = std::chrono::steady_clock::now() + patience;
    while (!holds()) {
        if (std::chrono::steady_clock::now() > deadline) {
            FAIL() << "waited in vain for " << what;
        }
        if (context_.stopped()) context_.restart();
        context_.run_one_for(std::chrono::milliseconds{10});
    }
}

void ServicesTest::adopt(int key, std::int64_t units, unsigned buckets) {
    const std::string schema = std::string{test_schema} + '.';
    const auto id = sku(key);
    sql_.query(
        "INSERT INTO " + schema + "t_stock (sku_id,stock) VALUES (" + std::to_string(key) + ',' +
        std::to_string(units) + ')'
    );
    sql_.query(
        "INSERT INTO " + schema +
        "inventory_sku (sku_id,table_name,key_columns,key_types,stock_column,stock_max,"
        "stock_unsigned,version_column,time_columns,buckets,epoch,adopted_total,projected_stock) "
        "VALUES ('" +
        id + "','t_stock','sku_id','i','stock','18446744073709551615',1,'version','changed_at'," +
        std::to_string(buckets) + ",1," + std::to_string(units) + ',' + std::to_string(units) + ')'
    );
    for (unsigned bucket = 0; bucket < buckets; ++bucket) {
        const auto share = units / buckets + (bucket < units % buckets ? 1 : 0);
        sql_.query(
            "INSERT INTO " + schema + "inventory_bucket (sku_id,bucket_id,epoch,bucket_total) " +
            "VALUES ('" + id + "'," + std::to_string(bucket) + ",1," + std::to_string(share) + ')'
        );
    }
}

RegistryView ServicesTest::registry() {
    SchemaRows rows;
    rows.schema = test_schema;
    rows.rows = sql_.query(registry_query(test_schema)).rows;
    return std::make_shared<Registry>(parse_registry({rows}).registry);
}

std::int64_t ServicesTest::remainder(int key, unsigned bucket) {
    return sql_.number(
        std::string{"SELECT bucket_total-sold_stock FROM "} + test_schema +
        ".inventory_bucket WHERE sku_id='" + sku(key) + "' AND bucket_id=" + std::to_string(bucket)
    );
}

ledger_sql::Target ServicesTest::target(const std::string& sku_id) {
    ledger_sql::Target target;
    target.schema = test_schema;
    target.sku_id = sku_id;
    target.epoch = 1;
    return target;
}

std::string ServicesTest::key_of(int key, unsigned bucket) {
    return gate_key(test_schema, sku(key), bucket);
}

RequestId ServicesTest::new_id(std::uint32_t incarnation) {
    RequestId id;
    ++ids_;
    for (unsigned i = 0; i < 4; ++i) {
        id.bytes[6 + i] = static_cast<std::uint8_t>(incarnation >> (24 - 8 * i));
        id.bytes[12 + i] = static_cast<std::uint8_t>(ids_ >> (24 - 8 * i));
    }
    return id;
}

void ServicesTest::book(
    const RequestId& id, int key, std::int64_t units, unsigned bucket, int status
) {
    const auto name = sku(key);
    sql_.query(ledger_sql::insert_detail(
        target(name), id, units, bucket, static_cast<ledger_sql::DetailStatus>(status)
    ));
}

}  // namespace proxy
