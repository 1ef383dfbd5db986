#pragma once
// Guards against DNS rebinding: a web page whose name was re-pointed at 127.0.0.1 reaches the admin
// port from a browser on this machine, but the browser still sends the page's own name as Host.
// Pure functions, any thread, nothing is resolved.

#include <string_view>

namespace proxy {

// True when the value of a Host header, with or without a port, is "localhost" or the literal of a
// loopback address. Everything else is false, also what is no host at all.
[[nodiscard]] bool is_loopback_host(std::string_view host_header);

}  // namespace proxy
