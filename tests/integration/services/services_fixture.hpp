#pragma once
// A schema with the ledger's tables and one managed table, made anew for every test, and the event
// loop that stands for the control context. Single-threaded.

#include "proxy/gate/gate.hpp"
#include "proxy/ledger/ledger_sql.hpp"
#include "proxy/ledger/registry.hpp"
#include "proxy/services/rebuild.hpp"
#include "proxy/sql/sql_pool.hpp"
#include "tests/integration/services/servers.hpp"

#include <boost/asio/co_spawn.hpp>
#include <gtest/gtest.h>

#include <functional>
#include <optional>

namespace proxy {

inline constexpr const char* test_schema = "services_test";
inline constexpr std::uint32_t our_incarnation = 0x11111111;

class ServicesTest : public testing::Test {
protected:
    ServicesTest();
    ~ServicesTest() override;

    // Runs the event loop until the task has ended.
    template <class T>
    T run(Task<T> task) {
        std::optional<T> result;
        boost::asio::co_spawn(
            context_,
            std::move(task),
            [&result](std::exception_ptr error, T value) {
                if (error) std::rethrow_exception(error);
                result = std::move(value);
            }
        );
        run_until([&result] { return result.has_value(); }, "the task's end");
        return std::move(result.value());
    }
    void run(Task<> task);
    // Until it holds; a minute without that is a failure.
    void run_until(const std::function<bool()>& holds, const char* what);

    // Adopts "t_stock:KEY" with the units split over the buckets, and gives it a base row.
    void adopt(int key, std::int64_t units, unsigned buckets);
    [[nodiscard]] RegistryView registry();
    [[nodiscard]] std::int64_t remainder(int key, unsigned bucket);

    [[nodiscard]] static ledger_sql::Target target(const std::string& sku_id);
    [[nodiscard]] static std::string sku(int key) { return "t_stock:" + std::to_string(key); }
    [[nodiscard]] static std::string key_of(int key, unsigned bucket);
    [[nodiscard]] RequestId new_id(std::uint32_t incarnation = our_incarnation);
    // A detail row, committed.
    void book(const RequestId& id, int key, std::int64_t units, unsigned bucket, int status);

    boost::asio::io_context context_;
    Sql sql_;
    SqlPool pool_;
    std::uint64_t ids_ = 0;
};

// What the gate was told, in order.
class RecordingGate final : public Gate {
public:
    std::vector<std::string> calls;

    Task<ReserveReply> reserve(const std::string&, RequestId, std::int64_t, bool) override {
        co_return ReserveReply{};
    }
    void settle(const std::string& key, RequestId id, GateTicket) override {
        calls.push_back("settle " + key + ' ' + id.hex());
    }
    void release(const std::string& key, RequestId id, GateTicket) override {
        calls.push_back("release " + key + ' ' + id.hex());
    }
    void credit(const std::string& key, std::int64_t units) override {
        calls.push_back("credit " + key + ' ' + std::to_string(units));
    }
};

}  // namespace proxy
