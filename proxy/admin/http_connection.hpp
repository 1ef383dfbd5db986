#pragma once
// One client connection of the admin server: reads requests, answers them in order, closes. Owned
// by its own task and listed by the server, both on the control context. Nothing is kept between
// requests except bytes that a pipelining client sent ahead.

#include "proxy/admin/admin_ports.hpp"
#include "proxy/admin/admin_server.hpp"
#include "proxy/runtime/spawn.hpp"

#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>

namespace proxy {

struct AdminAnswer;

class HttpConnection {
public:
    // `ports` and `limits` outlive the connection's task.
    HttpConnection(
        boost::asio::ip::tcp::socket socket, const AdminPorts& ports, const AdminLimits& limits
    );

    // Ends when either side closed, or after stop().
    Task<> run();

    // Closes at once, or after the answer that is being written.
    void stop();

private:
    Task<bool> serve_one();
    Task<bool> refuse(boost::system::error_code error);
    Task<bool> write_answer(AdminAnswer result, unsigned version, bool is_head, bool keep);
    Task<> close();

    boost::beast::tcp_stream stream_;
    boost::beast::flat_buffer buffer_;
    const AdminPorts& ports_;
    const AdminLimits& limits_;
    bool is_writing_ = false;
    bool is_stopping_ = false;
};

}  // namespace proxy
