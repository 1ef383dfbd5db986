#include "proxy/gate/redis_handshake.hpp"

#include "lua/scripts.hpp"

#include <array>

namespace proxy {
namespace {

HandshakeProblem refused(const HandshakeCommand& command, RespValue reply) {
    HandshakeProblem problem;
    problem.error = classify_redis_error(reply.text());
    switch (command.step) {
        case HandshakeStep::auth:
            // Whatever the server says about AUTH, and it may quote it: credentials are the cause,
            // except while it cannot answer anything.
            if (problem.error == RedisError::other) problem.error = RedisError::authentication;
            problem.what = "AUTH was refused";
            break;
        case HandshakeStep::select:
            problem.what = "SELECT was refused; does gate.redis.database exist";
            break;
        case HandshakeStep::load_script:
            problem.what = "SCRIPT LOAD of " + std::string(command.script->name) + " was refused";
            break;
        case HandshakeStep::memory_policy:
            problem.what = "INFO memory was refused: the eviction policy could not be checked";
            problem.fatal = false;
            break;
    }
    return problem;
}

std::optional<HandshakeProblem> judge_policy(std::string_view info) {
    constexpr std::string_view label = "maxmemory_policy:";
    const auto at = info.find(label);
    if (at == std::string_view::npos) return std::nullopt;
    const auto rest = info.substr(at + label.size());
    const auto policy = rest.substr(0, rest.find_first_of("\r\n"));
    if (policy == "noeviction") return std::nullopt;
    HandshakeProblem problem;
    problem.what = "maxmemory-policy is " + std::string(policy) +
                   ": buckets may vanish without an error; set it to noeviction";
    problem.fatal = false;
    return problem;
}

}  // namespace

std::string encode_load(const lua::Script& script) {
    const std::array<std::string_view, 3> words{"SCRIPT", "LOAD", script.text};
    return resp_command(words);
}

std::vector<HandshakeCommand> handshake_commands(const RedisOptions& options) {
    std::vector<HandshakeCommand> commands;
    if (!options.password.empty() || !options.username.empty()) {
        std::vector<std::string_view> words{"AUTH"};
        if (!options.username.empty()) words.emplace_back(options.username);
        words.emplace_back(options.password.reveal());
        commands.push_back(HandshakeCommand{HandshakeStep::auth, nullptr, resp_command(words)});
    }
    if (options.database != 0) {
        const std::string number = std::to_string(options.database);
        const std::array<std::string_view, 2> words{"SELECT", number};
        commands.push_back(HandshakeCommand{HandshakeStep::select, nullptr, resp_command(words)});
    }
    for (const auto* script : lua::all()) {
        commands.push_back(HandshakeCommand{
            HandshakeStep::load_script, script, encode_load(*script)});
    }
    if (options.check_policy) {
        const std::array<std::string_view, 2> words{"INFO", "memory"};
        commands.push_back(HandshakeCommand{
            HandshakeStep::memory_policy, nullptr, resp_command(words)});
    }
    return commands;
}

std::optional<HandshakeProblem> judge_handshake(const HandshakeCommand& command, RespValue reply) {
    if (reply.kind() == RespKind::error) return refused(command, reply);
    if (command.step == HandshakeStep::memory_policy) return judge_policy(reply.text());
    if (command.step == HandshakeStep::load_script && reply.text() != command.script->sha1) {
        HandshakeProblem problem;
        problem.what = "SCRIPT LOAD of " + std::string(command.script->name) +
                       " answered another SHA-1: something between us changes commands";
        return problem;
    }
    return std::nullopt;
}

}  // namespace proxy
