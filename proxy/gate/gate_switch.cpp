#include "proxy/gate/gate_switch.hpp"

#include <utility>

namespace proxy {
namespace {

GateAnswer to_answer(BucketCode code) noexcept {
    switch (code) {
        case BucketCode::done:
            return GateAnswer::granted;
        case BucketCode::insufficient:
            return GateAnswer::insufficient;
        case BucketCode::missing:
        case BucketCode::damaged:
            break;
    }
    return GateAnswer::missing;
}

bool is_missing(BucketCode code) noexcept {
    return code == BucketCode::missing || code == BucketCode::damaged;
}

const char* failure_reason(CallEnd end) noexcept {
    switch (end) {
        case CallEnd::not_sent:
            return "not connected or queue full";
        case CallEnd::refused:
            return "error reply";
        case CallEnd::unknown:
            return "timeout or connection lost";
        case CallEnd::answered:
            break;
    }
    return "answered";
}

}  // namespace

GateSwitch::GateSwitch(GateSwitchParts parts) : shared_(std::make_shared<Shared>()) {
    shared_->parts = std::move(parts);
}

bool GateSwitch::serves_local(BreakerView view) const noexcept {
    return shared_->parts.remote == nullptr || view.phase != BreakerPhase::closed;
}

Task<ReserveReply> GateSwitch::reserve(
    const std::string& key, RequestId id, std::int64_t units, bool forced
) {
    const BreakerView view = shared_->parts.breaker->view();
    if (serves_local(view)) co_return reserve_local(key, id, units, forced, view);
    auto call = reserve_remote(key, id, units, forced, view);
    const ReserveReply reply = co_await std::move(call);
    co_return reply;
}

Task<ReserveReply> GateSwitch::reserve_remote(
    const std::string& key, RequestId id, std::int64_t units, bool forced, BreakerView view
) {
    // Live before it is sent: a rebuild may see the field before we see the answer.
    const bool added = live_.add(key, id);
    shared_->counters.live.add(added ? 1 : 0);
    auto call = shared_->parts.remote->reserve(key, id, units, forced);
    const RemoteReply reply = co_await std::move(call);
    shared_->record(reply);

    ReserveReply result;
    result.ticket.local = false;
    result.ticket.generation = view.generation;
    if (reply.end == CallEnd::answered) {
        result.answer = to_answer(reply.bucket.code);
        result.left = reply.bucket.left;
    }
    if (result.answer != GateAnswer::granted && added) forget(key, id);
    if (result.answer == GateAnswer::missing && shared_->parts.on_missing) {
        shared_->parts.on_missing(key);
    }
    if (reply.end == CallEnd::unknown) shared_->parts.dirty->mark(key);
    shared_->counters.reserve(false, result.answer).add();
    co_return result;
}

ReserveReply GateSwitch::reserve_local(
    const std::string& key, RequestId id, std::int64_t units, bool forced, BreakerView view
) {
    const bool added = live_.add(key, id);
    shared_->counters.live.add(added ? 1 : 0);
    const BucketReply reply = shared_->parts.local->reserve(key, id, units, forced);
    ReserveReply result;
    result.answer = to_answer(reply.code);
    result.left = reply.left;
    result.ticket.local = true;
    result.ticket.generation = view.generation;
    if (result.answer != GateAnswer::granted && added) forget(key, id);
    shared_->after_local(key, view, reply.code);
    shared_->counters.reserve(true, result.answer).add();
    return result;
}

void GateSwitch::settle(const std::string& key, RequestId id, GateTicket ticket) {
    shared_->counters.settle.add();
    end(End::settle, key, id, ticket);
}

void GateSwitch::release(const std::string& key, RequestId id, GateTicket ticket) {
    shared_->counters.release.add();
    end(End::release, key, id, ticket);
}

void GateSwitch::end(End kind, const std::string& key, RequestId id, GateTicket ticket) {
    const auto& parts = shared_->parts;
    const bool was_live = live_.remove(key, id);
    shared_->counters.live.subtract(was_live ? 1 : 0);
    const BreakerView view = parts.breaker->view();
    const bool local = serves_local(view);
    if (ticket.local != local || ticket.generation != view.generation) {
        shared_->counters.ends_replaced.add();
        parts.dirty->mark(key);
        return;
    }
    // Its reserve ended unknown, or it ended twice: a rebuild may have counted it either way.
    if (!was_live) parts.dirty->mark(key);
    if (local) {
        const auto reply =
            kind == End::settle ? parts.local->settle(key, id) : parts.local->release(key, id);
        shared_->after_local(key, view, reply.code);
    } else if (kind == End::settle) {
        parts.remote->settle(key, id, on_end(key, view.generation));
    } else {
        parts.remote->release(key, id, on_end(key, view.generation));
    }
}

void GateSwitch::credit(const std::string& key, std::int64_t units) {
    shared_->counters.credit.add();
    const auto& parts = shared_->parts;
    const BreakerView view = parts.breaker->view();
    // A rebuild between the return's COMMIT and this call has counted the units already. So the
    // bucket is rebuilt once more, after the credit is known to be over: that is exact, and until
    // then the ledger refuses what the gate has too much of.
    if (serves_local(view)) {
        shared_->after_credit(key, parts.local->credit(key, units).code);
        return;
    }
    parts.remote->credit(key, units, [shared = shared_, key](const RemoteReply& reply) {
        shared->record(reply);
        const bool answered = reply.end == CallEnd::answered;
        if (!answered) shared->counters.ends_failed.add();
        shared->after_credit(key, answered ? reply.bucket.code : BucketCode::done);
    });
}

void GateSwitch::forget(const std::string& key, RequestId id) {
    live_.remove(key, id);
    shared_->counters.live.subtract();
}

RemoteGate::Done GateSwitch::on_end(const std::string& key, std::uint32_t generation) const {
    return [shared = shared_, key, generation](const RemoteReply& reply) {
        shared->after_remote_end(key, generation, reply);
    };
}

void GateSwitch::Shared::record(const RemoteReply& reply) const {
    if (reply.end == CallEnd::answered) {
        parts.breaker->record_success(reply.duration);
    } else {
        parts.breaker->record_failure(failure_reason(reply.end));
    }
}

void GateSwitch::Shared::after_remote_end(
    const std::string& key, std::uint32_t generation, const RemoteReply& reply
) {
    record(reply);
    if (reply.end != CallEnd::answered) {
        counters.ends_failed.add();
        parts.dirty->mark(key);
        return;
    }
    // The breaker opened while the call was under way: the gate that serves now may have been
    // seeded before this end was in the ledger.
    if (parts.breaker->view().generation != generation) parts.dirty->mark(key);
    if (is_missing(reply.bucket.code) && parts.on_missing) parts.on_missing(key);
}

void GateSwitch::Shared::after_credit(const std::string& key, BucketCode code) const {
    if (!is_missing(code)) {
        parts.dirty->mark(key);
    } else if (parts.on_missing) {
        parts.on_missing(key);
    }
}

void GateSwitch::Shared::after_local(const std::string& key, BreakerView before, BucketCode code)
    const {
    if (is_missing(code) && parts.on_missing) parts.on_missing(key);
    const bool rebuilding = parts.remote != nullptr && before.phase == BreakerPhase::rebuilding;
    if (rebuilding || parts.breaker->view().generation != before.generation) {
        parts.dirty->mark(key);
    }
}

}  // namespace proxy
