#pragma once
// Runs one task to its end on a context of its own. A task that waits for something that never
// comes fails the test instead of hanging: the context then runs out of work.

#include "proxy/runtime/spawn.hpp"

#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>

#include <optional>
#include <stdexcept>
#include <utility>

namespace proxy::testing {

template <class T>
Task<> keep_result(Task<T> task, std::optional<T>& result) {
    result.emplace(co_await std::move(task));
}

template <class T>
T run_task(boost::asio::io_context& context, Task<T> task) {
    std::optional<T> result;
    auto kept = keep_result(std::move(task), result);
    spawn(context.get_executor(), "test", std::move(kept));
    context.restart();
    while (!result && context.run_one() != 0) {
    }
    if (!result) throw std::runtime_error("the task did not end");
    return std::move(*result);
}

}  // namespace proxy::testing
