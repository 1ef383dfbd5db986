#include "proxy/cli/gate_access.hpp"

#include "proxy/gate/gate_codec.hpp"

#include <algorithm>

namespace proxy {
namespace {

constexpr std::chrono::seconds stop_patience{1};

RedisOptions options_of(const config::Redis& redis) {
    RedisOptions options;
    options.host = redis.address.host;
    options.port = redis.address.port;
    options.username = redis.username;
    options.password = redis.password;
    options.database = redis.database;
    options.timeout = std::max(redis.timeout, GateAccess::patience_min);
    options.connect_timeout = redis.connect_timeout;
    return options;
}

void ignore_late_end(const std::string&) {}

struct Answer {
    LinkReply reply;
    bool done = false;
};

Task<> ask(RedisLink& link, std::string bytes, Answer& answer) {
    auto call = link.call({}, std::move(bytes));
    answer.reply = co_await std::move(call);
    answer.done = true;
}

bool is_answer(const LinkReply& reply) {
    return reply.outcome == LinkOutcome::answered && reply.reply.value().kind() != RespKind::error;
}

}  // namespace

GateAccess::GateAccess(const config::Redis& redis)
    : link_(loop_.get_executor(), options_of(redis), &ignore_late_end) {
    link_.start();
}

GateAccess::~GateAccess() {
    link_.stop();
    loop_.restart();
    loop_.run_for(stop_patience);  // returns as soon as the link's tasks have ended
}

LinkReply GateAccess::call(std::string bytes) {
    Answer answer;
    auto task = ask(link_, std::move(bytes), answer);
    spawn(loop_.get_executor(), "gate_access", std::move(task));
    loop_.restart();
    while (!answer.done && loop_.run_one() > 0) {
    }
    return std::move(answer.reply);
}

bool GateAccess::ping() {
    return is_answer(call(encode_ping()));
}

bool GateAccess::read(const std::string& key, BucketState& state) {
    const auto reply = call(encode_read(key));
    if (reply.outcome != LinkOutcome::answered) return false;
    auto decoded = decode_state(reply.reply.value());
    if (!decoded) return false;
    state = std::move(*decoded);
    return true;
}

bool GateAccess::remove(const std::string& key) {
    return is_answer(call(encode_remove(key)));
}

bool GateAccess::text(
    const std::vector<std::string_view>& words, std::string& answer, std::string& error
) {
    const auto reply = call(resp_command(words));
    if (reply.outcome != LinkOutcome::answered) return false;
    auto value = reply.reply.value();
    if (value.kind() == RespKind::error) {
        error = value.text();
        return true;
    }
    if (value.kind() == RespKind::array && value.size() > 0) value = value.at(value.size() - 1);
    answer = value.text();
    return true;
}

}  // namespace proxy
