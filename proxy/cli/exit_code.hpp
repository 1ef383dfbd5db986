#pragma once
// What the process answers to its shell. Scripts depend on these.

namespace proxy::exit_code {

inline constexpr int ok = 0;
inline constexpr int finding = 1;         // an audit failed, or something was refused
inline constexpr int usage = 2;           // wrong arguments or configuration
inline constexpr int cannot_connect = 3;  // the database could not be reached or logged in to

}  // namespace proxy::exit_code
