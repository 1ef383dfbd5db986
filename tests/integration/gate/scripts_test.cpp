// Every script on a real server: the shared bucket cases, and what only a real key can be.
#include "lua/scripts.hpp"

#include "tests/integration/gate/redis_fixture.hpp"

#include <gtest/gtest.h>

namespace proxy {
namespace {

using testing::numbered_id;
using testing::run_task;

const std::string key = "stock:t_stock:1001:0";

class RedisSubject final : public testing::BucketSubject {
public:
    RedisSubject(RedisGate& gate, boost::asio::io_context& context)
        : gate_(&gate), context_(&context) {}

    BucketReply reserve(
        const std::string& bucket, const RequestId& id, std::int64_t units, bool forced
    ) override {
        return checked(run_task(*context_, gate_->reserve(bucket, id, units, forced)));
    }
    BucketReply settle(const std::string& bucket, const RequestId& id) override {
        return end([&](RemoteGate::Done done) { gate_->settle(bucket, id, std::move(done)); });
    }
    BucketReply release(const std::string& bucket, const RequestId& id) override {
        return end([&](RemoteGate::Done done) { gate_->release(bucket, id, std::move(done)); });
    }
    BucketReply credit(const std::string& bucket, std::int64_t units) override {
        return end([&](RemoteGate::Done done) { gate_->credit(bucket, units, std::move(done)); });
    }
    bool rebuild(
        const std::string& bucket, std::int64_t remainder, const std::vector<RequestId>& settled
    ) override {
        return run_task(*context_, gate_->rebuild(bucket, remainder, settled));
    }
    BucketState read(const std::string& bucket) override {
        BucketState state;
        EXPECT_TRUE(run_task(*context_, gate_->read(bucket, state)));
        return state;
    }
    void remove(const std::string& bucket) override {
        EXPECT_TRUE(run_task(*context_, gate_->remove(bucket)));
    }

private:
    static BucketReply checked(const RemoteReply& reply) {
        EXPECT_EQ(reply.end, CallEnd::answered);
        return reply.bucket;
    }
    template <class Start>
    BucketReply end(const Start& start) {
        std::optional<RemoteReply> reply;
        start([&reply](const RemoteReply& given) { reply = given; });
        context_->restart();
        while (!reply && context_->run_one() != 0) {
        }
        EXPECT_TRUE(reply.has_value());
        return checked(reply.value_or(RemoteReply{}));
    }

