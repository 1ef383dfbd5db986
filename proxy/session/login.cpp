// Greeting, TLS on either leg, and authentication. Authentication is relayed turn by turn and never
// understood; only the few packets that would carry a clear-text password are recognised, so that
// one given over a secure client leg never leaves on an insecure backend leg.
#include "protocol/farewell.hpp"
#include "proxy/session/session.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>

namespace proxy {

using protocol::frame_header_size;
using protocol::ReplyShape;
namespace capability = protocol::capability;

namespace {

// Login and authentication packets: connection attributes may be long, but not without bound.
constexpr std::size_t login_packet_max = 1 << 20;

// Plugins whose client sends the password as it is.
bool sends_clear_password(std::string_view plugin) {
    return plugin == "mysql_clear_password" || plugin == "dialog" || plugin == "sha256_password";
}

// caching_sha2_password's "perform full authentication".
bool asks_for_password(std::span<const std::uint8_t> payload) {
    return payload.size() == 2 && payload[0] == 0x01 && payload[1] == 0x04;
}

// Where the login belongs. Its first four bytes could be those of a packet, with a number that no
// login has.
bool begins_proxy_header(std::span<const std::uint8_t> bytes) {
    constexpr std::string_view version_1 = "PROX";
    constexpr std::string_view version_2 = "\r\n\r\n";
    if (bytes.size() < version_1.size()) return false;
    const std::string_view begin{reinterpret_cast<const char*>(bytes.data()), version_1.size()};
    return begin == version_1 || begin == version_2;
}

std::string_view switched_plugin(std::span<const std::uint8_t> payload) {
    if (payload.size() < 2 || payload[0] != 0xfe) return {};
    const std::string_view text{
        reinterpret_cast<const char*>(payload.data()) + 1, payload.size() - 1};
    return text.substr(0, text.find('\0'));
}

protocol::Compression chosen(protocol::Capabilities caps) {
    if (caps.has(capability::compress)) return protocol::Compression::zlib;
    if (caps.has(capability::zstd_compression)) return protocol::Compression::zstd;
    return protocol::Compression::none;
}

}  // namespace

bool Session::client_is_secure() const noexcept {
    return client_.has_tls() || client_.is_unix();
}

bool Session::backend_is_secure() const noexcept {
    return backend_->wire().has_tls() || backend_->wire().is_unix();
}

// One whole packet at the front of `buffer`; `size` includes its header.
Task<bool> Session::read_packet(Wire& wire, ReadBuffer& buffer, std::size_t& size) {
    for (;;) {
        if (buffer.size() >= frame_header_size) {
            const auto header = protocol::read_frame_header(buffer.data().data());
            size = frame_header_size + header.length;
            if (size > login_packet_max) co_return false;
            if (!login_sent_ && begins_proxy_header(buffer.data())) co_return false;
            if (buffer.size() >= size) {
                client_sequence_ = header.sequence;
                co_return true;
            }
            buffer.reserve(size);
        }
        const auto read_error = co_await wire.fill(buffer);
        if (read_error) co_return false;
    }
}

Task<bool> Session::greet() {
    ReadBuffer input;
    std::size_t size = 0;
    const auto has_packet = co_await read_packet(backend_->wire(), input, size);
    if (!has_packet) {
        auto refusal = replies::backend_unreachable(
            config::to_string(core_.config->backend.address), "it closed before its greeting"
        );
        co_await send_error(std::move(refusal), 0);
        co_return false;
    }
    const auto packet = input.data().first(size);
    const auto payload = packet.subspan(frame_header_size);
    if (payload.empty() || payload[0] == 0xff) {
        co_await client_.write(packet);
        co_return false;
    }
    const auto greeting = protocol::decode_greeting(payload);
    if (!greeting) {
        core_.metrics->protocol_errors_backend.add();
        auto refusal = replies::unreadable_packet("the database's greeting is not understood");
        co_await send_error(std::move(refusal), 0);
        co_return false;
    }
    const auto version = protocol::parse_server_version(greeting->server_version);
    dialect_.server_version = version.number;
    dialect_.is_mariadb = version.is_mariadb;
    backend_offers_ = greeting->capabilities;
    backend_plugin_ = std::string{greeting->auth_plugin};

    std::uint32_t own = core_.client_tls ? capability::ssl : 0;
    if (core_.config->client.compression) {
        constexpr std::uint32_t both = capability::compress | capability::zstd_compression;
        const bool as_client =
            core_.config->backend.compression == config::BackendCompression::as_client;
        // Without it on the backend leg this side can still do what clients of that server know.
        const std::uint32_t all = version.is_mariadb ? capability::compress : both;
        own |= as_client ? backend_offers_.flags & both : all;
    }
    auto allowed = core_.passable;
    const auto offered = protocol::mask_greeting(payload, allowed, own);
    if (!offered) co_return false;
    backend_->set_capabilities(*offered);
    backend_waits_ = true;
    auto write_error = co_await client_.write(packet);
    co_return !write_error;
}

// The login at the front of client_in_, decoded; after an error that the client was told, false.
Task<bool> Session::read_login(protocol::LoginRequest& login, std::size_t& size) {
    const auto has_packet = co_await read_packet(client_, client_in_, size);
    if (!has_packet) {
        const bool has_header = begins_proxy_header(client_in_.data());
        if (size <= login_packet_max && !has_header) co_return false;
        core_.metrics->protocol_errors_client.add();
        auto refusal = has_header ? replies::proxy_header_from_stranger(peer_)
                                  : replies::unreadable_packet("the login packet is too long");
        spdlog::warn(
            "event=login_refused session={} peer={} error=\"{}\"", number_, peer_, refusal.message
        );
        co_await send_error(std::move(refusal), 2);
        co_return false;
    }
    const auto payload = client_in_.data().subspan(frame_header_size, size - frame_header_size);
    const auto decoded = protocol::decode_login(payload, backend_->capabilities());
    if (decoded) {
        login = *decoded;
        co_return true;
    }
    core_.metrics->protocol_errors_client.add();
    auto refusal = replies::unreadable_packet("the login packet is not understood");
    co_await send_error(std::move(refusal), static_cast<std::uint8_t>(client_sequence_ + 1));
    co_return false;
}

Task<bool> Session::start_client_tls(std::size_t size) {
    client_in_.consume(size);
    auto error = co_await client_.start_tls(core_.client_tls->new_stream(), client_in_.data());
    client_in_.consume(client_in_.size());
    if (!error) co_return true;
    core_.metrics->tls_failed_client.add();
    spdlog::info(
        "event=tls_failed side=client session={} peer={} error=\"{}\"",
        number_,
        peer_,
        client_.tls_problem().empty() ? error.message() : client_.tls_problem()
    );
    co_return false;
}

Task<bool> Session::log_in() {
    std::size_t size = 0;
    protocol::LoginRequest login;
    bool has_login = co_await read_login(login, size);
    if (has_login && login.is_ssl_request && core_.client_tls) {
        const bool secured = co_await start_client_tls(size);
        if (!secured) co_return false;
        has_login = co_await read_login(login, size);
    }
    if (!has_login) co_return false;
    OwnError refusal;
    if (login.is_ssl_request) {
        refusal = client_.has_tls() ? replies::unreadable_packet("TLS was asked for twice")
                                    : replies::ssl_not_offered();
    } else {
        refusal = choose_backend_leg(login);
    }
    if (refusal.code != 0) {
        co_await send_error(std::move(refusal), static_cast<std::uint8_t>(client_sequence_ + 1));
        co_return false;
    }
    user_ = std::string{login.user};
    schema_ = std::string{login.schema};
    dialect_.charset = rewrite::charset_of_collation(login.collation);
    client_compression_ = chosen(login.capabilities);
    compression_level_ = login.zstd_level;

    // A client that asks for what was not offered gets what both sides share, so that the backend
    // sees the identical set.
    const auto payload = client_in_.data().subspan(frame_header_size, size - frame_header_size);
    auto offered = backend_->capabilities();
    offered.flags &= ~capability::ssl;
    if (core_.config->backend.compression == config::BackendCompression::off)
        offered.flags &= ~(capability::compress | capability::zstd_compression);
    const auto agreed =
        protocol::mask_login(payload, offered, backend_tls_wanted_ ? capability::ssl : 0);
    if (!agreed) co_return false;
    backend_compression_ = chosen(*agreed);
    backend_->set_capabilities(*agreed);
    handshake_flags_ = agreed->flags;
    if (backend_tls_wanted_) {
        const bool secured = co_await start_backend_tls(payload.first(protocol::login_head_size));
        if (!secured) co_return false;
    }
    auth_shift_ = (backend_tls_wanted_ ? 1 : 0) - (client_.has_tls() ? 1 : 0);
    backend_->set_auth_shift(auth_shift_);
    // init_connect runs unseen behind the login: the schema and the rest are asked when they
    // matter.
    schema_known_ = false;
    charset_known_ = false;
    const Login result = co_await authenticate(0, size);
    const bool logged_in = result == Login::accepted;
    // Not for what comes later, such as a change of user. A pump that has ended uses it again.
    if (logged_in && !backend_->closed()) handshake_timer_.cancel();
    co_return logged_in;
}

// What the backend leg will be; an error is what keeps the client out.
OwnError Session::choose_backend_leg(const protocol::LoginRequest& login) {
    using Mode = config::BackendTls::Mode;
    if (core_.config->client.tls.mode == config::ClientTls::Mode::required && !client_is_secure())
        return replies::secure_transport_required();
    const Mode mode = core_.config->backend.tls.mode;
    const bool offered = backend_offers_.has(capability::ssl);
    backend_tls_wanted_ =
        mode == Mode::required ||
        (offered && !backend_->wire().is_unix() &&
         (mode == Mode::preferred || (mode == Mode::as_client && client_is_secure())));
    if (backend_tls_wanted_ && !offered) return replies::backend_without_tls();
    const bool backend_secure = backend_tls_wanted_ || backend_->wire().is_unix();
    if (client_is_secure() && !backend_secure && sends_clear_password(login.auth_plugin))
        return replies::password_would_leak();
    return {};
}

Task<bool> Session::start_backend_tls(std::span<const std::uint8_t> login_head) {
    std::vector<std::uint8_t> request(frame_header_size);
    protocol::write_frame_header(
        request.data(), {static_cast<std::uint32_t>(login_head.size()), 1}
    );
    request.insert(request.end(), login_head.begin(), login_head.end());
    Wire& wire = backend_->wire();
    ErrorCode error = co_await wire.write(request);
    const std::span<const std::uint8_t> nothing;
    if (!error) error = co_await wire.start_tls(core_.backend_tls->new_stream(), nothing);
    if (!error) co_return true;
    core_.metrics->tls_failed_backend.add();
    const std::string why = wire.tls_problem().empty() ? error.message() : wire.tls_problem();
    spdlog::warn("event=tls_failed side=backend session={} error=\"{}\"", number_, why);
    backend_waits_ = false;  // the server knows by itself why this ended
    auto refusal = replies::backend_unreachable(
        config::to_string(core_.config->backend.address), "TLS: " + why
    );
    co_await send_error(std::move(refusal), static_cast<std::uint8_t>(client_sequence_ + 1));
    co_return false;
}

// Relays authentication turn by turn: the client may send one packet each time the backend waits
// for it, so nothing can be slipped past the command loop.
Task<Session::Login> Session::authenticate(std::uint8_t command, std::size_t forward) {
    logged_in_ = false;
    PendingReply pending = std::move(next_pending_);
    next_pending_ = PendingReply{};
    pending.command = command;
    pending.shape = ReplyShape::auth;
    backend_->expect(std::move(pending));
    if (!pump_running_) {
        pump_running_ = true;
        auto task = run_pump(shared_from_this());
        spawn(core_.executor, "reply_pump", std::move(task));
    }
    std::size_t size = forward;
    bool has_packet = true;
    login_sent_ = true;
    while (has_packet) {
        backend_waits_ = false;
        client_in_.data()[3] = static_cast<std::uint8_t>(client_in_.data()[3] + auth_shift_);
        if (size == forward && command != 0) {
            backend_->wire().begin_command();
        } else {
            backend_->wire().follow_peer();
        }
        forward = 0;
        const auto write_error = co_await backend_->wire().write(client_in_.data().first(size));
        if (write_error) co_return Login::lost;
        client_in_.consume(size);
        const auto client_turn = co_await backend_->wait_client_turn();
        if (!client_turn) break;
        backend_waits_ = true;
        has_packet = co_await read_packet(client_, client_in_, size);
    }
    auth_shift_ = 0;
    if (auth_refused_.code != 0) {
        auto refusal = std::move(auth_refused_);
        co_await send_error(std::move(refusal), static_cast<std::uint8_t>(client_sequence_ + 1));
    }
    if (logged_in_) co_return Login::accepted;
    const bool answered = has_packet && auth_refused_.code == 0 && !backend_->closed();
    co_return answered ? Login::refused : Login::lost;
}

bool Session::may_pass_auth(std::span<const std::uint8_t> payload) {
    farewell_ = protocol::farewell_answer(payload);
    if (client_is_secure() == backend_is_secure()) return true;
    const bool full = asks_for_password(payload);
    const bool clear = sends_clear_password(switched_plugin(payload));
    if (!full && !(clear && client_is_secure())) return true;
    backend_waits_ = true;
    // Either side would take its own leg for both: the password would be sent as it is over the
    // insecure one, or encrypted for a server that expects it as it is.
    auth_refused_ = client_is_secure() ? replies::password_would_leak()
                                       : replies::password_needs_secure_client();
    spdlog::warn(
        "event=auth_refused session={} peer={} error=\"{}\"", number_, peer_, auth_refused_.message
    );
    return false;
}

bool Session::on_auth_written(std::span<const std::uint8_t> behind) {
    if (!logged_in_ || compression_begun_) return false;
    compression_begun_ = true;
    const int level = compression_level_ > 0 ? compression_level_ : 3;
    if (client_compression_ != protocol::Compression::none) {
        client_.start_compression(client_compression_, level, client_in_.data());
        client_in_.consume(client_in_.size());
    }
    if (backend_compression_ == protocol::Compression::none) return false;
    backend_->wire().start_compression(backend_compression_, level, behind);
    return true;
}

// The client has gone, or is refused, while the backend waits for its login. The server is answered
// so that it ends the connection itself.
Task<> Session::abandon_login() {
    if (!backend_waits_) co_return;
    Wire& wire = backend_->wire();
    std::vector<std::uint8_t> packet;
    const auto answer = [&packet](std::span<const std::uint8_t> payload, std::uint8_t sequence) {
        packet.resize(frame_header_size);
        protocol::write_frame_header(
            packet.data(), {static_cast<std::uint32_t>(payload.size()), sequence}
        );
        packet.insert(packet.end(), payload.begin(), payload.end());
    };
    if (login_sent_) {
        answer(farewell_, backend_->next_auth_sequence());
        co_await wire.write(packet);
        co_return;
    }
    protocol::encode_farewell_login(packet, backend_plugin_);
    ReadBuffer input;
    bool is_asked = true;
    while (is_asked) {
        const ErrorCode error = co_await wire.write(packet);
        if (error) co_return;
        std::size_t size = 0;
        is_asked = co_await read_packet(wire, input, size);
        if (!is_asked) co_return;
        const auto payload = input.data().first(size).subspan(frame_header_size);
        is_asked = !payload.empty() && (payload[0] == 0x01 || payload[0] == 0xfe);
        // Somebody without a name may have been let in: that ends like any other session.
        if (!payload.empty() && payload[0] == 0x00) co_return;
        answer(protocol::farewell_answer(payload), static_cast<std::uint8_t>(client_sequence_ + 1));
        input.consume(size);
    }
    ErrorCode error;
    while (!error) {
        error = co_await wire.fill(input);
        input.consume(input.size());
    }
}

}  // namespace proxy
