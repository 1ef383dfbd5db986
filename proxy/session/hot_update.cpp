// The order of a deduction or return, the gate, and the replies. hot_ledger.cpp asks the ledger,
// hot_booking.cpp writes it.
#include "proxy/session/hot_update.hpp"

#include <algorithm>

namespace proxy {
namespace {

using Clock = std::chrono::steady_clock;

}  // namespace

HotUpdate::HotUpdate(
    CoreContext& core, BackendLink& backend, TransactionTracker& transaction, HotRequest request
)
    : core_(core),
      backend_(backend),
      transaction_(transaction),
      request_(std::move(request)),
      table_(request_.registry->tables[request_.sku->table]),
      units_(request_.update.delta < 0 ? -request_.update.delta : request_.update.delta) {
    target_.schema = table_.schema;
    target_.sku_id = request_.sku->sku_id;
    target_.epoch = request_.sku->epoch;
}

Task<HotReply> HotUpdate::run() {
    if (request_.sku->state == SkuState::paused)
        co_return error_reply(replies::sku_paused(target_.sku_id));
    if (request_.sku->state == SkuState::draining) {
        auto result = co_await wait_for_registry();
        co_return result;
    }
    if (transaction_.in_xa()) {
        co_return error_reply(
            replies::refused("stock of a hot SKU cannot change inside an XA transaction")
        );
    }
    if (transaction_.status_is_stale()) {
        const bool known = co_await refresh_status();
        if (!known) co_return HotReply{};
    }
    autocommit_ = !transaction_.in_transaction();
    HotReply reply;
    if (request_.update.delta == 0) {
        reply = co_await match_only();
    } else if (request_.update.delta < 0) {
        reply = co_await deduct();
    } else {
        reply = co_await restock();
    }
    if (reply.what == HotReply::What::err && request_.update.delta < 0)
        core_.metrics->deductions_failed.add();
    co_return reply;
}

// After an error the status flags are not known: any OK tells them.
Task<bool> HotUpdate::refresh_status() {
    std::vector<std::string> statements;
    statements.emplace_back("DO 0");
    std::vector<OwnReply> answers;
    const auto answered = co_await backend_.exchange(statements, answers);
    if (!answered) co_return false;
    take_status(answers);
    co_return true;
}

Task<HotReply> HotUpdate::deduct() {
    // A guard above the quantity ("keep ten in reserve") is a condition on the sum, not on a
    // bucket.
    if (request_.update.minimum && *request_.update.minimum > units_) {
        auto result = co_await gather();
        co_return result;
    }
    auto granted = co_await probe_gate();
    if (!granted) {
        auto answer = co_await ask_ledger();
        co_return answer;
    }
    Reservation reservation = std::move(granted->reservation);
    std::vector<std::string> statements;
    statements.push_back(ledger_sql::insert_detail(
        target_, reservation.id, units_, granted->bucket, ledger_sql::DetailStatus::confirmed
    ));
    statements.push_back(ledger_sql::sell(target_, reservation.id, granted->bucket, units_));
    const Booked result = co_await book(reservation, std::move(statements), 0);
    if (result == Booked::yes) {
        auto answer = co_await booked(std::move(reservation));
        co_return answer;
    }
    if (backend_lost_) co_return HotReply{};
    give_back_now(reservation, result == Booked::refused);
    if (result == Booked::failed) co_return error_reply(failure_);
    auto answer = co_await ask_ledger();
    co_return answer;
}

std::string HotUpdate::key_of(unsigned bucket) const {
    return gate_key(target_.schema, target_.sku_id, bucket);
}

Reservation HotUpdate::new_reservation(unsigned bucket) const {
    Reservation reservation;
    reservation.id = id_;
    reservation.schema = table_.schema;
    reservation.sku_id = request_.sku->sku_id;
    reservation.bucket = bucket;
    reservation.units = units_;
    return reservation;
}

// A random start, and buckets that no open transaction of this core holds before those that one
// does.
std::vector<unsigned> HotUpdate::probe_order() {
    const unsigned count = request_.sku->buckets;
    const unsigned start = static_cast<unsigned>(core_.random() % count);
    std::vector<unsigned> order(count);
    for (unsigned i = 0; i < count; ++i) order[i] = (start + i) % count;
    std::stable_partition(order.begin(), order.end(), [&](unsigned bucket) {
        return !core_.held.contains(key_of(bucket));
    });
    order.resize(std::min<std::size_t>(order.size(), core_.config->gate.probes));
    return order;
}

Task<std::optional<HotUpdate::Granted>> HotUpdate::probe_gate() {
    id_ = core_.ids.next();
    for (const unsigned bucket : probe_order()) {
        const std::string key = key_of(bucket);
        const auto begin = Clock::now();
        const ReserveReply reply = co_await core_.gate->reserve(key, id_, units_, false);
        core_.metrics->gate_wait.record(Clock::now() - begin);
        if (reply.answer == GateAnswer::granted) {
            Granted granted;
            granted.bucket = bucket;
            granted.reservation = new_reservation(bucket);
            Reservation::Held held;
            held.gate_key = key;
            held.units = units_;
            held.ticket = reply.ticket;
            granted.reservation.held.push_back(std::move(held));
            co_return granted;
        }
        // A gate that cannot answer is not asked again for this statement: the ledger decides
        // alone.
        if (reply.answer == GateAnswer::unknown) break;
    }
    co_return std::nullopt;
}

HotReply HotUpdate::sold_out(std::int64_t sum) const {
    core_.metrics->deductions_refused.add();
    const auto& minimum = request_.update.minimum;
    // The guard lets the row through, but the column would go below zero: the same as without a
    // guard.
    const bool row_matches = !minimum || sum >= *minimum;
    if (!row_matches || table_.unguarded == Unguarded::zero_rows) return rows_reply(0);
    return error_reply(replies::below_zero(
        table_.schema,
        table_.table,
        request_.registry->rules.tables()[request_.sku->table].stock_column,
        units_
    ));
}

HotReply HotUpdate::error_reply(OwnError error) const {
    HotReply reply;
    reply.what = HotReply::What::err;
    reply.error = std::move(error);
    return reply;
}

HotReply HotUpdate::rows_reply(std::uint64_t rows) const {
    HotReply reply;
    reply.what = HotReply::What::ok;
    reply.rows = rows;
    return reply;
}

}  // namespace proxy
