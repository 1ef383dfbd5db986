#pragma once
// A private server, a RedisGate on a context of its own, and plain calls instead of coroutines.

#include "proxy/gate/redis_gate.hpp"
#include "tests/integration/gate/redis_server.hpp"
#include "tests/unit/gate/bucket_cases.hpp"
#include "tests/unit/gate/run_task.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

namespace proxy::testing {

class CollectingDirty final : public DirtyBuckets {
public:
    void mark(const std::string& gate_key) override { marked.push_back(gate_key); }
    std::vector<std::string> marked;
};

class RedisFixture : public ::testing::Test {
protected:
    explicit RedisFixture(std::vector<std::string> server_arguments = {});
    ~RedisFixture() override;

    [[nodiscard]] RedisOptions options() const;
    // Replaces the gate by a new one with these options.
    void connect(const RedisOptions& options);
    void wait_connected();

    template <class T>
    T run(Task<T> task) {
        return run_task(context_, std::move(task));
    }
    // Runs the context until the condition holds; false: not within a minute.
    template <class Condition>
    bool run_until(Condition condition) {
        const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(60);
        context_.restart();
        while (!condition()) {
            if (std::chrono::steady_clock::now() > limit) return false;
            context_.run_one_for(std::chrono::milliseconds(20));
            context_.restart();
        }
        return true;
    }

    // Any command over a link of its own, so that the gate's is left alone.
    LinkReply command(std::vector<std::string> words);
    void set(const std::string& name, const std::string& value);  // CONFIG SET

    RemoteReply reserve(
        const std::string& key, const RequestId& id, std::int64_t units = 1, bool forced = false
    );
    BucketState read(const std::string& key);

    RedisServer server_;
    boost::asio::io_context context_;
    CollectingDirty dirty_;
    std::unique_ptr<RedisLink> control_;
    std::unique_ptr<RedisGate> gate_;
};

}  // namespace proxy::testing
