// From an accepted client to an open backend connection. A probe that has gone again opens none:
// servers count connections without a login and block the host that makes too many.
#include "proxy/session/session.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <spdlog/spdlog.h>

#include <algorithm>

namespace proxy {

namespace asio = boost::asio;
using tcp = asio::ip::tcp;

namespace {

constexpr auto waiting = asio::as_tuple(asio::deferred);

// The socket's own idea of who is at its two ends.
protocol::ProxyHeader addresses_of(StreamSocket& socket) {
    using Family = protocol::ProxyHeader::Family;
    protocol::ProxyHeader header;
    boost::system::error_code error;
    const auto remote = socket.remote_endpoint(error);
    if (error) return header;
    const auto local = socket.local_endpoint(error);
    if (error) return header;
    if (remote.protocol().family() == AF_UNIX) {
        header.family = Family::unix_socket;
        return header;
    }
    const auto to_tcp = [](const asio::generic::stream_protocol::endpoint& from) {
        tcp::endpoint to;
        to.resize(from.size());
        std::copy_n(
            static_cast<const char*>(static_cast<const void*>(from.data())),
            from.size(),
            static_cast<char*>(static_cast<void*>(to.data()))
        );
        return to;
    };
    const tcp::endpoint source = to_tcp(remote);
    const tcp::endpoint destination = to_tcp(local);
    header.family = source.protocol() == tcp::v6() ? Family::ipv6 : Family::ipv4;
    header.source = source.address().to_string();
    header.source_port = source.port();
    header.destination = destination.address().to_string();
    header.destination_port = destination.port();
    return header;
}

}  // namespace

Task<bool> Session::open() {
    peer_address_ = addresses_of(client_.socket());
    peer_ = client_.is_unix() ? "unix" : peer_address_.source;
    const auto& trusted = core_.config->client.proxy_protocol.trusted;
    const bool has_header = std::any_of(trusted.begin(), trusted.end(), [&](const auto& network) {
        return !client_.is_unix() && config::contains(network, peer_);
    });
    if (has_header) {
        const bool understood = co_await read_proxy_header();
        if (!understood) co_return false;
    }
    if (client_.peer_has_closed()) {
        core_.metrics->probes_total.add();
        co_return false;
    }
    const ErrorCode error = co_await connect_backend();
    if (!error) co_return true;
    core_.metrics->sessions_refused.add();
    const auto address = config::to_string(core_.config->backend.address);
    spdlog::warn(
        "event=backend_unreachable session={} address={} error=\"{}\"",
        number_,
        address,
        error.message()
    );
    auto refusal = replies::backend_unreachable(address, error.message());
    co_await send_error(std::move(refusal), 0);
    co_return false;
}

// The peer is a trusted one and so must say whom it speaks for, before anything else.
Task<bool> Session::read_proxy_header() {
    using What = protocol::ParsedProxyHeader::What;
    for (;;) {
        const auto parsed = protocol::parse_proxy_header(client_in_.data());
        if (parsed.what == What::complete) {
            client_in_.consume(parsed.size);
            const bool names_somebody =
                !parsed.header.local &&
                (parsed.header.family == protocol::ProxyHeader::Family::ipv4 ||
                 parsed.header.family == protocol::ProxyHeader::Family::ipv6);
            if (names_somebody) {
                peer_address_ = parsed.header;
                peer_ = parsed.header.source;
            }
            co_return true;
        }
        if (parsed.what == What::malformed) {
            core_.metrics->protocol_errors_client.add();
            spdlog::warn(
                "event=proxy_header session={} peer={} error=\"{}\"", number_, peer_, parsed.problem
            );
            auto refusal = replies::proxy_header(peer_, parsed.problem);
            co_await send_error(std::move(refusal), 0);
            co_return false;
        }
        const ErrorCode error = co_await client_.fill(client_in_);
        if (error && client_in_.size() == 0) core_.metrics->probes_total.add();
        if (error) co_return false;
    }
}

Task<ErrorCode> Session::connect_socket(StreamSocket& socket) {
    const auto& address = core_.config->backend.address;
    if (address.is_unix()) {
        const asio::local::stream_protocol::endpoint endpoint{address.path};
        const auto [error] = co_await socket.async_connect(endpoint, waiting);
        co_return error;
    }
    // A literal address needs no resolver, which has a thread of its own.
    ErrorCode error;
    const auto literal = asio::ip::make_address(address.host, error);
    if (!error) {
        const asio::generic::stream_protocol::endpoint endpoint{
            tcp::endpoint{literal, address.port}};
        const auto [failed] = co_await socket.async_connect(endpoint, waiting);
        co_return failed;
    }
    tcp::resolver resolver{core_.executor};
    const auto [unresolved, found] =
        co_await resolver.async_resolve(address.host, std::to_string(address.port), waiting);
    error = unresolved;
    for (const auto& candidate : found) {
        ErrorCode ignored;
        if (socket.is_open()) socket.close(ignored);
        const asio::generic::stream_protocol::endpoint endpoint{candidate.endpoint()};
        const auto [failed] = co_await socket.async_connect(endpoint, waiting);
        error = failed;
        if (!error || error == asio::error::operation_aborted) break;
    }
    co_return error;
}

Task<ErrorCode> Session::connect_backend() {
    const auto socket = std::make_shared<StreamSocket>(core_.executor);
    asio::steady_timer timer{core_.executor, core_.config->backend.connect_timeout};
    timer.async_wait([socket](const ErrorCode& cancelled) {
        ErrorCode ignored;
        if (!cancelled) socket->close(ignored);
    });
    ErrorCode error = co_await connect_socket(*socket);
    timer.cancel();
    if (error == asio::error::operation_aborted) error = asio::error::timed_out;
    if (error) co_return error;
    Wire wire{std::move(*socket)};
    wire.set_options();
    error = co_await send_proxy_header(wire);
    if (error) co_return error;
    backend_ = std::make_unique<BackendLink>(
        core_.executor, std::move(wire), client_, *this, *core_.metrics
    );
    co_return ErrorCode{};
}

Task<ErrorCode> Session::send_proxy_header(Wire& wire) {
    std::vector<std::uint8_t> header;
    switch (core_.config->backend.proxy_protocol) {
        case config::ProxyProtocolOut::off:
            co_return ErrorCode{};
        case config::ProxyProtocolOut::v1:
            protocol::encode_proxy_header_v1(header, peer_address_);
            break;
        case config::ProxyProtocolOut::v2:
            protocol::encode_proxy_header_v2(header, peer_address_);
            break;
    }
    auto error = co_await wire.write(header);
    co_return error;
}

}  // namespace proxy
