#pragma once
// The HTTP/1.1 server of the admin interface, on a loopback address of its own. Owned by the
// application, lives on the control context and is called only there (or before that runs); must be
// destroyed before the context. Everything a client can make it hold is bounded: connections,
// header, body, and the time for one request or one answer. Broken requests get a 4xx answer with
// one line of JSON, then the connection ends; they are never an error of the process.

#include "config/address.hpp"
#include "proxy/admin/admin_ports.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/system/result.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace proxy {

struct AdminLimits {
    std::size_t connections_max = 64;  // further ones wait in the kernel's queue
    std::uint32_t header_bytes_max = 8 * 1024;
    std::uint64_t body_bytes_max = 64 * 1024;
    // For a request to arrive completely, counted from the end of the one before (so it is the idle
    // timeout too), and for an answer to be taken.
    std::chrono::milliseconds timeout{10'000};
};

class AdminServer {
public:
    AdminServer(
        const boost::asio::any_io_executor& control, AdminPorts ports, AdminLimits limits = {}
    );
    ~AdminServer();  // stops
    AdminServer(const AdminServer&) = delete;
    AdminServer& operator=(const AdminServer&) = delete;

    // Binds and begins to serve; gives the port, which matters when the address says 0. Fails with
    // what the system says, or access_denied when the address is not a loopback one.
    [[nodiscard]] boost::system::result<std::uint16_t> listen(const config::Address& address);

    // No new connections; waiting ones are closed, answers on their way are finished or time out.
    // Afterwards nothing of the server keeps the context busy. A second call changes nothing.
    void stop();

    [[nodiscard]] std::size_t connections() const noexcept;

private:
    struct State;
    friend struct AdminServerTasks;
    std::shared_ptr<State> state_;  // shared with the tasks, which may end after this object
};

}  // namespace proxy
