#pragma once
// The prepared statements of one session that could ever matter: their text, what the recogniser
// said of it, and the parameter types of the last execution. Statements that only read are not
// kept.

#include "protocol/statement.hpp"
#include "rewrite/statement.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace proxy {

struct PreparedStatement {
    std::string text;
    std::string default_schema;       // at the time of the PREPARE
    std::uint64_t rules_version = 0;  // registry version that `statement` was recognised under
    rewrite::Statement statement;
    std::uint16_t param_count = 0;
    std::vector<protocol::ParamType> types;
    bool server_has_types = false;  // these very ones; executions that are booked never reach it
    bool has_long_data = false;     // COM_STMT_SEND_LONG_DATA since the last execution
};

using PreparedStatements = std::unordered_map<std::uint32_t, std::unique_ptr<PreparedStatement>>;

}  // namespace proxy
