// The command coroutine of a session: client to backend. Decisions are made in plan.cpp; this file
// moves bytes.
#include "proxy/session/session.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>

namespace proxy {

using protocol::frame_header_size;
using protocol::frame_payload_max;

namespace {

// How often one statement may be decided anew because the registry changed under it.
constexpr int decisions_max = 10;
// Commands of one client that may be under way at once.
constexpr std::size_t pipelined_max = 4096;

rewrite::Charset charset_named(std::string_view name) {
    if (name == "big5") return rewrite::Charset::big5;
    if (name == "gbk") return rewrite::Charset::gbk;
    if (name == "gb18030") return rewrite::Charset::gb18030;
    if (name == "sjis" || name == "cp932") return rewrite::Charset::sjis;
    return rewrite::Charset::ascii_safe;
}

}  // namespace

Task<> Session::serve_commands() {
    int decisions = 0;
    for (;;) {
        if (backend_->closed()) break;
        if (backend_->is_raw()) {
            co_await relay_raw();
            break;
        }
        if (!advance_payload()) {
            if (oversize_names_table_) {
                core_.metrics->refused(RefusalReason::oversize).add();
                spdlog::warn("event=oversize_statement session={} action=close", number_);
                co_await send_error(
                    replies::refused(
                        "a statement longer than limits.inspect_bytes_max names a managed "
                        "table; send it in smaller parts or raise the limit"
                    ),
                    static_cast<std::uint8_t>(client_sequence_ + 1)
                );
                backend_->wire().close();
                break;
            }
            bool goes_on = co_await flush();
            if (goes_on) goes_on = co_await read_more();
            if (!goes_on) break;
            continue;
        }
        const Bytes packet = client_in_.data().subspan(forward_);
        const auto header = protocol::read_frame_header(packet.data());
        client_sequence_ = header.sequence;
        if (backend_->wants_infile()) {
            if (!sends_file_) backend_->wire().follow_peer();
            sends_file_ = header.length > 0;
            if (header.length == 0) backend_->infile_sent();
            pass_packet(header.length);
            continue;
        }
        Plan plan = plan_packet(packet, header.length);
        if (std::holds_alternative<Pass>(plan)) {
            decisions = 0;
            // In compressed packets each command begins one, or servers do not find it.
            bool ready = true;
            if (backend_->wire().is_compressed()) ready = co_await flush();
            if (!ready) break;
            command_begins_ = true;
            announce();
            pass_packet(header.length);
            continue;
        }
        const auto flushed = co_await flush();
        if (!flushed) break;
        if (++decisions > decisions_max && std::holds_alternative<Intercept>(plan)) {
            Refuse refuse;
            refuse.error = replies::ledger_unreachable("the registry keeps changing");
            plan = std::move(refuse);
        }
        const bool takes_bytes = std::holds_alternative<NeedBytes>(plan);
        const auto goes_on = co_await carry_out(std::move(plan), frame_header_size + header.length);
        if (!goes_on) break;
        if (takes_bytes || client_in_.size() == 0) decisions = 0;
    }
}

void Session::pass_packet(std::size_t frame_length) {
    forward_ += frame_header_size;
    payload_left_ = frame_length;
    continues_ = frame_length == frame_payload_max;
}

void Session::announce() {
    backend_->expect(std::move(next_pending_));
    next_pending_ = PendingReply{};
}

// Moves over bytes of a packet that passes. True: a new packet's header is at the front.
bool Session::advance_payload() {
    for (;;) {
        const std::size_t available = client_in_.size() - forward_;
        if (payload_left_ > 0) {
            const std::size_t count = std::min(payload_left_, available);
            if (count == 0) return false;
            if (scanner_) {
                const auto piece = client_in_.data().subspan(forward_, count);
                // Seen: the rest is held back, so the backend never has the whole statement.
                oversize_names_table_ =
                    scanner_->feed({reinterpret_cast<const char*>(piece.data()), piece.size()});
                if (oversize_names_table_) return false;
            }
            forward_ += count;
            payload_left_ -= count;
            continue;
        }
        if (available < frame_header_size) return false;
        if (!continues_) {
            scanner_.reset();
            return true;
        }
        const auto header = protocol::read_frame_header(client_in_.data().data() + forward_);
        client_sequence_ = header.sequence;
        pass_packet(header.length);
    }
}

Task<bool> Session::flush() {
    if (forward_ == 0) co_return true;
    if (command_begins_) backend_->wire().begin_command();
    command_begins_ = false;
    const auto rest = backend_->wire().write_now(client_in_.data().first(forward_));
    ErrorCode error;
    if (!rest.empty()) error = co_await backend_->wire().write(rest);
    client_in_.consume(forward_);
    forward_ = 0;
    co_return !error;
}

Task<bool> Session::read_more() {
    // Commands that nobody answers pile up here before they do in the server.
    if (backend_->backlog() > pipelined_max) co_await backend_->wait_drained();
    const std::size_t before = client_in_.size();
    const ErrorCode error = co_await client_.fill(client_in_);
    core_.metrics->bytes_client_in.add(client_in_.size() - before);
    last_active_ = std::chrono::steady_clock::now();
    co_return !error;
}

// Everything but Pass. All bytes before the packet are flushed. False: the session ends.
Task<bool> Session::carry_out(Plan plan, std::size_t packet_size) {
    if (const auto* need = std::get_if<NeedBytes>(&plan)) {
        client_in_.reserve(need->count);
        auto has_more = co_await read_more();
        co_return has_more;
    }
    if (std::holds_alternative<WaitReplies>(plan)) {
        auto drained = co_await backend_->wait_drained();
        co_return drained;
    }
    if (std::holds_alternative<AskSession>(plan)) {
        auto result = co_await ask_session();
        co_return result;
    }
    if (std::holds_alternative<ScanOversize>(plan)) {
        scanner_ = std::make_unique<rewrite::MentionScanner>(core_.registry->rules);
        scanned_registry_ = core_.registry;
        announce();
        command_begins_ = true;
        pass_packet(packet_size - frame_header_size);
        co_return true;
    }
    if (std::holds_alternative<Quit>(plan)) {
        command_begins_ = true;
        pass_packet(packet_size - frame_header_size);
        advance_payload();
        co_await flush();
        co_return false;
    }
    const auto drained = co_await backend_->wait_drained();
    if (!drained) co_return false;
    if (std::holds_alternative<ChangeUser>(plan)) {
        auto result = co_await change_user(packet_size);
        co_return result;
    }
    if (auto* refuse = std::get_if<Refuse>(&plan)) {
        client_in_.consume(packet_size);
        co_await send_error(
            std::move(refuse->error), static_cast<std::uint8_t>(client_sequence_ + 1)
        );
        co_return true;
    }
    if (auto* end = std::get_if<End>(&plan)) {
        core_.metrics->protocol_errors_client.add();
        core_.metrics->refused(RefusalReason::unknown_packet).add();
        spdlog::warn(
            "event=unreadable_packet session={} peer={} reason=\"{}\"", number_, peer_, end->reason
        );
        co_await send_error(std::move(end->error), static_cast<std::uint8_t>(client_sequence_ + 1));
        backend_->wire().close();
        co_return false;
    }
    if (const auto* replace = std::get_if<Replace>(&plan)) {
        auto passed = co_await pass_replaced(*replace, packet_size);
        co_return passed;
    }
    bool done = false;
    const auto goes_on = co_await intercept(std::move(std::get<Intercept>(plan)), done);
    if (!goes_on) co_return false;
    if (done) client_in_.consume(packet_size);
    co_return true;
}

// `done` stays false when the statement must be decided anew; its packet is then still at the
// front.
Task<bool> Session::intercept(Intercept what, bool& done) {
    intercepting_ = true;
    const bool goes_on = co_await answer_hot(std::move(what), done);
    intercepting_ = false;
    if (draining_) check_drain();
    co_return goes_on;
}

Task<bool> Session::answer_hot(Intercept what, bool& done) {
    if (!what.sql.empty()) {
        OwnError denied;
        const auto allowed = co_await check_privilege(what, denied);
        if (!allowed) {
            if (denied.code == 0) co_return false;
            core_.metrics->refused(RefusalReason::privilege).add();
            done = true;
            co_await send_error(std::move(denied), static_cast<std::uint8_t>(client_sequence_ + 1));
            co_return true;
        }
    }
    HotUpdate update{core_, *backend_, transaction_, std::move(what.request)};
    const HotReply reply = co_await update.run();
    if (reply.what == HotReply::What::decide_anew) co_return true;
    if (reply.what == HotReply::What::close) {
        backend_->wire().close();
        co_return false;
    }
    done = true;
    const bool ok = co_await answer(reply);
    co_return ok;
}

Task<bool> Session::answer(const HotReply& reply) {
    const auto sequence = static_cast<std::uint8_t>(client_sequence_ + 1);
    if (reply.what == HotReply::What::err) {
        co_await send_error(reply.error, sequence);
        co_return true;
    }
    const bool unchanged = reply.what == HotReply::What::no_change;
    const bool counts_matched = (handshake_flags_ & protocol::capability::found_rows) != 0;
    const std::uint64_t matched = unchanged ? 1 : reply.rows;
    const std::string info = replies::update_info(matched, unchanged ? 0 : reply.rows);
    protocol::OkPacket ok;
    ok.affected_rows = unchanged && !counts_matched ? 0 : matched;
    ok.status = static_cast<std::uint16_t>(
        transaction_.status() &
        ~(protocol::status::session_state_changed | protocol::status::more_results)
    );
    ok.info = info;
    std::vector<std::uint8_t> packet;
    protocol::encode_ok(packet, sequence, ok, backend_->capabilities());
    auto write_error = co_await client_.write(packet);
    co_return !write_error;
}

// The backend says whether this user may run the original statement: the ledger must not widen
// anybody's rights.
Task<bool> Session::check_privilege(const Intercept& what, OwnError& error) {
    if (core_.privileges.allowed(what.key)) co_return true;
    OwnReply reply;
    const auto prepared = co_await backend_->try_prepare(what.sql, reply);
    if (!prepared) co_return false;
    if (!reply.ok()) {
        error = reply.error(backend_->capabilities());
        co_return false;
    }
    core_.privileges.remember(what.key);
    co_return true;
}

Task<bool> Session::pass_replaced(const Replace& replace, std::size_t packet_size) {
    announce();
    client_in_.consume(packet_size);
    std::vector<std::uint8_t> frames;
    protocol::append_frames(frames, client_sequence_, replace.payload);
    backend_->wire().begin_command();
    const auto write_error = co_await backend_->wire().write(frames);
    co_return !write_error;
}

Task<bool> Session::change_user(std::size_t packet_size) {
    const auto payload =
        client_in_.data().subspan(frame_header_size, packet_size - frame_header_size);
    const auto request = protocol::decode_change_user(payload, backend_->capabilities());
    if (!request) {
        End end;
        end.error = replies::unreadable_packet("COM_CHANGE_USER");
        end.reason = "COM_CHANGE_USER";
        auto goes_on = co_await carry_out(std::move(end), packet_size);
        co_return goes_on;
    }
    auto user = std::string{request->user};
    const auto collation = request->collation;
    next_pending_.transaction.resets_session = true;
    const Login login = co_await authenticate(
        static_cast<std::uint8_t>(protocol::Command::change_user), packet_size
    );
    // What the session has now is asked when it matters: init_connect may have had a say, and a
    // server that refuses a user may let the former one go on.
    schema_known_ = false;
    charset_known_ = false;
    logged_in_ = login != Login::lost;
    if (login == Login::accepted) user_ = std::move(user);
    if (login == Login::accepted && collation != 0)
        dialect_.charset = rewrite::charset_of_collation(collation);
    co_return logged_in_;
}

Task<bool> Session::ask_session() {
    const auto drained = co_await backend_->wait_drained();
    if (!drained) co_return false;
    std::vector<std::string> statements;
    statements.emplace_back("SELECT @@sql_mode, DATABASE(), @@character_set_client");
    std::vector<OwnReply> answers;
    const auto answered = co_await backend_->exchange(statements, answers);
    if (!answered) co_return false;
    const auto rows = answers.front().rows(backend_->capabilities());
    if (rows.size() != 1 || rows[0].size() != 3) co_return false;
    transaction_.set_status(answers.front().end.status);
    const std::string mode = rows[0][0].value_or("");
    dialect_.ansi_quotes = mode.find("ANSI_QUOTES") != std::string::npos;
    dialect_.high_not_precedence = mode.find("HIGH_NOT_PRECEDENCE") != std::string::npos;
    sql_mode_known_ = true;
    schema_ = rows[0][1].value_or("");
    schema_known_ = true;
    dialect_.charset = charset_named(rows[0][2].value_or(""));
    charset_known_ = true;
    co_return true;
}

// A replication stream: bytes, until either side closes.
Task<> Session::relay_raw() {
    core_.metrics->raw_relay_total.add();
    forward_ = client_in_.size();
    for (;;) {
        const bool flushed = co_await flush();
        if (!flushed) co_return;
        const bool has_more = co_await read_more();
        if (!has_more) co_return;
        forward_ = client_in_.size();
    }
}

}  // namespace proxy
