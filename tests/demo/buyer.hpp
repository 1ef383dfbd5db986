#pragma once

// One buyer of the flash sale: takes attempts from the common counter until they are used up, and
// notes what it was told for each. A Buyer is created on the main thread and runs on a thread of
// its own; results() may be read after that thread has ended.

#include "tests/demo/options.hpp"
#include "tests/demo/shop.hpp"
#include "tests/demo/tally.hpp"

#include <atomic>
#include <cstdint>

namespace demo {

// Shared by all buyers of a run.
struct Sale {
    const Options& options;
    Counters counters{};
    std::atomic<std::uint64_t> next_attempt{0};
    std::atomic<bool> is_over{false};  // the time is up
};

class Buyer {
public:
    explicit Buyer(Sale& sale) : sale_(sale), shop_(sale.options) {}

    [[nodiscard]] bool connect() { return shop_.connect(); }
    void run();
    [[nodiscard]] Results& results() { return results_; }

private:
    struct Plan;
    [[nodiscard]] Plan make_plan(std::uint64_t attempt) const;
    [[nodiscard]] bool reconnect();
    [[nodiscard]] Outcome buy(const Plan& plan);
    [[nodiscard]] Outcome buy_in_transaction(const Plan& plan);
    [[nodiscard]] Outcome buy_with_autocommit(const Plan& plan);
    [[nodiscard]] Outcome fail(bool is_decisive);
    void think() const;
    void note(const Plan& plan, Outcome outcome);

    Sale& sale_;
    Shop shop_;
    Results results_;
};

}  // namespace demo
