#pragma once
// Which path and method does what: one table, and a pure function from request to answer that
// knows HTTP's rules but no socket and no HTTP library. Called by AdminServer on the control
// context; holds no state. Every refusal is an answer with a JSON body of one line, never an
// exception.

#include "proxy/admin/admin_ports.hpp"

#include <string>
#include <string_view>

namespace proxy {

struct AdminRequest {
    std::string_view method;        // as sent: "GET"
    std::string_view target;        // as sent, with its query
    std::string_view host;          // Host header, empty when missing
    std::string_view content_type;  // empty when missing
    std::string_view body;
};

struct AdminAnswer {
    unsigned status = 200;
    std::string content_type = "application/json";
    std::string body;
    std::string allow;  // for 405: the methods of the path
};

[[nodiscard]] AdminAnswer answer(const AdminRequest& request, const AdminPorts& ports);

// {"error":"..."} and a line feed. `reason` may hold any bytes.
[[nodiscard]] AdminAnswer refusal(unsigned status, std::string_view reason);

}  // namespace proxy
