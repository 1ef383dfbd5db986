// What a session does with prepared statements: decisions only, no I/O, like plan.cpp.
#include "proxy/session/session.hpp"

#include <cctype>

namespace proxy {

using protocol::Command;

namespace {

constexpr std::uint32_t last_prepared_id = 0xffffffff;  // MariaDB: "the statement prepared last"
constexpr std::uint8_t cursor_flags = 0x07;             // read only, for update, scrollable
constexpr std::size_t kept_text_max = 64 * 1024;  // of a prepared statement, to recognise it anew

constexpr std::uint8_t byte_of(Command command) {
    return static_cast<std::uint8_t>(command);
}

bool begins_with_letter(std::string_view text, char lower_letter) {
    const auto first = text.find_first_not_of(" \t\r\n\f\v");
    return first != std::string_view::npos &&
           std::tolower(static_cast<unsigned char>(text[first])) == lower_letter;
}

}  // namespace

Session::Plan Session::plan_prepare(Bytes payload) {
    const std::string_view text{
        reinterpret_cast<const char*>(payload.data()) + 1, payload.size() - 1};
    if (must_ask(text)) return AskSession{};
    auto statement = rewrite::analyse(text, core_.registry->rules, dialect(), schema_);
    const bool reads_only = statement.kind == rewrite::Kind::other &&
                            begins_with_letter(text, 's') &&
                            !std::holds_alternative<rewrite::HotUpdate>(statement.action) &&
                            !std::holds_alternative<rewrite::Touches>(statement.action);
    if (reads_only) return Pass{};
    auto preparing = std::make_unique<PreparedStatement>();
    if (text.size() <= kept_text_max) preparing->text = std::string{text};
    preparing->default_schema = schema_;
    preparing->rules_version = core_.registry->version;
    preparing->statement = std::move(statement);
    next_pending_.preparing = std::move(preparing);
    return Pass{};
}

// The statement as it reads under the registry of now: a table may have become managed after the
// PREPARE.
PreparedStatement* Session::find_prepared(std::uint32_t id) {
    const auto found = prepared_.find(id);
    if (found == prepared_.end()) return nullptr;
    PreparedStatement& prepared = *found->second;
    if (prepared.rules_version != core_.registry->version && !prepared.text.empty()) {
        prepared.statement = rewrite::analyse(
            prepared.text, core_.registry->rules, dialect(), prepared.default_schema
        );
        prepared.rules_version = core_.registry->version;
    }
    return &prepared;
}

// `size`: of the whole packet, 0 if it is longer than we hold.
Session::Plan Session::plan_execute(Bytes payload, bool complete, std::size_t size) {
    const auto sent_id = protocol::statement_id_of(payload);
    if (!sent_id) return Pass{};
    // Asked for no cursor, a server still tells of one that a function of the statement opened.
    const bool bulk = payload[0] == byte_of(Command::mariadb_stmt_bulk_execute);
    const bool asks_for_cursor = payload.size() > 5 && (payload[5] & cursor_flags) != 0;
    if (!bulk && !asks_for_cursor) expect(payload[0], protocol::ReplyShape::result);
    // The id of a statement whose PREPARE is still on its way is not known yet.
    if (*sent_id == last_prepared_id && !backend_->drained()) return WaitReplies{};
    PreparedStatement* prepared =
        find_prepared(*sent_id == last_prepared_id ? last_prepared_ : *sent_id);
    if (prepared == nullptr) return Pass{};
    const auto& statement = prepared->statement;
    note_statement(statement, prepared->text);
    const bool is_hot = std::holds_alternative<rewrite::HotUpdate>(statement.action);
    if (!is_hot && !std::holds_alternative<rewrite::Touches>(statement.action)) return Pass{};
    const std::size_t table = is_hot ? std::get<rewrite::HotUpdate>(statement.action).table
                                     : std::get<rewrite::Touches>(statement.action).table;
    if (!has_hot_sku(table)) return Pass{};
    if (bulk || prepared->has_long_data || size == 0) {
        Refuse refuse;
        refuse.error = replies::refused(
            bulk ? "bulk execution is not available for a table with hot SKUs; execute row by row"
                 : "parameters sent as long data cannot be read here; bind them directly"
        );
        core_.metrics->refused(RefusalReason::touches).add();
        if (size == 0) {
            End end;
            end.error = std::move(refuse.error);
            end.reason = "COM_STMT_EXECUTE is too long";
            return end;
        }
        if (!complete) return NeedBytes{size};
        return refuse;
    }
    if (!complete) return NeedBytes{size};
    auto execute = protocol::decode_execute(
        payload, prepared->param_count, prepared->types, backend_->capabilities()
    );
    if (!execute) {
        End end;
        end.error =
            replies::unreadable_packet("COM_STMT_EXECUTE: its parameters are not understood");
        end.reason = "COM_STMT_EXECUTE";
        return end;
    }
    if (execute->new_types) prepared->types = execute->types;
    Plan plan = plan_statement(statement, execute->values, prepared->text, true);
    if (std::holds_alternative<Pass>(plan)) {
        if (execute->new_types) {
            prepared->server_has_types = true;
        } else if (!prepared->server_has_types && prepared->param_count > 0) {
            // The types came with an execution that never reached the server.
            Replace replace;
            replace.payload = protocol::with_types(
                payload, *execute, prepared->param_count, backend_->capabilities()
            );
            if (!replace.payload.empty()) {
                prepared->server_has_types = true;
                return replace;
            }
        }
    } else if (execute->new_types) {
        prepared->server_has_types = false;
    }
    return plan;
}

// COM_STMT_CLOSE, RESET or SEND_LONG_DATA: what the next execution may rely on.
void Session::note_statement_command(Bytes payload) {
    const auto id = protocol::statement_id_of(payload);
    if (!id) return;
    if (payload[0] == byte_of(Command::stmt_close)) {
        prepared_.erase(*id);
    } else if (auto* statement = find_prepared(*id)) {
        statement->has_long_data = payload[0] == byte_of(Command::stmt_send_long_data);
    }
}

}  // namespace proxy
