#pragma once
// Decides what nobody was told: a reservation whose transaction ended out of sight (connection
// lost, a procedure that may have committed, an error that may have rolled back). One per core. For
// each id it inserts a cancelled detail row: a duplicate key means that the deduction had committed
// (settle), success means that it now never can (release). The insert waits for an open transaction
// of the same id. It retries until it knows; nothing is decided by time. What is undecided when the
// process dies is decided by the next rebuild of the bucket.

#include "proxy/gate/gate.hpp"
#include "proxy/ledger/ledger_sql.hpp"
#include "proxy/runtime/event.hpp"
#include "proxy/sql/sql_pool.hpp"

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

namespace proxy {

// One reservation of a session: a booked (or to be booked) detail and what it holds at the gate.
struct Reservation {
    RequestId id;
    std::string schema;
    std::string sku_id;
    bool is_return = false;  // capacity added: nothing held; credited at the gate once committed
    unsigned bucket = 0;     // the bucket of the detail row
    std::int64_t units = 0;
    struct Held {
        std::string gate_key;
        std::int64_t units = 0;
        GateTicket ticket;
    };
    std::vector<Held> held;  // usually one; several when units were gathered
};

// Both ends of a reservation, for all that it holds.
void settle(Gate& gate, const Reservation& reservation);
void give_back(Gate& gate, const Reservation& reservation);

class Judge {
public:
    Judge(const boost::asio::any_io_executor& executor, SqlPool& pool, Gate& gate);

    void submit(std::vector<Reservation> undecided);
    [[nodiscard]] std::size_t waiting() const noexcept;
    // Milliseconds that the oldest undecided one has waited, 0 if none.
    [[nodiscard]] std::uint64_t oldest_ms() const noexcept;

private:
    Task<> run();
    boost::asio::any_io_executor executor_;
    SqlPool* pool_;
    Gate* gate_;
    struct Undecided {
        Reservation reservation;
        std::chrono::steady_clock::time_point since;
    };
    std::deque<Undecided> queue_;
    bool running_ = false;
};

}  // namespace proxy
