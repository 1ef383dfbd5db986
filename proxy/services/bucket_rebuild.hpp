#pragma once
// Gives one bucket of the gate (or of both, while Redis comes back) the value that the ledger says,
// under traffic, exactly. Control context; one link per call; errors are values.
//
// Why it is exact. The bucket's ledger row is locked first (FOR UPDATE) and stays locked until the
// gate was told. A transaction that booked on this bucket holds that lock until it ends, so while
// we hold it none is open: every booking on the bucket is either committed, and in the remainder
// that we read, or will come after us. The reservations are read under the lock as well:
// - Its detail row is committed: the remainder has its units gone already. Its field is dropped;
// the
//   settle that is still on its way finds nothing and changes nothing.
// - No detail row, and still held by somebody: not booked, may be booked later. It is kept, and its
//   units are taken off what is left.
// - No detail row, and held by nobody: it can never be booked. Its field is dropped, its units are
//   free; a release that is still on its way finds nothing and changes nothing.
// A reservation that reaches the gate after we read is not among those that we drop, so it is kept
// and counted by the same single step that sets the new value.
//
// What this asks of others: a reservation counts as live from before the gate is asked until it is
// settled, released or given to the judge (an undecided one is either in a transaction that holds
// the lock, or was not booked and cannot be any more); the gate's answer is awaited before the
// COMMIT is sent; a call to the gate whose fate is unknown marks the bucket. A rebuild call that
// timed out may reach the gate later, after the lock is gone. The result is then `gate_away` and
// the caller must rebuild again.

#include "proxy/gate/gate.hpp"
#include "proxy/services/rebuild_decision.hpp"
#include "proxy/sql/sql_pool.hpp"

#include <functional>
#include <string>
#include <vector>

namespace proxy {

struct BucketAddress {
    std::string schema;
    std::string sku_id;
    unsigned bucket = 0;
};

// Of these ids (all of this process), which are still held in this bucket: asks every core; same
// order. An id that is missing in the answer counts as held.
using LiveQuery =
    std::function<Task<std::vector<bool>>(std::string gate_key, std::vector<RequestId> ids)>;

// The gates to set right, asked with the ledger's row locked (RebuildTargets::now).
using TargetGates = std::function<std::vector<GateMaintenance*>()>;

enum class RebuildResult : std::uint8_t {
    rebuilt,
    gone,           // no such row in the ledger: the key was removed
    locked,         // somebody holds the row for long: later
    database_away,  // or another error of it, see `error`
    gate_away,      // the gate's value is unknown now
};

struct RebuildReport {
    RebuildResult result = RebuildResult::database_away;
    std::int64_t remainder = 0;
    std::size_t kept = 0;
    std::size_t dropped = 0;
    bool created = false;  // a gate had lost the bucket, and with it whatever was reserved there
    SqlError error;
};

class BucketRebuild {
public:
    // `live`, and `gates` of each call, outlive the call.
    BucketRebuild(SqlPool& pool, std::uint32_t incarnation, const LiveQuery& live)
        : pool_(&pool), incarnation_(incarnation), live_(&live) {}

    Task<RebuildReport> rebuild(const TargetGates& gates, BucketAddress bucket);

private:
    Task<RebuildReport> under_lock(
        SqlLink& link, const TargetGates& gates, const BucketAddress& at
    );
    Task<SqlError> set_right(
        SqlLink& link,
        GateMaintenance& gate,
        const BucketAddress& at,
        const std::string& key,
        RebuildReport& report
    );
    Task<SqlError> gather(
        SqlLink& link,
        const BucketAddress& at,
        const std::string& key,
        const BucketState& state,
        std::vector<ReservationFacts>& facts
    );

    SqlPool* pool_;
    std::uint32_t incarnation_;
    const LiveQuery* live_;
};

}  // namespace proxy
