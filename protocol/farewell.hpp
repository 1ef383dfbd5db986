#pragma once
// How to leave a server that waits for a login which will not come. A server counts connections
// given up in the middle of one against the host they come from, and in the end refuses that host
// (max_connect_errors), but it does not count logins that it refuses by itself. So it is given one
// to refuse. What each plugin takes for an attempt was found out with MySQL 9 and MariaDB 10.11;
// an answer of the wrong form counts like none. Pure values, any thread.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace protocol {

// Appends a login as a packet of its own, of a user that does not exist and with an empty answer.
// `plugin` is the greeting's.
void encode_farewell_login(std::vector<std::uint8_t>& out, std::string_view plugin);

// What to send, without frame header, when this was the server's last packet of an authentication.
// Refers to memory that stays.
[[nodiscard]] std::span<const std::uint8_t> farewell_answer(std::span<const std::uint8_t> asked
) noexcept;

}  // namespace protocol
