#pragma once
// Carries out one deduction or return of a hot SKU on the client's own backend connection: gate,
// ledger rows, and the reply that MySQL would have sent. One object per statement. Runs inside the
// session's command coroutine, with no client reply due.
//
// Order of work: choose a bucket, reserve at the gate, INSERT the detail and UPDATE the bucket in
// one write (UPDATE last: shortest lock, right ROW_COUNT()). The gate may be wrong at any time, so
// its "no" is never the answer to a client: when no probed bucket has enough, the ledger is asked,
// and only its sum refuses.

#include "proxy/session/backend_link.hpp"
#include "proxy/session/bind.hpp"
#include "proxy/session/core_context.hpp"

#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace proxy {

struct HotReply {
    enum class What : std::uint8_t {
        ok,           // an UPDATE's OK with `rows` matched and changed
        no_change,    // matched, nothing changed: affected rows by the client's FOUND_ROWS
        err,          // `error`
        decide_anew,  // the SKU's epoch is gone: look into the (refreshed) registry again
        close,        // the backend is gone, or the outcome is unknown: no answer may be given
    } what = What::close;
    std::uint64_t rows = 0;
    OwnError error;
};

struct HotRequest {
    const Sku* sku = nullptr;  // valid while `registry` is held
    RegistryView registry;
    BoundUpdate update;
};

class HotUpdate {
public:
    HotUpdate(
        CoreContext& core, BackendLink& backend, TransactionTracker& transaction, HotRequest request
    );

    Task<HotReply> run();

private:
    enum class Booked : std::uint8_t {
        yes,
        refused,  // the ledger had fewer units in that bucket, or the epoch is gone; all undone
        failed,   // `reply_` says why; all undone
    };

    // What the gate granted, before the ledger said anything.
    struct Granted {
        unsigned bucket = 0;
        Reservation reservation;
    };

    Task<HotReply> deduct();
    Task<HotReply> restock();
    Task<HotReply> match_only();
    Task<bool> refresh_status();

    Task<std::optional<Granted>> probe_gate();
    Task<HotReply> ask_ledger();
    // Locks every bucket row in the client's transaction and decides on the sum.
    Task<HotReply> gather();
    // Sends the statements (INSERT first, the one-row UPDATE last) in one write; `rows_moved`: of
    // the UPDATE between them that gathers units, 0 without one. Undoes what did not book.
    Task<Booked> book(
        const Reservation& reservation,
        std::vector<std::string> statements,
        std::uint64_t rows_moved
    );
    Task<bool> undo(const RequestId& id);
    Task<bool> roll_back();
    Task<HotReply> commit(Reservation reservation);
    Task<HotReply> booked(Reservation reservation);
    Task<HotReply> decide_commit(Reservation reservation);
    Task<std::optional<std::vector<std::pair<unsigned, std::int64_t>>>> read_remainders();
    Task<Reservation> reserve_forced(unsigned bucket, std::int64_t units);
    Task<HotReply> wait_for_registry();

    [[nodiscard]] HotReply sold_out(std::int64_t sum) const;
    [[nodiscard]] HotReply error_reply(OwnError error) const;
    [[nodiscard]] HotReply rows_reply(std::uint64_t rows) const;
    [[nodiscard]] Reservation new_reservation(unsigned bucket) const;
    [[nodiscard]] unsigned choose(const std::vector<unsigned>& buckets);
    [[nodiscard]] std::vector<unsigned> probe_order();
    [[nodiscard]] std::string key_of(unsigned bucket) const;
    void take_status(const std::vector<OwnReply>& replies);
    void give_back_now(const Reservation& reservation, bool gate_was_wrong);

    CoreContext& core_;
    BackendLink& backend_;
    TransactionTracker& transaction_;
    HotRequest request_;
    const TableInfo& table_;
    ledger_sql::Target target_;
    std::int64_t units_;
    RequestId id_;
    bool autocommit_ = false;  // the statement is a transaction by itself
    bool begun_ = false;       // our BEGIN was sent and not yet ended
    OwnError failure_;
    bool backend_lost_ = false;
};

}  // namespace proxy
