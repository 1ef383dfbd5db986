#pragma once
// One client connection and its one backend connection. Lives on one core; kept alive by its two
// coroutines: the command coroutine (client to backend, here) and the reply pump (backend to
// client, BackendLink). docs/architecture.md follows one packet through it.

#include "protocol/compressed.hpp"
#include "protocol/handshake.hpp"
#include "protocol/proxy_header.hpp"
#include "proxy/net/wire.hpp"
#include "proxy/session/backend_link.hpp"
#include "proxy/session/core_context.hpp"
#include "proxy/session/hot_update.hpp"
#include "proxy/session/prepared.hpp"
#include "proxy/session/transaction_tracker.hpp"
#include "rewrite/recogniser.hpp"

#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <memory>
#include <string>
#include <variant>

namespace proxy {

class Session final : public std::enable_shared_from_this<Session>, public ReplyObserver {
public:
    Session(CoreContext& core, StreamSocket client, std::uint64_t number);

    // The whole life of the session; returns when both sides are closed and every reservation is
    // handed on.
    Task<> run();

    // Shutdown: end now if no transaction is open, otherwise at its end.
    void drain();
    // Shutdown deadline: end now.
    void abort();
    // Called about twice a second: ends a session that waited too long.
    void on_tick(std::chrono::steady_clock::time_point now);
    [[nodiscard]] std::uint64_t number() const noexcept { return number_; }

private:
    // What to do with the command packet at the front of the buffer.
    struct Pass {};
    struct NeedBytes {
        std::size_t count;
    };
    struct WaitReplies {};  // decide again when no reply is due
    struct AskSession {};   // sql_mode or the default schema must be asked first
    struct Refuse {
        OwnError error;
    };
    struct End {
        OwnError error;
        const char* reason;
    };
    struct ScanOversize {};  // longer than we hold: stream it and look for managed names
    struct ChangeUser {};
    struct Quit {};
    struct Replace {  // pass this in the packet's stead
        std::vector<std::uint8_t> payload;
    };
    struct Intercept {
        rewrite::HotUpdate update;
        std::string key;  // privilege cache
        std::string sql;  // text to try; empty: the backend has prepared it already
        HotRequest request;
    };
    using Plan = std::variant<
        Pass,
        NeedBytes,
        WaitReplies,
        AskSession,
        Refuse,
        End,
        ScanOversize,
        ChangeUser,
        Quit,
        Replace,
        Intercept>;
    using Bytes = std::span<const std::uint8_t>;

    // session.cpp
    Task<> send_error(OwnError error, std::uint8_t sequence);
    static Task<> run_pump(std::shared_ptr<Session> self);
    void finish();
    void end_client_stream();
    void on_reply(PendingReply& reply, const protocol::ReplyEnd& end) override;
    void on_written() override;
    void arm_handshake_timer();
    void check_drain();

    // connect.cpp: from the accepted socket to the backend connection
    Task<bool> open();
    Task<bool> read_proxy_header();
    Task<ErrorCode> connect_backend();
    Task<ErrorCode> connect_socket(StreamSocket& socket);
    Task<ErrorCode> send_proxy_header(Wire& wire);

    // login.cpp: greeting, TLS, authentication
    Task<bool> greet();
    Task<bool> log_in();
    Task<bool> read_login(protocol::LoginRequest& login, std::size_t& size);
    Task<bool> start_client_tls(std::size_t size);
    Task<bool> start_backend_tls(std::span<const std::uint8_t> login_head);
    [[nodiscard]] OwnError choose_backend_leg(const protocol::LoginRequest& login);
    enum class Login : std::uint8_t { accepted, refused, lost };
    Task<Login> authenticate(std::uint8_t command, std::size_t forward);
    Task<bool> read_packet(Wire& wire, ReadBuffer& buffer, std::size_t& size);
    Task<> abandon_login();
    [[nodiscard]] bool client_is_secure() const noexcept;
    [[nodiscard]] bool backend_is_secure() const noexcept;
    bool may_pass_auth(std::span<const std::uint8_t> payload) override;
    bool on_auth_written(std::span<const std::uint8_t> behind) override;

