#pragma once
// The gate: bucket counters in Redis, or in this process (`local`, also the fallback). One Gate per
// core; nothing here is authoritative: a deduction exists only when its ledger row is committed.
//
// A bucket's value: left, and one field per reservation (request id -> units). Reserve, settle and
// release are idempotent by request id, so a retry or a late duplicate changes nothing, and
// whatever a dead proxy left can be decided one by one against the ledger. Invariant kept by every
// call: left + sum(reservations) = units the ledger can still sell.

#include "proxy/ledger/request_id.hpp"
#include "proxy/runtime/spawn.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace proxy {

enum class GateAnswer : std::uint8_t {
    granted,
    insufficient,  // the bucket has fewer units left; nothing was taken
    missing,       // no such key: says nothing about stock; ask the ledger and rebuild
    unknown,       // timed out, connection lost, error: the units may be reserved
};

// Which gate granted: settles and releases of a reservation go back to the same one. A reservation
// whose gate was replaced meanwhile marks its bucket for rebuild instead.
struct GateTicket {
    bool local = false;
    std::uint32_t generation = 0;
};

struct ReserveReply {
    GateAnswer answer = GateAnswer::unknown;
    std::int64_t left = 0;  // after the call; valid for granted and insufficient
    GateTicket ticket;
};

struct GateReservation {
    RequestId id;
    std::int64_t units = 0;
};

struct BucketState {
    bool exists = false;
    std::int64_t left = 0;
    std::vector<GateReservation> reservations;
};

class Gate {
public:
    virtual ~Gate() = default;

    // `forced`: the ledger has booked or will book these units whatever the gate thinks; take them
    // even if `left` becomes negative. A missing key stays missing.
    virtual Task<ReserveReply> reserve(
        const std::string& key, RequestId id, std::int64_t units, bool forced
    ) = 0;

    // The ends of a reservation. Fire and forget: they return at once, never block and never fail
    // towards the caller; what could not be told to the gate marks the bucket for rebuild.
    virtual void settle(const std::string& key, RequestId id, GateTicket ticket) = 0;
    virtual void release(const std::string& key, RequestId id, GateTicket ticket) = 0;
    // After a committed return: `units` more can be sold. Not idempotent: in doubt, a rebuild.
    virtual void credit(const std::string& key, std::int64_t units) = 0;
};

// What rebuild, reconcile and verify use on the gate behind the breaker's back.
class GateMaintenance {
public:
    virtual ~GateMaintenance() = default;
    // False: the gate could not be asked.
    virtual Task<bool> read(const std::string& key, BucketState& state) = 0;
    // Sets left = remainder - sum(reservations kept), dropping the reservations in `settled`, in
    // one step. Creates the key. Called with the ledger's bucket row locked (see ledger/rebuild).
    virtual Task<bool> rebuild(
        const std::string& key, std::int64_t remainder, const std::vector<RequestId>& settled
    ) = 0;
    virtual Task<bool> remove(const std::string& key) = 0;
    virtual Task<bool> ping() = 0;
};

// Buckets whose gate value can no longer be trusted. Thread-safe; rebuild takes from it.
class DirtyBuckets {
public:
    virtual ~DirtyBuckets() = default;
    virtual void mark(const std::string& gate_key) = 0;
};

}  // namespace proxy
