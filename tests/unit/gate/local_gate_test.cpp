#include "proxy/gate/local_gate.hpp"

#include "tests/unit/gate/bucket_cases.hpp"
#include "tests/unit/gate/run_task.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace proxy {
namespace {

using testing::numbered_id;

class LocalSubject final : public testing::BucketSubject {
public:
    BucketReply reserve(
        const std::string& key, const RequestId& id, std::int64_t units, bool forced
    ) override {
        return gate_.reserve(key, id, units, forced);
    }
    BucketReply settle(const std::string& key, const RequestId& id) override {
        return gate_.settle(key, id);
    }
    BucketReply release(const std::string& key, const RequestId& id) override {
        return gate_.release(key, id);
    }
    BucketReply credit(const std::string& key, std::int64_t units) override {
        return gate_.credit(key, units);
    }
    bool rebuild(
        const std::string& key, std::int64_t remainder, const std::vector<RequestId>& settled
    ) override {
        return gate_.rebuild(key, remainder, settled);
    }
    BucketState read(const std::string& key) override { return gate_.read(key); }
    void remove(const std::string& key) override { gate_.remove(key); }

private:
    LocalGate gate_;
};

TEST(LocalGate, AnswersEveryBucketCase) {
    LocalSubject subject;
    for (const auto& bucket_case : testing::bucket_cases()) run_bucket_case(subject, bucket_case);
}

TEST(LocalGate, ClearForgetsEveryBucket) {
    LocalGate gate;
    for (int i = 0; i < 500; ++i) gate.rebuild("stock:1:" + std::to_string(i), 1, {});
    EXPECT_EQ(gate.bucket_count(), 500U);
    gate.clear();
    EXPECT_EQ(gate.bucket_count(), 0U);
    EXPECT_EQ(gate.reserve("stock:1:7", numbered_id(1), 1, false).code, BucketCode::missing);
}

TEST(LocalGate, MaintenanceIsTheSameGate) {
    LocalGate gate;
    LocalMaintenance maintenance(gate);
    boost::asio::io_context context;
    const std::vector<RequestId> none;
    EXPECT_TRUE(testing::run_task(context, maintenance.ping()));
    EXPECT_TRUE(testing::run_task(context, maintenance.rebuild("k", 5, none)));
    EXPECT_EQ(gate.reserve("k", numbered_id(1), 2, false).left, 3);
    BucketState state;
    EXPECT_TRUE(testing::run_task(context, maintenance.read("k", state)));
    EXPECT_EQ(state.left, 3);
    ASSERT_EQ(state.reservations.size(), 1U);
    EXPECT_EQ(state.reservations[0].id, numbered_id(1));
    EXPECT_TRUE(testing::run_task(context, maintenance.remove("k")));
    EXPECT_FALSE(gate.read("k").exists);
}

// Threads sell, give back and settle on the same few buckets; the units add up at the end.
TEST(LocalGate, ThreadsConserveUnits) {
    constexpr int threads = 4;
    constexpr std::uint32_t rounds = 4000;
    constexpr int buckets = 3;
    constexpr std::int64_t initial = 3000;
    LocalGate gate;
    for (int i = 0; i < buckets; ++i) gate.rebuild("b" + std::to_string(i), initial, {});
    std::atomic<std::int64_t> sold{0};
    const auto work = [&gate, &sold](std::uint32_t thread) {
        for (std::uint32_t round = 0; round < rounds; ++round) {
            const std::string key = "b" + std::to_string((round + thread) % buckets);
            const RequestId id = numbered_id(thread << 24 | round);
            if (gate.reserve(key, id, 1, false).code != BucketCode::done) continue;
            if (round % 3 == 0) {
                gate.release(key, id);
            } else {
                gate.settle(key, id);
                sold.fetch_add(1);
            }
        }
    };
    std::vector<std::thread> workers;
    for (int i = 0; i < threads; ++i) workers.emplace_back(work, static_cast<std::uint32_t>(i));
    for (auto& worker : workers) worker.join();
    std::int64_t left = 0;
    for (int i = 0; i < buckets; ++i) {
        const auto state = gate.read("b" + std::to_string(i));
        EXPECT_TRUE(state.reservations.empty());
        EXPECT_GE(state.left, 0);
        left += state.left;
    }
    EXPECT_EQ(left + sold.load(), buckets * initial);
}

TEST(LocalGate, ThreadsMayCallWhileItIsCleared) {
    LocalGate gate;
    std::atomic<bool> stop{false};
    const auto clear_often = [&gate, &stop] {
        for (int i = 0; i < 300; ++i) {
            gate.rebuild("b", 1000, {});
            gate.clear();
        }
        stop = true;
    };
    std::thread clearer(clear_often);
    std::uint32_t number = 0;
    while (!stop) {
        const RequestId id = numbered_id(++number);
        const auto reply = gate.reserve("b", id, 1, false);
        if (reply.code == BucketCode::done) gate.release("b", id);
        EXPECT_NE(reply.code, BucketCode::damaged);
    }
    clearer.join();
    EXPECT_FALSE(gate.read("b").exists);
}

}  // namespace
}  // namespace proxy