    // commands.cpp: the command coroutine
    Task<> serve_commands();
    Task<bool> read_more();
    Task<bool> flush();
    Task<bool> carry_out(Plan plan, std::size_t packet_size);
    Task<bool> intercept(Intercept what, bool& done);
    Task<bool> change_user(std::size_t packet_size);
    Task<bool> pass_replaced(const Replace& replace, std::size_t packet_size);
    Task<bool> ask_session();
    Task<bool> check_privilege(const Intercept& what, OwnError& error);
    Task<bool> answer_hot(Intercept what, bool& done);
    Task<bool> answer(const HotReply& reply);
    Task<> relay_raw();
    bool advance_payload();
    void pass_packet(std::size_t frame_length);
    void announce();

    // plan.cpp: decisions, no I/O
    [[nodiscard]] static End unreadable(const char* what);
    [[nodiscard]] Plan plan_packet(Bytes packet, std::size_t frame_length);
    [[nodiscard]] Plan plan_query(Bytes payload);
    [[nodiscard]] Plan plan_prepare(Bytes payload);
    [[nodiscard]] Plan plan_execute(Bytes payload, bool complete, std::size_t size);
    [[nodiscard]] Plan plan_statement(
        const rewrite::Statement& statement,
        const std::vector<protocol::ParamValue>& params,
        std::string_view text,
        bool already_prepared
    );
    [[nodiscard]] Plan plan_hot(
        const rewrite::HotUpdate& update,
        const std::vector<protocol::ParamValue>& params,
        std::string_view text,
        bool already_prepared
    );
    [[nodiscard]] bool concerns_hot_sku(
        const rewrite::Touches& touches, const std::vector<protocol::ParamValue>& params
    ) const;
    [[nodiscard]] bool has_hot_sku(std::size_t table) const;
    void note_statement(const rewrite::Statement& statement, std::string_view text);
    void note_statement_command(Bytes payload);
    [[nodiscard]] PreparedStatement* find_prepared(std::uint32_t id);
    [[nodiscard]] const rewrite::Dialect& dialect();
    [[nodiscard]] bool must_ask(std::string_view text) const;
    void expect(std::uint8_t command, protocol::ReplyShape shape);

    CoreContext& core_;
    std::uint64_t number_;
    Wire client_;
    ReadBuffer client_in_;
    std::unique_ptr<BackendLink> backend_;
    TransactionTracker transaction_;
    PreparedStatements prepared_;
    std::uint32_t last_prepared_ = 0;

    // What is known of the session.
    std::string user_;
    std::string peer_;
    std::string schema_;
    bool schema_known_ = true;
    rewrite::Dialect dialect_;
    bool sql_mode_known_ = false;
    bool charset_known_ = true;
    std::uint32_t handshake_flags_ = 0;

    // What the backend's greeting had, and what was chosen for each leg.
    protocol::Capabilities backend_offers_;
    protocol::ProxyHeader peer_address_;  // as a trusted peer told it, or as the socket says
    bool backend_waits_ = false;          // for the client's next packet of the login
    bool login_sent_ = false;
    std::string backend_plugin_;              // the greeting's
    std::span<const std::uint8_t> farewell_;  // what ends the authentication under way
    bool backend_tls_wanted_ = false;
    int auth_shift_ = 0;
    protocol::Compression client_compression_ = protocol::Compression::none;
    protocol::Compression backend_compression_ = protocol::Compression::none;
    int compression_level_ = 0;
    bool compression_begun_ = false;
    OwnError auth_refused_;  // why an authentication was stopped here; code 0: it was not

    // The front of client_in_: bytes decided to be passed and not yet written.
    std::size_t forward_ = 0;
    std::size_t payload_left_ = 0;  // of the frame being passed, not yet received
    bool continues_ = false;        // a further frame of the same logical packet follows
    std::unique_ptr<rewrite::MentionScanner> scanner_;  // while an oversize SQL packet streams
    bool oversize_names_table_ = false;
    RegistryView scanned_registry_;  // keeps the scanner's rules alive
    std::uint8_t client_sequence_ = 0;
    PendingReply next_pending_;  // filled by plan_*, announced when the packet is passed

    Event pump_ended_;
    boost::asio::steady_timer handshake_timer_;
    bool pump_running_ = false;
    bool draining_ = false;
    bool intercepting_ = false;
    bool command_begins_ = false;  // with the first byte to be flushed
    bool sends_file_ = false;      // LOCAL INFILE data is under way
    bool awaits_stream_ = false;   // a replication command is under way
    bool logged_in_ = false;
    std::chrono::steady_clock::time_point last_active_;
};

}  // namespace proxy
