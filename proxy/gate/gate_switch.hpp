#pragma once
// The Gate that sessions of one core use: sends each call to Redis while the breaker is closed,
// else to the local gate; tells the breaker how Redis did; knows which reservations are live; marks
// a bucket dirty whenever the gate may not know how a reservation ended. One core's thread only.
//
// A bucket is marked dirty when
//   - a reserve ended unknown (its id is then not live, so the rebuild drops what it may have
//   taken);
//   - a settle, release or credit failed or ended unknown;
//   - an end belongs to a gate that was replaced meanwhile (generation), or to an id that is not
//   live;
//   - the local gate serves while Redis is being rebuilt: the rebuild may have passed that bucket
//   already.
// A reserve that ended `unknown` may still be followed by settle or release of the same id; nothing
// is lost.

#include "proxy/gate/breaker.hpp"
#include "proxy/gate/gate_counters.hpp"
#include "proxy/gate/live_reservations.hpp"
#include "proxy/gate/local_gate.hpp"
#include "proxy/gate/remote_gate.hpp"

#include <functional>
#include <memory>

namespace proxy {

struct GateSwitchParts {
    RemoteGate* remote = nullptr;  // of this core; none: the configuration says `local`
    LocalGate* local = nullptr;    // of the process
    Breaker* breaker = nullptr;    // of the process
    DirtyBuckets* dirty = nullptr;
    // A bucket is missing (or damaged) in the gate that serves. Called often; must be thread-safe.
    std::function<void(const std::string& key)> on_missing;
};

class GateSwitch final : public Gate {
public:
    // All parts must outlive the core's calls; the switch itself may go before late replies arrive.
    explicit GateSwitch(GateSwitchParts parts);

    Task<ReserveReply> reserve(
        const std::string& key, RequestId id, std::int64_t units, bool forced
    ) override;
    void settle(const std::string& key, RequestId id, GateTicket ticket) override;
    void release(const std::string& key, RequestId id, GateTicket ticket) override;
    void credit(const std::string& key, std::int64_t units) override;

    // A session of this core holds it, in some bucket or in this one, or is just asking for it.
    [[nodiscard]] bool is_live(const RequestId& id) const { return live_.contains(id); }
    [[nodiscard]] bool is_live(const std::string& key, const RequestId& id) const {
        return live_.contains(key, id);
    }
    [[nodiscard]] std::size_t live_count() const noexcept { return live_.size(); }

    [[nodiscard]] const GateCounters& counters() const noexcept { return shared_->counters; }

private:
    enum class End : std::uint8_t { settle, release };
    // What late replies still need: kept by their callbacks.
    struct Shared {
        GateSwitchParts parts;
        GateCounters counters;

        void record(const RemoteReply& reply) const;
        void after_remote_end(
            const std::string& key, std::uint32_t generation, const RemoteReply& reply
        );
        void after_credit(const std::string& key, BucketCode code) const;
        void after_local(const std::string& key, BreakerView before, BucketCode code) const;
    };

    [[nodiscard]] bool serves_local(BreakerView view) const noexcept;
    Task<ReserveReply> reserve_remote(
        const std::string& key, RequestId id, std::int64_t units, bool forced, BreakerView view
    );
    ReserveReply reserve_local(
        const std::string& key, RequestId id, std::int64_t units, bool forced, BreakerView view
    );
    void end(End kind, const std::string& key, RequestId id, GateTicket ticket);
    void forget(const std::string& key, RequestId id);
    [[nodiscard]] RemoteGate::Done on_end(const std::string& key, std::uint32_t generation) const;

    std::shared_ptr<Shared> shared_;
    LiveReservations live_;
};

}  // namespace proxy
