// What a session does with one command packet: decisions only, no I/O. The rule for doubt: a
// statement that cannot touch a hot SKU's stock passes unchanged; one that may, and is not
// understood, is refused.
#include "protocol/packets.hpp"
#include "proxy/session/session.hpp"
#include "rewrite/tokenizer.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <cctype>

namespace proxy {

using protocol::Command;
using protocol::frame_header_size;
using protocol::frame_payload_max;
using protocol::ReplyShape;

namespace {

constexpr std::size_t statement_head = 5;  // command byte and statement id

constexpr std::uint8_t byte_of(Command command) {
    return static_cast<std::uint8_t>(command);
}

bool contains_ignoring_case(std::string_view text, std::string_view lower_word) {
    const auto found = std::search(
        text.begin(),
        text.end(),
        lower_word.begin(),
        lower_word.end(),
        [](unsigned char a, unsigned char b) { return std::tolower(a) == b; }
    );
    return found != text.end();
}

CommandClass class_of(std::uint8_t command) {
    switch (command) {
        case byte_of(Command::query):
            return CommandClass::query;
        case byte_of(Command::stmt_prepare):
            return CommandClass::prepare;
        case byte_of(Command::stmt_execute):
        case byte_of(Command::mariadb_stmt_bulk_execute):
            return CommandClass::execute;
        default:
            return CommandClass::other;
    }
}

bool equals_ignoring_case(std::string_view text, std::string_view lower_word) {
    return text.size() == lower_word.size() && contains_ignoring_case(text, lower_word);
}

// Statements that begin with these words end no transaction by themselves; of all others (DDL, LOCK
// TABLES, ANALYZE TABLE, SET PASSWORD, ...) some commit before they run, on some servers.
bool may_commit(std::string_view text, const rewrite::Dialect& dialect) {
    static constexpr std::string_view harmless[] = {
        "select",
        "insert",
        "update",
        "delete",
        "replace",
        "with",
        "show",
        "explain",
        "desc",
        "describe",
        "values",
        "table",
        "use",
    };
    rewrite::Tokenizer tokenizer{text, dialect};
    rewrite::Token token = tokenizer.next();
    while (rewrite::is_filler(token.kind) || token.text == "(") token = tokenizer.next();
    return std::none_of(std::begin(harmless), std::end(harmless), [&](std::string_view word) {
        return equals_ignoring_case(token.text, word);
    });
}

// Commands beside SQL that leave an open transaction alone.
bool leaves_transaction_alone(std::uint8_t command) {
    static constexpr Command harmless[] = {
        Command::query,
        Command::stmt_prepare,
        Command::stmt_execute,
        Command::stmt_fetch,
        Command::stmt_reset,
        Command::mariadb_stmt_bulk_execute,
        Command::init_db,
        Command::field_list,
        Command::ping,
        Command::statistics,
        Command::process_info,
        Command::process_kill,
        Command::set_option,
    };
    return std::any_of(std::begin(harmless), std::end(harmless), [&](Command one) {
        return byte_of(one) == command;
    });
}

std::string_view text_of(BindProblem problem) {
    switch (problem) {
        case BindProblem::null_amount:
            return "the new stock would be NULL";
        case BindProblem::null_guard:
            return "the guard compares with NULL";
        case BindProblem::not_integer:
            return "the quantity is no whole number";
        case BindProblem::out_of_range:
            return "the quantity is beyond 64 bits";
        case BindProblem::guarded_return:
            return "a return that depends on the stock is not available; leave its condition out";
        case BindProblem::null_key:
            return "the key is NULL";
        case BindProblem::unclear_key:
            return "the key value does not have the key column's type; write it as that type";
    }
    return "";
}

}  // namespace

void Session::expect(std::uint8_t command, ReplyShape shape) {
    next_pending_.command = command;
    next_pending_.shape = shape;
}

Session::End Session::unreadable(const char* what) {
    End end;
    end.error = replies::unreadable_packet(what);
    end.reason = what;
    return end;
}

Session::Plan Session::plan_packet(Bytes packet, std::size_t frame_length) {
    next_pending_ = PendingReply{};
    if (awaits_stream_ && !backend_->drained()) return WaitReplies{};
    awaits_stream_ = false;
    if (frame_length == 0) {
        expect(0, ReplyShape::unknown);  // the server answers with an error
        return Pass{};
    }
    if (packet.size() < frame_header_size + 1) return NeedBytes{frame_header_size + 1};
    const Bytes payload = packet.subspan(
        frame_header_size, std::min(packet.size() - frame_header_size, frame_length)
    );
    const std::uint8_t command = payload[0];
    const std::size_t size = frame_header_size + frame_length;
    const bool complete = packet.size() >= size;
    const bool oversize =
        frame_length == frame_payload_max || size > core_.config->limits.inspect_bytes_max;
    expect(command, protocol::reply_shape(command));
    next_pending_.transaction.may_commit = !leaves_transaction_alone(command);
    core_.metrics->command(class_of(command)).add();

    switch (command) {
        case byte_of(Command::query):
        case byte_of(Command::stmt_prepare):
            if (oversize) {
                next_pending_.transaction.kind = rewrite::Kind::opaque;
                if (core_.registry->rules.empty()) return Pass{};
                return ScanOversize{};
            }
            if (!complete) return NeedBytes{size};
            return command == byte_of(Command::query) ? plan_query(payload) : plan_prepare(payload);
        case byte_of(Command::stmt_execute):
        case byte_of(Command::mariadb_stmt_bulk_execute):
            if (frame_length < statement_head)
                return Pass{};  // the server says what is wrong with it
            if (payload.size() < std::min(frame_length, statement_head + 1))
                return NeedBytes{frame_header_size + std::min(frame_length, statement_head + 1)};
            return plan_execute(payload, complete, oversize ? 0 : size);
        case byte_of(Command::stmt_send_long_data):
        case byte_of(Command::stmt_close):
        case byte_of(Command::stmt_reset):
            if (frame_length < statement_head) return Pass{};
            if (payload.size() < statement_head)
                return NeedBytes{frame_header_size + statement_head};
            note_statement_command(payload);
            return Pass{};
        case byte_of(Command::init_db):
            if (oversize) return Pass{};
            if (!complete) return NeedBytes{size};
            next_pending_.schema.assign(payload.begin() + 1, payload.end());
            return Pass{};
        case byte_of(Command::change_user):
            if (oversize) return unreadable("COM_CHANGE_USER is too long");
            if (!complete) return NeedBytes{size};
            return ChangeUser{};
        case byte_of(Command::reset_connection):
            next_pending_.transaction.resets_session = true;
            return Pass{};
        case byte_of(Command::quit):
            return Quit{};
        default:
            break;
    }
    // Whether a stream begins is known with the reply, and whatever comes behind depends on it.
    awaits_stream_ = next_pending_.shape == ReplyShape::raw;
    return Pass{};
}

const rewrite::Dialect& Session::dialect() {
    const std::uint16_t status = transaction_.status();
    dialect_.no_backslash_escapes = (status & protocol::status::no_backslash_escapes) != 0;
    if (dialect_.is_mariadb) dialect_.ansi_quotes = (status & protocol::status::ansi_quotes) != 0;
    return dialect_;
}

// Reading the text right needs something about the session that may have changed unseen: the
// default schema always, sql_mode where quotes or NOT depend on it, the character set where bytes
// beyond ASCII are.
bool Session::must_ask(std::string_view text) const {
    const bool quotes_depend = !dialect_.is_mariadb && text.find('"') != std::string_view::npos;
    const bool mode_matters =
        !sql_mode_known_ && (quotes_depend || contains_ignoring_case(text, "not"));
    const bool charset_matters =
        !charset_known_ && std::any_of(text.begin(), text.end(), [](char c) {
            return static_cast<unsigned char>(c) >= 0x80;
        });
    if (schema_known_ && !mode_matters && !charset_matters) return false;
    return core_.registry->rules.mentioned_in(text);
}

void Session::note_statement(const rewrite::Statement& statement, std::string_view text) {
    // Asked only where something hangs on it. COMMIT and its kin are known by their kind.
    if (transaction_.holds_reservations() && statement.kind == rewrite::Kind::other) {
        next_pending_.transaction.may_commit = may_commit(text, dialect());
    }
    next_pending_.transaction.kind = statement.kind;
    next_pending_.transaction.chain = statement.chain;
    next_pending_.transaction.name = statement.name;
    if (statement.kind == rewrite::Kind::use_schema) next_pending_.schema = statement.name;
    if (statement.mentions_sql_mode || statement.kind == rewrite::Kind::opaque)
        sql_mode_known_ = false;
    if (statement.multi) schema_known_ = false;
    if (statement.mentions_charset || statement.kind == rewrite::Kind::opaque)
        charset_known_ = false;
}

Session::Plan Session::plan_query(Bytes payload) {
    const auto text = protocol::query_text(payload, backend_->capabilities());
    if (!text) {
        return unreadable("COM_QUERY: its query attributes are not understood");
    }
    if (must_ask(*text)) return AskSession{};
    const auto statement = rewrite::analyse(*text, core_.registry->rules, dialect(), schema_);
    Plan plan = plan_statement(statement, {}, *text, false);
    if (std::holds_alternative<Pass>(plan)) note_statement(statement, *text);
    return plan;
}

bool Session::has_hot_sku(std::size_t table) const {
    const auto& registry = *core_.registry;
    return std::any_of(registry.skus.begin(), registry.skus.end(), [&](const auto& entry) {
        return entry.second.table == table;
    });
}

bool Session::concerns_hot_sku(
    const rewrite::Touches& touches, const std::vector<protocol::ParamValue>& params
) const {
    const auto& registry = *core_.registry;
    if (!touches.keys) return has_hot_sku(touches.table);
    for (const auto& key : *touches.keys) {
        const auto sku_id = bind_key(key, params, registry.tables[touches.table]);
        if (const auto* problem = std::get_if<BindProblem>(&sku_id)) {
            if (*problem == BindProblem::null_key) continue;
            if (has_hot_sku(touches.table)) return true;
            continue;
        }
        if (registry.find(touches.table, std::get<std::string>(sku_id)) != nullptr) return true;
    }
    return false;
}

Session::Plan Session::plan_statement(
    const rewrite::Statement& statement,
    const std::vector<protocol::ParamValue>& params,
    std::string_view text,
    bool already_prepared
) {
    if (const auto* hot = std::get_if<rewrite::HotUpdate>(&statement.action)) {
        return plan_hot(*hot, params, text, already_prepared);
    }
    const auto* touches = std::get_if<rewrite::Touches>(&statement.action);
    if (touches == nullptr || !concerns_hot_sku(*touches, params)) {
        core_.metrics->statements_passed.add();
        return Pass{};
    }
    core_.metrics->refused(statement.multi ? RefusalReason::multi : RefusalReason::touches).add();
    spdlog::info("event=statement_refused session={} reason=\"{}\"", number_, touches->reason);
    Refuse refuse;
    refuse.error = replies::refused(touches->reason);
    return refuse;
}

Session::Plan Session::plan_hot(
    const rewrite::HotUpdate& update,
    const std::vector<protocol::ParamValue>& params,
    std::string_view text,
    bool already_prepared
) {
    // A `?` in plain text is a syntax error, which the server reports best.
    if (update.param_count > 0 && !already_prepared) return Pass{};
    const auto& table = core_.registry->tables[update.table];
    const auto refuse = [&](BindProblem problem) -> Plan {
        core_.metrics->refused(RefusalReason::touches).add();
        Refuse answer;
        answer.error = replies::refused(
            "an update of " + table.table + " cannot be booked: " + std::string{text_of(problem)}
        );
        return answer;
    };
    const auto key = bind_key(update.key, params, table);
    if (const auto* problem = std::get_if<BindProblem>(&key)) {
        if (*problem == BindProblem::null_key || !has_hot_sku(update.table)) return Pass{};
        return refuse(*problem);
    }
    const Sku* sku = core_.registry->find(update.table, std::get<std::string>(key));
    if (sku == nullptr) return Pass{};
    const auto amounts = bind_amounts(update, params);
    if (const auto* problem = std::get_if<BindProblem>(&amounts)) {
        // A guard that is NULL matches no row: the server's answer is the right one and changes
        // nothing.
        if (*problem == BindProblem::null_guard) return Pass{};
        return refuse(*problem);
    }
    // Buckets are credited one by one and never show the sum that such a guard is about.
    const auto& bound = std::get<BoundUpdate>(amounts);
    if (bound.delta > 0 && bound.minimum.value_or(0) > 0)
        return refuse(BindProblem::guarded_return);
    Intercept intercept;
    intercept.update = update;
    intercept.request.sku = sku;
    intercept.request.registry = core_.registry;
    intercept.request.update = bound;
    if (!already_prepared) {
        intercept.sql = std::string{text};
        intercept.key = user_ + '\0' + peer_ + '\0' + table.schema + '\0' + table.table +
                        (update.steps_version ? std::string{"\0v", 2} : std::string{"\0-", 2});
        for (const auto& column : update.set_time_columns) intercept.key += '\0' + column;
    }
    return intercept;
}

}  // namespace proxy
