#include "tests/demo/buyer.hpp"

#include <mysqld_error.h>

#include <chrono>
#include <string>
#include <thread>

namespace demo {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto reconnect_pause = std::chrono::milliseconds(50);
constexpr auto reconnect_patience = std::chrono::seconds(30);

// splitmix64: an attempt's plan depends on the seed and its number only, not on the thread.
std::uint64_t mix(std::uint64_t value) {
    value += 0x9e3779b97f4a7c15ULL;
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9ULL;
    value = (value ^ (value >> 27)) * 0x94d049bb133111ebULL;
    return value ^ (value >> 31);
}

double to_share(std::uint64_t value) {
    return static_cast<double>(value >> 11) * 0x1.0p-53;
}

}  // namespace

struct Buyer::Plan {
    enum class End { pay, change_mind, cut };

    std::uint64_t attempt = 0;
    std::string order_number;
    std::uint64_t sku = 0;
    unsigned units = 1;
    End end = End::pay;
};

Buyer::Plan Buyer::make_plan(std::uint64_t attempt) const {
    const Options& options = sale_.options;
    std::uint64_t state = mix(options.seed ^ mix(attempt));
    Plan plan;
    plan.attempt = attempt;
    plan.order_number = options.run + "-" + std::to_string(attempt);
    const double share = to_share(state);
    if (share < options.drop_share) {
        plan.end = Plan::End::cut;
    } else if (share < options.drop_share + options.rollback_share) {
        plan.end = Plan::End::change_mind;
    }
    state = mix(state);
    plan.sku = options.skus[state % options.skus.size()];
    plan.units = options.quantity;
    if (options.quantity_max > options.quantity) {
        const unsigned choices = options.quantity_max - options.quantity + 1;
        plan.units += static_cast<unsigned>(mix(state) % choices);
    }
    return plan;
}

void Buyer::run() {
    while (!sale_.is_over) {
        if (!shop_.is_connected() && !reconnect()) return;
        const std::uint64_t attempt = sale_.next_attempt++;
        if (attempt >= sale_.options.attempts) break;
        const Plan plan = make_plan(attempt);
        const auto start = Clock::now();
        const Outcome outcome = buy(plan);
        if (outcome == Outcome::sold) {
            results_.last_sale = Clock::now();
            const auto taken =
                std::chrono::duration_cast<std::chrono::microseconds>(results_.last_sale - start);
            results_.sale_times.push_back(static_cast<std::uint32_t>(taken.count()));
            results_.units_sold += plan.units;
        }
        note(plan, outcome);
    }
    shop_.close();
}

bool Buyer::reconnect() {
    const auto deadline = Clock::now() + reconnect_patience;
    while (!sale_.is_over && Clock::now() < deadline) {
        if (shop_.connect()) return true;
        sale_.counters.add_connect_failure();
        results_.error_texts.try_emplace(shop_.last_error(), shop_.last_error_text());
        std::this_thread::sleep_for(reconnect_pause);
    }
    return false;
}

Outcome Buyer::buy(const Plan& plan) {
    if (sale_.options.mode == Mode::autocommit) return buy_with_autocommit(plan);
    return buy_in_transaction(plan);
}

Outcome Buyer::buy_in_transaction(const Plan& plan) {
    std::uint64_t rows = 0;
    if (!shop_.begin()) return fail(true);
    think();
    if (!shop_.insert_order(plan.order_number, plan.sku, plan.units)) return fail(true);
    think();
    if (!shop_.deduct(plan.sku, plan.units, rows)) return fail(true);
    think();
    if (plan.end == Plan::End::cut) {
        shop_.cut();
        return Outcome::dropped;
    }
    if (rows == 0) return shop_.rollback() ? Outcome::refused : fail(true);
    if (plan.end == Plan::End::change_mind) {
        return shop_.rollback() ? Outcome::rolled_back : fail(true);
    }
    return shop_.commit() ? Outcome::sold : fail(false);
}

Outcome Buyer::buy_with_autocommit(const Plan& plan) {
    if (plan.end == Plan::End::cut) {
        if (!shop_.send_deduct(plan.sku, plan.units)) return fail(false);
        shop_.cut();
        return Outcome::dropped;
    }
    std::uint64_t rows = 0;
    if (!shop_.deduct(plan.sku, plan.units, rows)) return fail(false);
    return rows == 0 ? Outcome::refused : Outcome::sold;
}

// is_decisive: whatever broke, the server cannot have committed this attempt.
Outcome Buyer::fail(bool is_decisive) {
    const unsigned code = shop_.last_error();
    ++results_.error_codes[code];
    results_.error_texts.try_emplace(code, shop_.last_error_text());
    const bool is_lost = shop_.is_connection_lost();
    // These are sent while the server gives up a connection, whatever it was doing.
    const bool is_ending =
        code == ER_CONNECTION_KILLED || code == ER_SERVER_SHUTDOWN || code == ER_QUERY_INTERRUPTED;
    if (is_lost || is_ending || !shop_.rollback()) shop_.close();
    return (is_lost || is_ending) && !is_decisive ? Outcome::unknown : Outcome::error;
}

void Buyer::think() const {
    if (sale_.options.think_ms > 0) {
        std::this_thread::sleep_for(std::chrono::milliseconds(sale_.options.think_ms));
    }
}

void Buyer::note(const Plan& plan, Outcome outcome) {
    sale_.counters.add(outcome);
    if (sale_.options.log_file.empty()) return;
    results_.log += plan.order_number + " " + std::to_string(plan.sku) + " " +
                    std::to_string(plan.units) + " " + outcome_name(outcome) + "\n";
}

}  // namespace demo
