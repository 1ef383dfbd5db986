#include "proxy/gate/gate_codec.hpp"

#include "lua/scripts.hpp"

#include <array>
#include <charconv>

namespace proxy {
namespace {

constexpr std::size_t field_length = 34;  // "r:" and 32 hex digits

std::string evalsha(
    const lua::Script& script, std::string_view key, const std::vector<std::string>& arguments
) {
    std::vector<std::string_view> words{"EVALSHA", script.sha1, "1", key};
    words.insert(words.end(), arguments.begin(), arguments.end());
    return resp_command(words);
}

std::optional<std::int64_t> parse_whole(std::string_view text) {
    std::int64_t value = 0;
    const auto* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, value);
    if (error != std::errc{} || stop != end) return std::nullopt;
    if (value > units_max || value < -units_max) return std::nullopt;
    return value;
}

}  // namespace

std::string encode_reserve(
    std::string_view key, const RequestId& id, std::int64_t units, bool forced
) {
    const std::string hex = id.hex();
    const std::string amount = std::to_string(units);
    const std::array<std::string_view, 7> words{
        "EVALSHA", lua::reserve.sha1, "1", key, hex, amount, forced ? "1" : "0"};
    return resp_command(words);
}

std::string encode_settle(std::string_view key, const RequestId& id) {
    return evalsha(lua::settle, key, {id.hex()});
}

std::string encode_release(std::string_view key, const RequestId& id) {
    return evalsha(lua::release, key, {id.hex()});
}

std::string encode_credit(std::string_view key, std::int64_t units) {
    return evalsha(lua::credit, key, {std::to_string(units)});
}

std::string encode_rebuild(
    std::string_view key, std::int64_t remainder, const std::vector<RequestId>& settled
) {
    std::vector<std::string> arguments;
    arguments.reserve(settled.size() + 1);
    arguments.push_back(std::to_string(remainder));
    for (const auto& id : settled) arguments.push_back(id.hex());
    return evalsha(lua::rebuild, key, arguments);
}

std::string encode_read(std::string_view key) {
    const std::array<std::string_view, 2> words{"HGETALL", key};
    return resp_command(words);
}

std::string encode_remove(std::string_view key) {
    const std::array<std::string_view, 2> words{"DEL", key};
    return resp_command(words);
}

std::string encode_ping() {
    const std::array<std::string_view, 1> words{"PING"};
    return resp_command(words);
}

std::optional<BucketReply> decode_bucket_reply(RespValue reply) {
    if (reply.kind() != RespKind::array || reply.size() < 1 || reply.size() > 2)
        return std::nullopt;
    if (reply.at(0).kind() != RespKind::integer) return std::nullopt;
    BucketReply result;
    switch (reply.at(0).integer()) {
        case 1:
            result.code = BucketCode::done;
            break;
        case 0:
            result.code = BucketCode::insufficient;
            break;
        case -1:
            result.code = BucketCode::missing;
            break;
        case -2:
            result.code = BucketCode::damaged;
            break;
        default:
            return std::nullopt;
    }
    if (reply.size() == 2) {
        if (reply.at(1).kind() != RespKind::integer) return std::nullopt;
        result.left = reply.at(1).integer();
    }
    return result;
}

std::optional<BucketState> decode_state(RespValue reply) {
    BucketState state;
    if (reply.kind() == RespKind::error && reply.text().starts_with("WRONGTYPE")) return state;
    if (reply.kind() != RespKind::array || reply.size() % 2 != 0) return std::nullopt;
    for (std::size_t i = 0; i < reply.size(); i += 2) {
        const auto field = reply.at(i).text();
        const auto value = parse_whole(reply.at(i + 1).text());
        if (!value) continue;
        if (field == "left") {
            state.exists = true;
            state.left = *value;
        } else if (field.size() == field_length && field.starts_with("r:") && *value >= 0) {
            const auto id = RequestId::from_hex(field.substr(2));
            if (id) state.reservations.push_back(GateReservation{*id, *value});
        }
    }
    return state;
}

}  // namespace proxy
