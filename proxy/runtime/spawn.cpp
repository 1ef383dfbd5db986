#include "proxy/runtime/spawn.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/system/system_error.hpp>
#include <spdlog/spdlog.h>

#include <exception>

namespace proxy {
namespace {

std::atomic<std::uint64_t> escapes{0};

struct LogEscape {
    const char* name;
    void operator()(const std::exception_ptr& error) const noexcept {
        if (!error) return;
        try {
            std::rethrow_exception(error);
        } catch (const boost::system::system_error& e) {
            // Cancellation at shutdown is how a task is told to end.
            if (e.code() == boost::asio::error::operation_aborted) return;
            escapes.fetch_add(1, std::memory_order_relaxed);
            spdlog::error("event=task_escape task={} error=\"{}\"", name, e.what());
        } catch (const std::exception& e) {
            escapes.fetch_add(1, std::memory_order_relaxed);
            spdlog::error("event=task_escape task={} error=\"{}\"", name, e.what());
        } catch (...) {
            escapes.fetch_add(1, std::memory_order_relaxed);
            spdlog::error("event=task_escape task={} error=unknown", name);
        }
    }
};

}  // namespace

void spawn(const boost::asio::any_io_executor& executor, const char* name, Task<> task) {
    LogEscape handler{name};
    boost::asio::co_spawn(executor, std::move(task), handler);
}

std::uint64_t task_escape_total() noexcept {
    return escapes.load(std::memory_order_relaxed);
}

}  // namespace proxy
