#pragma once
// What an error number says about the connection and about the statement. Pure. Numbers of the
// server and of the client library share one space; whatever is unknown here is the server's plain
// answer, and the connection goes on.

#include "proxy/sql/sql_link.hpp"

#include <chrono>
#include <string>

namespace proxy::sql_failure {

// Reported by the client library: the server said nothing.
[[nodiscard]] bool is_client_error(unsigned code) noexcept;
// The server closes the connection after these, or it is closed already.
[[nodiscard]] bool ends_connection(unsigned code) noexcept;
// Whether the error leaves open what the statement did.
[[nodiscard]] bool leaves_open(unsigned code, const std::string& sql) noexcept;

[[nodiscard]] SqlError local(std::string message);
[[nodiscard]] SqlError timed_out(std::chrono::milliseconds timeout, const char* what);

}  // namespace proxy::sql_failure
