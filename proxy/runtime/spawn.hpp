#pragma once
// The only place that starts a coroutine. A task that throws is logged by name, counted, and ends
// alone. Build the task on the line above the call (GCC-12: aggregates and lambdas inside an
// expression with co_await are destroyed twice).

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <atomic>
#include <cstdint>
#include <string>

namespace proxy {

template <class T = void>
using Task = boost::asio::awaitable<T>;

// `name` must be a literal: it is kept for the log line.
void spawn(const boost::asio::any_io_executor& executor, const char* name, Task<> task);

// How many tasks ended by an exception since the process began.
[[nodiscard]] std::uint64_t task_escape_total() noexcept;

}  // namespace proxy
