#pragma once
// How to reach one Redis server. Plain values, copied into each link. The password is a Secret: it
// goes to the AUTH command and nowhere else.

#include "config/secret.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

namespace proxy {

struct RedisOptions {
    std::string host = "127.0.0.1";  // name or address; resolved without blocking the loop
    std::uint16_t port = 6379;
    std::string username;     // ACL user; empty: the default user
    config::Secret password;  // empty: no AUTH is sent
    std::uint32_t database = 0;
    std::chrono::milliseconds timeout{300};  // per call; what is later counts as unknown
    std::chrono::milliseconds connect_timeout{
        1000};                             // look-up, connect, AUTH and SCRIPT LOAD together
    std::size_t queue_length_max = 10000;  // calls in flight; one more is refused at once
    // A server that owes an answer for this long is given up: the connection is opened anew.
    std::chrono::milliseconds stall_timeout{5000};
    std::chrono::milliseconds reconnect_min{50};    // after a failed attempt; doubles
    std::chrono::milliseconds reconnect_max{2000};  // up to this
    // Warn when the server may evict keys. One link per process is enough.
    bool check_policy = false;
};

}  // namespace proxy
