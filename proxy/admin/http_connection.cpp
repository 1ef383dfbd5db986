#include "proxy/admin/http_connection.hpp"

#include "proxy/admin/routes.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core/error.hpp>
#include <boost/beast/core/string.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/serializer.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>

#include <array>
#include <string>
#include <utility>

namespace proxy {
namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
namespace {

constexpr auto tuple_awaitable = asio::as_tuple(asio::use_awaitable);
constexpr unsigned http_1_1 = 11;

// After the last answer the client may still be sending. Closing with unread bytes would reset the
// connection, and the reset can overtake the answer; so this much is read and dropped first.
constexpr std::size_t dropped_bytes_max = 256 * 1024;
constexpr std::chrono::milliseconds dropping_time{1000};

using Request = http::request<http::string_body>;

std::string_view view(beast::string_view text) {
    return {text.data(), text.size()};
}

bool expects_continue(const Request& request) {
    return beast::iequals(request[http::field::expect], "100-continue");
}

AdminAnswer answer_to(const Request& request, const AdminPorts& ports) {
    // With two of them, which one counts would be a matter of taste.
    if (request.count(http::field::host) > 1) return refusal(400, "more than one Host header");
    AdminRequest plain;
    plain.method = view(request.method_string());
    plain.target = view(request.target());
    plain.host = view(request[http::field::host]);
    plain.content_type = view(request[http::field::content_type]);
    plain.body = request.body();
    return answer(plain, ports);
}

http::response<http::string_body> to_response(AdminAnswer result, unsigned version, bool keep) {
    http::response<http::string_body> response;
    response.version(version);
    response.result(result.status);
    response.set(http::field::server, "stockgate");
    response.set(http::field::content_type, result.content_type);
    response.set(http::field::cache_control, "no-store");
    response.set("X-Content-Type-Options", "nosniff");
    if (!result.allow.empty()) response.set(http::field::allow, result.allow);
    response.keep_alive(keep);
    response.body() = std::move(result.body);
    response.prepare_payload();
    return response;
}

bool is_http_error(boost::system::error_code error) {
    return error.category() == http::make_error_code(http::error::bad_method).category();
}

// Status 0: nobody is there to read an answer.
AdminAnswer answer_to_broken(boost::system::error_code error, const AdminLimits& limits) {
    if (error == http::error::end_of_stream || !is_http_error(error)) return {0, {}, {}, {}};
    if (error == http::error::header_limit || error == http::error::buffer_overflow) {
        const std::string limit = std::to_string(limits.header_bytes_max);
        return refusal(431, "the request header is longer than " + limit + " bytes");
    }
    if (error == http::error::body_limit) {
        const std::string limit = std::to_string(limits.body_bytes_max);
        return refusal(413, "the request body is longer than " + limit + " bytes");
    }
    return refusal(400, "malformed request: " + error.message());
}

}  // namespace

HttpConnection::HttpConnection(
    asio::ip::tcp::socket socket, const AdminPorts& ports, const AdminLimits& limits
)
    : stream_(std::move(socket)),
      // Room for a header and what follows it; the body goes to its own string.
      buffer_(std::size_t{limits.header_bytes_max} * 2),
      ports_(ports),
      limits_(limits) {}

Task<> HttpConnection::run() {
    bool keep = true;
    while (keep && !is_stopping_) keep = co_await serve_one();
    co_await close();
}

void HttpConnection::stop() {
    is_stopping_ = true;
    if (!is_writing_) stream_.close();
}

// False: the connection is to be closed.
Task<bool> HttpConnection::serve_one() {
    http::request_parser<http::string_body> parser;
    parser.header_limit(limits_.header_bytes_max);
    parser.body_limit(limits_.body_bytes_max);
    // One deadline for the whole request: sending a byte now and then does not move it.
    stream_.expires_after(limits_.timeout);
    auto [header_error, header_bytes] =
        co_await http::async_read_header(stream_, buffer_, parser, tuple_awaitable);
    if (header_error) co_return co_await refuse(header_error);
    if (expects_continue(parser.get()) && !parser.is_done()) {
        http::response<http::empty_body> go_on(http::status::continue_, http_1_1);
        auto [write_error, written] = co_await http::async_write(stream_, go_on, tuple_awaitable);
        if (write_error) co_return false;
    }
    auto [body_error, body_bytes] =
        co_await http::async_read(stream_, buffer_, parser, tuple_awaitable);
    if (body_error) co_return co_await refuse(body_error);
    const Request& request = parser.get();
    const bool is_head = request.method() == http::verb::head;
    AdminAnswer result = answer_to(request, ports_);
    co_return co_await write_answer(
        std::move(result), request.version(), is_head, request.keep_alive()
    );
}

Task<bool> HttpConnection::refuse(boost::system::error_code error) {
    AdminAnswer result = answer_to_broken(error, limits_);
    if (result.status == 0) co_return false;
    co_return co_await write_answer(std::move(result), http_1_1, false, false);
}

Task<bool> HttpConnection::write_answer(
    AdminAnswer result, unsigned version, bool is_head, bool keep
) {
    const bool keeps = keep && !is_stopping_;
    auto response = to_response(std::move(result), version, keeps);
    http::response_serializer<http::string_body> serializer(response);
    is_writing_ = true;
    stream_.expires_after(limits_.timeout);
    boost::system::error_code error;
    if (is_head) {
        auto [head_error, written] =
            co_await http::async_write_header(stream_, serializer, tuple_awaitable);
        error = head_error;
    } else {
        auto [write_error, written] =
            co_await http::async_write(stream_, serializer, tuple_awaitable);
        error = write_error;
    }
    is_writing_ = false;
    co_return !error && keeps;
}

Task<> HttpConnection::close() {
    boost::system::error_code ignored;
    stream_.socket().shutdown(asio::ip::tcp::socket::shutdown_send, ignored);
    stream_.expires_after(dropping_time);
    std::array<char, 4096> scrap;
    std::size_t dropped = 0;
    while (!is_stopping_ && dropped < dropped_bytes_max) {
        auto [error, bytes] =
            co_await stream_.async_read_some(asio::buffer(scrap), tuple_awaitable);
        if (error) break;
        dropped += bytes;
    }
    stream_.close();
}

}  // namespace proxy
