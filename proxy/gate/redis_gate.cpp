#include "proxy/gate/redis_gate.hpp"

#include <utility>

namespace proxy {
namespace {

RemoteReply to_remote(const LinkReply& reply) {
    RemoteReply result;
    result.duration = reply.duration;
    switch (reply.outcome) {
        case LinkOutcome::not_sent:
            result.end = CallEnd::not_sent;
            break;
        case LinkOutcome::unknown:
            result.end = CallEnd::unknown;
            break;
        case LinkOutcome::answered: {
            const auto bucket = decode_bucket_reply(reply.reply.value());
            if (bucket) {
                result.end = CallEnd::answered;
                result.bucket = *bucket;
            } else if (reply.reply.value().kind() == RespKind::error) {
                result.end = CallEnd::refused;
            } else {
                result.end = CallEnd::unknown;  // not one of our scripts answered
            }
            break;
        }
    }
    return result;
}

}  // namespace

RedisGate::RedisGate(
    const boost::asio::any_io_executor& executor, RedisOptions options, DirtyBuckets& dirty
)
    : link_(executor, std::move(options), [&dirty](const std::string& key) { dirty.mark(key); }) {}

Task<RemoteReply> RedisGate::reserve(
    const std::string& key, const RequestId& id, std::int64_t units, bool forced
) {
    RemoteReply result;
    if (!is_valid_units(units)) {
        // More than any bucket can hold; the ledger knows better what to do with it.
        result.end = forced ? CallEnd::not_sent : CallEnd::answered;
        result.bucket.code = BucketCode::insufficient;
        co_return result;
    }
    auto call = link_.call(key, encode_reserve(key, id, units, forced));
    const LinkReply reply = co_await std::move(call);
    co_return to_remote(reply);
}

void RedisGate::post(const std::string& key, std::string bytes, Done done) {
    link_.post(key, std::move(bytes), [done = std::move(done)](const LinkReply& reply) {
        if (done) done(to_remote(reply));
    });
}

void RedisGate::settle(const std::string& key, const RequestId& id, Done done) {
    post(key, encode_settle(key, id), std::move(done));
}

void RedisGate::release(const std::string& key, const RequestId& id, Done done) {
    post(key, encode_release(key, id), std::move(done));
}

void RedisGate::credit(const std::string& key, std::int64_t units, Done done) {
    if (!is_valid_units(units)) {
        if (done) done(RemoteReply{});
        return;
    }
    post(key, encode_credit(key, units), std::move(done));
}

Task<bool> RedisGate::read(const std::string& key, BucketState& state) {
    auto call = link_.call({}, encode_read(key));
    const LinkReply reply = co_await std::move(call);
    if (reply.outcome != LinkOutcome::answered) co_return false;
    auto decoded = decode_state(reply.reply.value());
    if (!decoded) co_return false;
    state = std::move(*decoded);
    co_return true;
}

Task<bool> RedisGate::rebuild(
    const std::string& key, std::int64_t remainder, const std::vector<RequestId>& settled
) {
    if (!is_valid_units(remainder)) co_return false;
    auto call = link_.call(key, encode_rebuild(key, remainder, settled));
    const LinkReply reply = co_await std::move(call);
    const RemoteReply result = to_remote(reply);
    co_return result.end == CallEnd::answered&& result.bucket.code == BucketCode::done;
}

Task<bool> RedisGate::remove(const std::string& key) {
    auto call = link_.call({}, encode_remove(key));
    const LinkReply reply = co_await std::move(call);
    co_return reply.outcome == LinkOutcome::answered&& reply.reply.value().kind() ==
        RespKind::integer;
}

Task<bool> RedisGate::ping() {
    auto call = link_.call({}, encode_ping());
    const LinkReply reply = co_await std::move(call);
    co_return reply.outcome == LinkOutcome::answered&& reply.reply.value().text() == "PONG";
}

}  // namespace proxy
