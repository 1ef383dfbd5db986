#include "proxy/ledger/judge.hpp"

#include "proxy/ledger/sku_id.hpp"

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <memory>

namespace proxy {
namespace {

constexpr std::size_t round_size_max = 64;
constexpr std::size_t links_max = 4;
constexpr std::chrono::milliseconds pause_min{50};
constexpr std::chrono::milliseconds pause_max{2000};
constexpr unsigned error_duplicate_key = 1062;

enum class Verdict : std::uint8_t { open, booked, never };

// The tombstone says the same of a deduction and of a return; only its id matters.
std::string tombstone(const Reservation& reservation) {
    ledger_sql::Target target;
    target.schema = reservation.schema;
    target.sku_id = reservation.sku_id;
    return ledger_sql::insert_detail(
        target,
        reservation.id,
        reservation.units,
        reservation.bucket,
        ledger_sql::DetailStatus::cancelled
    );
}

std::string status_query(const Reservation& reservation) {
    return "SELECT status FROM " + ledger_sql::quote_name(reservation.schema) +
           ".stock_deduct_detail WHERE request_id=X'" + reservation.id.hex() + '\'';
}

Verdict verdict_of(const std::string& status) {
    if (status == "1" || status == "3") return Verdict::booked;
    return status == "2" ? Verdict::never : Verdict::open;
}

// `error` tells why it stays open, if the database said so.
Task<Verdict> ask(SqlLink& link, const Reservation& reservation, SqlError& error) {
    const std::string insert = tombstone(reservation);
    auto inserted = co_await link.query(insert);
    if (!inserted.error) co_return Verdict::never;
    error = std::move(inserted.error);
    if (error.code != error_duplicate_key) co_return Verdict::open;
    // A committed row with this id: a row of an open transaction would have been waited for.
    const std::string select = status_query(reservation);
    auto found = co_await link.query(select);
    error = std::move(found.error);
    // No row: it was deleted by its own transaction between the two statements. Ask again.
    if (error || found.rows.empty()) co_return Verdict::open;
    co_return verdict_of(found.rows[0][0].value_or(""));
}

// One round over the first entries of the queue. Entries stay where they are until it is over.
struct Round {
    explicit Round(const boost::asio::any_io_executor& executor) : ended(executor) {}
    std::vector<const Reservation*> asked;
    std::vector<Verdict> verdicts;
    std::size_t next = 0;
    std::size_t workers = 0;
    SqlError error;  // the last one
    Event ended;     // one waiter
};

class WorkerEnd {
public:
    explicit WorkerEnd(Round& round) : round_(&round) {}
    ~WorkerEnd() {
        if (--round_->workers == 0) round_->ended.notify();
    }
    WorkerEnd(const WorkerEnd&) = delete;
    WorkerEnd& operator=(const WorkerEnd&) = delete;

private:
    Round* round_;
};

Task<> work(SqlPool& pool, std::shared_ptr<Round> round) {
    const WorkerEnd end(*round);
    SqlError error;
    auto link = co_await pool.lease(error);
    if (error) {
        round->error = std::move(error);
        co_return;
    }
    while (round->next < round->asked.size() && link->usable()) {
        const std::size_t at = round->next++;
        const Verdict verdict = co_await ask(*link, *round->asked[at], error);
        round->verdicts[at] = verdict;
        if (verdict == Verdict::open && error) round->error = error;
    }
}

class RunningMark {
public:
    explicit RunningMark(bool& running) : running_(&running) {}
    ~RunningMark() { *running_ = false; }
    RunningMark(const RunningMark&) = delete;
    RunningMark& operator=(const RunningMark&) = delete;

private:
    bool* running_;
};

}  // namespace

void settle(Gate& gate, const Reservation& reservation) {
    if (reservation.is_return) {
        const auto key = gate_key(reservation.schema, reservation.sku_id, reservation.bucket);
        gate.credit(key, reservation.units);
    }
    for (const auto& held : reservation.held) {
        gate.settle(held.gate_key, reservation.id, held.ticket);
    }
}

void give_back(Gate& gate, const Reservation& reservation) {
    for (const auto& held : reservation.held) {
        gate.release(held.gate_key, reservation.id, held.ticket);
    }
}

Judge::Judge(const boost::asio::any_io_executor& executor, SqlPool& pool, Gate& gate)
    : executor_(executor), pool_(&pool), gate_(&gate) {}

void Judge::submit(std::vector<Reservation> undecided) {
    const auto now = std::chrono::steady_clock::now();
    for (auto& reservation : undecided) {
        Undecided entry{std::move(reservation), now};
        queue_.push_back(std::move(entry));
    }
    if (queue_.empty() || running_) return;
    running_ = true;
    auto task = run();
    spawn(executor_, "judge", std::move(task));
}

std::size_t Judge::waiting() const noexcept {
    return queue_.size();
}

std::uint64_t Judge::oldest_ms() const noexcept {
    if (queue_.empty()) return 0;
    // Open ones go to the back, so the front is not always the oldest.
    const auto oldest = std::min_element(
        queue_.begin(),
        queue_.end(),
        [](const Undecided& left, const Undecided& right) { return left.since < right.since; }
    );
    const auto age = std::chrono::steady_clock::now() - oldest->since;
    return static_cast<std::uint64_t>(
        std::chrono::duration_cast<std::chrono::milliseconds>(age).count()
    );
}

Task<> Judge::run() {
    const RunningMark mark(running_);
    boost::asio::steady_timer timer(executor_);
    auto pause = pause_min;
    while (!queue_.empty()) {
        auto round = std::make_shared<Round>(executor_);
        const std::size_t size = std::min(round_size_max, queue_.size());
        // References stay valid: others only append, and a deque does not move for that.
        for (std::size_t i = 0; i < size; ++i) round->asked.push_back(&queue_[i].reservation);
        round->verdicts.assign(size, Verdict::open);
        round->workers = std::min(links_max, size);
        const std::size_t workers = round->workers;
        for (std::size_t i = 0; i < workers; ++i) {
            auto task = work(*pool_, round);
            spawn(executor_, "judge_link", std::move(task));
        }
        co_await round->ended.wait();

        bool progress = false;
        for (const Verdict verdict : round->verdicts) {
            Undecided entry = std::move(queue_.front());
            queue_.pop_front();
            if (verdict == Verdict::booked) settle(*gate_, entry.reservation);
            if (verdict == Verdict::never) give_back(*gate_, entry.reservation);
            if (verdict == Verdict::open) queue_.push_back(std::move(entry));
            progress = progress || verdict != Verdict::open;
        }
        if (progress) {
            pause = pause_min;
            continue;
        }
        if (pause == pause_max && round->error) {
            spdlog::warn(
                "event=judge_waits undecided={} oldest_ms={} code={} error=\"{}\"",
                waiting(),
                oldest_ms(),
                round->error.code,
                round->error.message
            );
        }
        timer.expires_after(pause);
        co_await timer.async_wait(boost::asio::use_awaitable);
        pause = std::min(pause * 2, pause_max);
    }
}

}  // namespace proxy
