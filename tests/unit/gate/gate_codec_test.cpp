#include "proxy/gate/gate_codec.hpp"

#include "lua/scripts.hpp"
#include "proxy/gate/log_limit.hpp"
#include "proxy/gate/redis_error.hpp"
#include "proxy/gate/redis_handshake.hpp"
#include "tests/unit/gate/bucket_cases.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>

namespace proxy {
namespace {

using namespace std::chrono_literals;
using testing::numbered_id;

RespReply parse(const std::string& bytes) {
    RespReader reader;
    reader.feed(bytes);
    RespReply reply = reader.next();
    EXPECT_TRUE(reply) << bytes;
    return reply;
}

std::optional<BucketReply> decode(const std::string& bytes) {
    const RespReply reply = parse(bytes);
    return decode_bucket_reply(reply.value());
}

TEST(Resp, CommandsAreBinarySafe) {
    using namespace std::string_view_literals;
    const std::array words{"GET"sv, "a\0\r\nb"sv, ""sv};
    EXPECT_EQ(resp_command(words), "*3\r\n$3\r\nGET\r\n$5\r\na\0\r\nb\r\n$0\r\n\r\n"sv);
}

TEST(Resp, RepliesArriveInAnyPieces) {
    const std::string bytes = "*2\r\n:1\r\n:-42\r\n$3\r\nabc\r\n-OOM no\r\n$-1\r\n+OK\r\n";
    for (std::size_t piece = 1; piece <= bytes.size(); ++piece) {
        RespReader reader;
        std::vector<RespReply> replies;
        for (std::size_t at = 0; at < bytes.size(); at += piece) {
            reader.feed(std::string_view(bytes).substr(at, piece));
            for (RespReply reply = reader.next(); reply; reply = reader.next()) {
                replies.push_back(std::move(reply));
            }
        }
        ASSERT_EQ(replies.size(), 5U);
        EXPECT_EQ(replies[0].value().at(1).integer(), -42);
        EXPECT_EQ(replies[0].value().at(2).kind(), RespKind::none);
        EXPECT_EQ(replies[1].value().text(), "abc");
        EXPECT_EQ(replies[2].value().kind(), RespKind::error);
        EXPECT_EQ(replies[3].value().kind(), RespKind::nil);
        EXPECT_EQ(replies[4].value().text(), "OK");
        EXPECT_FALSE(reader.is_broken());
    }
}

TEST(Resp, NonsenseBreaksTheReader) {
    RespReader reader;
    reader.feed("HTTP/1.1 400 Bad Request\r\n\r\n");
    EXPECT_FALSE(reader.next());
    EXPECT_TRUE(reader.is_broken());
    reader.feed("+OK\r\n");
    EXPECT_FALSE(reader.next()) << "a broken stream is never trusted again";
}

TEST(GateCodec, ReserveIsOneEvalshaWithOneKey) {
    const auto bytes = encode_reserve("stock:1:0", numbered_id(7), 12, true);
    const std::string hex = numbered_id(7).hex();
    EXPECT_EQ(hex, "AB000000000000000000000000000007");
    EXPECT_EQ(
        bytes,
        "*7\r\n$7\r\nEVALSHA\r\n$40\r\n" + std::string(lua::reserve.sha1) +
            "\r\n$1\r\n1\r\n$9\r\nstock:1:0\r\n$32\r\n" + hex + "\r\n$2\r\n12\r\n$1\r\n1\r\n"
    );
}

TEST(GateCodec, DecodesEveryCode) {
    EXPECT_EQ(decode("*2\r\n:1\r\n:7\r\n")->code, BucketCode::done);
    EXPECT_EQ(decode("*2\r\n:1\r\n:-7\r\n")->left, -7);
    EXPECT_EQ(decode("*2\r\n:0\r\n:3\r\n")->code, BucketCode::insufficient);
    EXPECT_EQ(decode("*1\r\n:-1\r\n")->code, BucketCode::missing);
    EXPECT_EQ(decode("*1\r\n:-2\r\n")->code, BucketCode::damaged);
}

TEST(GateCodec, RefusesWhatNoScriptAnswers) {
    for (const auto* bytes :
         {":1\r\n",
          "+OK\r\n",
          "$-1\r\n",
          "*0\r\n",
          "*1\r\n:2\r\n",
          "*1\r\n:-3\r\n",
          "*1\r\n$1\r\n1\r\n",
          "*2\r\n:1\r\n$1\r\n7\r\n",
          "*3\r\n:1\r\n:1\r\n:1\r\n",
          "-OOM command not allowed\r\n"}) {
        EXPECT_FALSE(decode(bytes).has_value()) << bytes;
    }
}

TEST(GateCodec, ReadsABucket) {
    const std::string field = "r:" + numbered_id(7).hex();
    const auto reply = parse(
        "*8\r\n$4\r\nleft\r\n$2\r\n-5\r\n$34\r\n" + field +
        "\r\n$1\r\n3\r\n$3\r\nfoo\r\n$1\r\n1\r\n$3\r\nr:x\r\n$1\r\n1\r\n"
    );
    const auto state = decode_state(reply.value());
    ASSERT_TRUE(state.has_value());
    EXPECT_TRUE(state->exists);
    EXPECT_EQ(state->left, -5);
    ASSERT_EQ(state->reservations.size(), 1U);
    EXPECT_EQ(state->reservations[0].id, numbered_id(7));
    EXPECT_EQ(state->reservations[0].units, 3);
}

TEST(GateCodec, ReadsDamageAsNotExisting) {
    for (const auto* bytes :
         {"*0\r\n",
          "-WRONGTYPE Operation against a key holding the wrong kind of value\r\n",
          "*2\r\n$4\r\nleft\r\n$3\r\n1.5\r\n",
          "*2\r\n$4\r\nleft\r\n$16\r\n9007199254740992\r\n"}) {
        const auto reply = parse(bytes);
        const auto state = decode_state(reply.value());
        ASSERT_TRUE(state.has_value()) << bytes;
        EXPECT_FALSE(state->exists) << bytes;
    }
    const auto refused = parse("-LOADING Redis is loading\r\n");
    EXPECT_FALSE(decode_state(refused.value()).has_value());
}

TEST(RedisErrors, AreClassified) {
    const std::vector<std::pair<std::string_view, RedisError>> cases{
        {"READONLY You can't write against a read only replica.", RedisError::readonly},
        {"LOADING Redis is loading the dataset in memory", RedisError::loading},
        {"MOVED 3999 127.0.0.1:6381", RedisError::moved},
        {"ASK 3999 127.0.0.1:6381", RedisError::moved},
        {"OOM command not allowed when used memory > 'maxmemory'.", RedisError::out_of_memory},
        {"NOAUTH Authentication required.", RedisError::authentication},
        {"WRONGPASS invalid username-password pair", RedisError::authentication},
        {"NOPERM this user has no permissions", RedisError::no_permission},
        {"NOSCRIPT No matching script.", RedisError::no_script},
        {"BUSY Redis is busy running a script.", RedisError::busy},
        {"MISCONF Redis is configured to save RDB snapshots", RedisError::not_writable},
        {"CLUSTERDOWN Hash slot not served", RedisError::not_writable},
        {"ERR Error running script (call to f_1): @user_script:36: @user_script: 36: -OOM command "
         "not allowed when used memory > 'maxmemory'.",
         RedisError::out_of_memory},
        {"ERR unknown command", RedisError::other},
        {"", RedisError::other},
        {"OOMPH is not a code", RedisError::other}};
    for (const auto& [text, error] : cases) {
        EXPECT_EQ(redis_error_name(classify_redis_error(text)), redis_error_name(error)) << text;
        EXPECT_FALSE(redis_error_hint(error).empty());
    }
}

TEST(Handshake, SendsOnlyWhatIsConfigured) {
    RedisOptions options;
    EXPECT_EQ(handshake_commands(options).size(), lua::all().size());
    options.password = config::Secret("open sesame");
    options.database = 3;
    options.check_policy = true;
    auto commands = handshake_commands(options);
    ASSERT_EQ(commands.size(), lua::all().size() + 3);
    EXPECT_EQ(commands[0].bytes, "*2\r\n$4\r\nAUTH\r\n$11\r\nopen sesame\r\n");
    EXPECT_EQ(commands[1].bytes, "*2\r\n$6\r\nSELECT\r\n$1\r\n3\r\n");
    options.username = "gate";
    commands = handshake_commands(options);
    EXPECT_EQ(commands[0].bytes, "*3\r\n$4\r\nAUTH\r\n$4\r\ngate\r\n$11\r\nopen sesame\r\n");
}

TEST(Handshake, NeverRepeatsASecret) {
    RedisOptions options;
    options.password = config::Secret("open sesame");
    const auto auth = handshake_commands(options).front();
    const auto reply = parse("-ERR unknown command 'AUTH', args: 'open sesame'\r\n");
    const auto problem = judge_handshake(auth, reply.value());
    ASSERT_TRUE(problem.has_value());
    EXPECT_TRUE(problem->fatal);
    EXPECT_EQ(problem->error, RedisError::authentication);
    EXPECT_EQ(problem->what.find("sesame"), std::string::npos);
}

TEST(Handshake, WarnsOfEviction) {
    RedisOptions options;
    options.check_policy = true;
    const auto policy = handshake_commands(options).back();
    const auto evicts = parse("$34\r\na:1\r\nmaxmemory_policy:allkeys-lru\r\n\r\n");
    const auto problem = judge_handshake(policy, evicts.value());
    ASSERT_TRUE(problem.has_value());
    EXPECT_FALSE(problem->fatal);
    EXPECT_NE(problem->what.find("allkeys-lru"), std::string::npos);
    const auto good = parse("$29\r\nmaxmemory_policy:noeviction\r\n\r\n");
    EXPECT_FALSE(judge_handshake(policy, good.value()).has_value());
    const auto denied = parse("-NOPERM no\r\n");
    EXPECT_FALSE(judge_handshake(policy, denied.value())->fatal);
}

TEST(LogLimit, CountsWhatItHoldsBack) {
    LogLimit limit(1000ms);
    const LogLimit::Time now{};
    EXPECT_EQ(limit.admit(1, now), 0U);
    EXPECT_EQ(limit.admit(2, now), 0U) << "another kind";
    EXPECT_FALSE(limit.admit(1, now + 10ms).has_value());
    EXPECT_FALSE(limit.admit(1, now + 999ms).has_value());
    EXPECT_EQ(limit.admit(1, now + 1000ms), 2U);
    EXPECT_FALSE(limit.admit(1, now + 1001ms).has_value());
}

// Rules that every script must keep, checked on what is embedded.
TEST(Scripts, KeepTheRules) {
    for (const auto* script : lua::all()) {
        const std::string text(script->text);
        const ::testing::ScopedTrace trace(__FILE__, __LINE__, std::string(script->name));
        EXPECT_EQ(script->keys, 1);
        EXPECT_TRUE(script->name.ends_with("-1"));
        EXPECT_EQ(script->sha1.size(), 40U);
        EXPECT_LT(std::count(text.begin(), text.end(), '\n'), 60);
        for (const auto* part : {"-- KEYS[1]", "-- ARGV", "-- Replies", "-- Repeat"}) {
            EXPECT_NE(text.find(part), std::string::npos) << part;
        }
        for (const auto* never : {"KEYS[2]", "EXPIRE", "SETEX", "'TIME'", "INCRBYFLOAT"}) {
            EXPECT_EQ(text.find(never), std::string::npos) << never;
        }
    }
}

TEST(Scripts, CodesAreThoseOfTheReadme) {
    std::ifstream file(STOCKGATE_LUA_README);
    std::stringstream text;
    text << file.rdbuf();
    const std::vector<std::pair<std::string, BucketCode>> codes{
        {"done", BucketCode::done},
        {"insufficient", BucketCode::insufficient},
        {"missing", BucketCode::missing},
        {"damaged", BucketCode::damaged}};
    for (const auto& [name, code] : codes) {
        const std::string row = "| " + std::to_string(static_cast<int>(code)) + " | " + name + " |";
        EXPECT_NE(text.str().find(row), std::string::npos) << row;
    }
}

}  // namespace
}  // namespace proxy