    RedisGate* gate_;
    boost::asio::io_context* context_;
};

class ScriptsTest : public testing::RedisFixture {
protected:
    RedisSubject subject() { return RedisSubject(*gate_, context_); }
};

TEST_F(ScriptsTest, AnswerEveryBucketCase) {
    RedisSubject redis = subject();
    for (const auto& bucket_case : testing::bucket_cases()) run_bucket_case(redis, bucket_case);
    EXPECT_TRUE(dirty_.marked.empty());
}

TEST_F(ScriptsTest, AreKnownToTheServerByOurSha1) {
    wait_connected();
    for (const auto* script : lua::all()) {
        const auto reply = command({"SCRIPT", "EXISTS", std::string(script->sha1)});
        EXPECT_EQ(reply.reply.value().at(0).integer(), 1) << script->name;
    }
}

TEST_F(ScriptsTest, BucketsNeverExpire) {
    ASSERT_TRUE(run(gate_->rebuild(key, 10, std::vector<RequestId>())));
    reserve(key, numbered_id(1));
    EXPECT_EQ(command({"TTL", key}).reply.value().integer(), -1);
    EXPECT_EQ(command({"HGET", key, "left"}).reply.value().text(), "9");
    const auto field = "r:" + numbered_id(1).hex();
    EXPECT_EQ(command({"HGET", key, field}).reply.value().text(), "1");
}

TEST_F(ScriptsTest, AKeyOfAnotherTypeIsDamagedAndRebuilt) {
    RedisSubject redis = subject();
    command({"SET", key, "100"});
    EXPECT_EQ(redis.reserve(key, numbered_id(1), 1, false).code, BucketCode::damaged);
    EXPECT_EQ(redis.reserve(key, numbered_id(1), 1, true).code, BucketCode::damaged);
    EXPECT_EQ(redis.settle(key, numbered_id(1)).code, BucketCode::damaged);
    EXPECT_EQ(redis.release(key, numbered_id(1)).code, BucketCode::damaged);
    EXPECT_EQ(redis.credit(key, 1).code, BucketCode::damaged);
    EXPECT_FALSE(redis.read(key).exists);
    EXPECT_EQ(command({"GET", key}).reply.value().text(), "100");
    EXPECT_TRUE(redis.rebuild(key, 7, {}));
    EXPECT_EQ(redis.reserve(key, numbered_id(1), 1, false).left, 6);
}

TEST_F(ScriptsTest, ALeftThatIsNoWholeNumberIsDamagedAndRebuilt) {
    RedisSubject redis = subject();
    ASSERT_TRUE(redis.rebuild(key, 10, {}));
    ASSERT_EQ(redis.reserve(key, numbered_id(1), 3, false).code, BucketCode::done);
    const std::vector<std::string> wrong{
        "", "abc", "1.5", "1e3", "0x10", " 7", "--1", "9007199254740992", "-9007199254740992"};
    for (const auto& left : wrong) {
        command({"HSET", key, "left", left});
        EXPECT_EQ(redis.reserve(key, numbered_id(2), 1, false).code, BucketCode::damaged) << left;
        EXPECT_EQ(redis.reserve(key, numbered_id(1), 3, false).code, BucketCode::damaged) << left;
        EXPECT_EQ(redis.release(key, numbered_id(1)).code, BucketCode::damaged) << left;
        EXPECT_EQ(redis.credit(key, 1).code, BucketCode::damaged) << left;
        const auto state = redis.read(key);
        EXPECT_FALSE(state.exists) << left;
        EXPECT_EQ(state.reservations.size(), 1U) << left;
        EXPECT_EQ(command({"HGET", key, "left"}).reply.value().text(), left);
    }
    EXPECT_TRUE(redis.rebuild(key, 10, {}));
    EXPECT_EQ(redis.read(key).left, 7) << "the open reservation was kept";
}

TEST_F(ScriptsTest, AMissingLeftIsAMissingBucket) {
    RedisSubject redis = subject();
    ASSERT_TRUE(redis.rebuild(key, 10, {}));
    ASSERT_EQ(redis.reserve(key, numbered_id(1), 3, false).code, BucketCode::done);
    command({"HDEL", key, "left"});
    EXPECT_EQ(redis.reserve(key, numbered_id(2), 1, false).code, BucketCode::missing);
    EXPECT_EQ(redis.release(key, numbered_id(1)).code, BucketCode::missing);
    EXPECT_FALSE(redis.read(key).exists);
    EXPECT_TRUE(redis.rebuild(key, 10, {}));
    EXPECT_EQ(redis.read(key).left, 7);
}

TEST_F(ScriptsTest, RebuildDropsWhatNobodyCouldEverEnd) {
    RedisSubject redis = subject();
    ASSERT_TRUE(redis.rebuild(key, 10, {}));
    ASSERT_EQ(redis.reserve(key, numbered_id(1), 3, false).code, BucketCode::done);
    command({"HSET", key, "r:" + numbered_id(2).hex(), "many"});
    command({"HSET", key, "r:" + numbered_id(3).hex(), "-4"});
    command({"HSET", key, "r:123", "2"});
    command({"HSET", key, "note", "5"});
    EXPECT_EQ(redis.release(key, numbered_id(2)).code, BucketCode::damaged);
    EXPECT_EQ(redis.release(key, numbered_id(3)).code, BucketCode::damaged);
    EXPECT_TRUE(redis.rebuild(key, 10, {}));
    EXPECT_EQ(redis.read(key).left, 7);
    EXPECT_EQ(command({"HLEN", key}).reply.value().integer(), 2);
}

TEST_F(ScriptsTest, RebuildDropsThousandsInOneStep) {
    RedisSubject redis = subject();
    constexpr std::uint32_t count = 10000;
    ASSERT_TRUE(redis.rebuild(key, count, {}));
    std::vector<std::string> words{"HSET", key};
    std::vector<RequestId> ids;
    for (std::uint32_t i = 0; i < count; ++i) {
        ids.push_back(numbered_id(i));
        words.push_back("r:" + ids.back().hex());
        words.push_back("1");
    }
    command(words);
    EXPECT_EQ(redis.read(key).reservations.size(), count);
    ids.pop_back();
    EXPECT_TRUE(redis.rebuild(key, 5, ids));
    const auto state = redis.read(key);
    EXPECT_EQ(state.left, 4);
    EXPECT_EQ(state.reservations.size(), 1U);
}

// The scripts take several ids at once; the gate sends one, tools may send more.
TEST_F(ScriptsTest, EndsTakeSeveralIds) {
    RedisSubject redis = subject();
    ASSERT_TRUE(redis.rebuild(key, 10, {}));
    for (std::uint32_t i = 1; i <= 4; ++i) {
        ASSERT_EQ(redis.reserve(key, numbered_id(i), 2, false).code, BucketCode::done);
    }
    const auto call = [&](const lua::Script& script, std::vector<std::uint32_t> numbers) {
        std::vector<std::string> words{"EVALSHA", std::string(script.sha1), "1", key};
        for (const auto number : numbers) words.push_back(numbered_id(number).hex());
        return command(words).reply.value().at(0).integer();
    };
    for (int repeat = 0; repeat < 2; ++repeat) {
        EXPECT_EQ(call(lua::settle, {1, 2}), 1);
        EXPECT_EQ(call(lua::release, {3, 9, 3}), 1) << "named twice, given back once";
        const auto state = redis.read(key);
        EXPECT_EQ(state.left, 4);
        EXPECT_EQ(state.reservations.size(), 1U);
    }
}

}  // namespace
}  // namespace proxy
