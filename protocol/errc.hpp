#pragma once
// Why bytes could not be understood. One category, values only; nothing here throws.

#include <boost/system/error_code.hpp>
#include <boost/system/result.hpp>

namespace protocol {

enum class Errc {
    ok = 0,
    incomplete,      // the packet is shorter than its fields say
    malformed,       // a field has a value that the protocol does not allow
    trailing_bytes,  // more bytes than fields
    unsupported,     // valid, but a form that we refuse on purpose (named in the log line)
};

[[nodiscard]] const boost::system::error_category& error_category() noexcept;
[[nodiscard]] inline boost::system::error_code make_error_code(Errc value) noexcept {
    return {static_cast<int>(value), error_category()};
}

template <class T>
using Result = boost::system::result<T>;

}  // namespace protocol

template <>
struct boost::system::is_error_code_enum<protocol::Errc> : std::true_type {};
