#include "proxy/session/hot_update.hpp"

#include <algorithm>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <charconv>
#include <numeric>
#include <spdlog/spdlog.h>

namespace proxy {
namespace {

using Clock = std::chrono::steady_clock;
using Remainders = std::vector<std::pair<unsigned, std::int64_t>>;

constexpr std::uint16_t er_lock_deadlock = 1213;
constexpr unsigned er_dup_entry = 1062;
constexpr int ledger_rounds_max = 8;  // then all bucket rows are locked, which decides for good
constexpr std::chrono::milliseconds registry_wait_max{3000};
constexpr std::chrono::milliseconds registry_poll{10};
// Our transactions must not follow the session's completion_type.
constexpr const char* commit_sql = "COMMIT AND NO CHAIN NO RELEASE";
constexpr const char* rollback_sql = "ROLLBACK AND NO CHAIN NO RELEASE";

std::int64_t sum_of(const Remainders& remainders) {
    std::int64_t sum = 0;
    for (const auto& [bucket, left] : remainders) sum += left;
    return sum;
}

std::optional<std::int64_t> to_number(const std::optional<std::string>& text) {
    std::int64_t value = 0;
    if (!text) return std::nullopt;
    const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), value);
    if (error != std::errc{} || end != text->data() + text->size()) return std::nullopt;
    return value;
}

template <class Rows>
std::optional<Remainders> parse_remainders(const Rows& rows) {
    Remainders remainders;
    for (const auto& row : rows) {
        if (row.size() < 2) return std::nullopt;
        const auto bucket = to_number(row[0]);
        const auto left = to_number(row[1]);
        if (!bucket || !left) return std::nullopt;
        remainders.emplace_back(static_cast<unsigned>(*bucket), *left);
    }
    return remainders;
}

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
    if (request_.sku->state == SkuState::paused) co_return error_reply(replies::sku_paused(target_.sku_id));
    if (request_.sku->state == SkuState::draining) {
        auto result = co_await wait_for_registry();
        co_return result;
    }
    if (transaction_.in_xa()) {
        co_return error_reply(replies::refused("stock of a hot SKU cannot change inside an XA transaction"));
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
    if (reply.what == HotReply::What::err && request_.update.delta < 0) core_.metrics->deductions_failed.add();
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

void HotUpdate::take_status(const std::vector<OwnReply>& answers) {
    for (const auto& answer : answers) {
        if (!answer.ok() && !autocommit_) {
            conclude(core_, transaction_.on_reply(TransactionTracker::Command{}, answer.end));
        }
        if (answer.ok() && answer.end.has_status) transaction_.set_status(answer.end.status);
    }
}

Task<HotReply> HotUpdate::deduct() {
    // A guard above the quantity ("keep ten in reserve") is a condition on the sum, not on a bucket.
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
    const Booked result = co_await book(reservation, std::move(statements), 1);
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

// A random start, and buckets that no open transaction of this core holds before those that one does.
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
        // A gate that cannot answer is not asked again for this statement: the ledger decides alone.
        if (reply.answer == GateAnswer::unknown) break;
    }
    co_return std::nullopt;
}

Task<Reservation> HotUpdate::reserve_forced(unsigned bucket, std::int64_t units) {
    Reservation reservation = new_reservation(bucket);
    Reservation::Held held;
    held.gate_key = key_of(bucket);
    held.units = units;
    const ReserveReply reply = co_await core_.gate->reserve(held.gate_key, id_, units, true);
    held.ticket = reply.ticket;
    // Missing: the rebuild takes the remainder from the ledger, ours included. Unknown: the gate has
    // marked the bucket already.
    if (reply.answer == GateAnswer::granted) reservation.held.push_back(std::move(held));
    co_return reservation;
}

Task<std::optional<Remainders>> HotUpdate::read_remainders() {
    const SqlReply reply = co_await core_.sql->query(ledger_sql::remainders(target_));
    if (reply.error) {
        spdlog::warn(
            "event=ledger_read_failed sku={} code={} error=\"{}\"", target_.sku_id, reply.error.code,
            reply.error.message
        );
        co_return std::nullopt;
    }
    co_return parse_remainders(reply.rows);
}

unsigned HotUpdate::choose(const std::vector<unsigned>& buckets) {
    const std::size_t start = core_.random() % buckets.size();
    for (std::size_t i = 0; i < buckets.size(); ++i) {
        const unsigned bucket = buckets[(start + i) % buckets.size()];
        if (!core_.held.contains(key_of(bucket))) return bucket;
    }
    return buckets[start];
}

Task<HotReply> HotUpdate::ask_ledger() {
    core_.metrics->ledger_fallback_total.add();
    for (int round = 0; round < ledger_rounds_max; ++round) {
        const auto remainders = co_await read_remainders();
        if (!remainders) break;  // the client's own connection can still decide
        if (remainders->empty()) {
            auto result = co_await wait_for_registry();
            co_return result;
        }
        const std::int64_t sum = sum_of(*remainders);
        if (sum < units_) co_return sold_out(sum);
        std::vector<unsigned> fitting;
        for (const auto& [bucket, left] : *remainders) {
            if (left >= units_) fitting.push_back(bucket);
        }
        if (fitting.empty()) break;
        id_ = core_.ids.next();
        const unsigned bucket = choose(fitting);
        const Reservation reservation = co_await reserve_forced(bucket, units_);
        std::vector<std::string> statements;
        statements.push_back(ledger_sql::insert_detail(
            target_, id_, units_, bucket, ledger_sql::DetailStatus::confirmed
        ));
        statements.push_back(ledger_sql::sell(target_, id_, bucket, units_));
        const Booked result = co_await book(reservation, std::move(statements), 1);
        if (result == Booked::yes) {
            auto answer = co_await booked(reservation);
            co_return answer;
        }
        if (backend_lost_) co_return HotReply{};
        give_back_now(reservation, false);
        if (result == Booked::failed) co_return error_reply(failure_);
    }
    auto answer = co_await gather();
    co_return answer;
}

Task<HotReply> HotUpdate::gather() {
    core_.metrics->gather_total.add();
    std::vector<std::string> statements;
    if (autocommit_) statements.emplace_back("BEGIN");
    statements.push_back(ledger_sql::remainders_for_update(target_));
    std::vector<OwnReply> answers;
    const auto answered = co_await backend_.exchange(statements, answers);
    if (!answered) co_return HotReply{};
    begun_ = autocommit_;
    take_status(answers);
    const bool ok = answers.front().ok() && answers.back().ok();
    const auto remainders =
        ok ? parse_remainders(answers.back().rows(backend_.capabilities())) : std::nullopt;
    if (!ok) failure_ = (answers.front().ok() ? answers.back() : answers.front()).error(backend_.capabilities());
    if (ok && !remainders) failure_ = replies::ledger_unreachable("unreadable answer");
    const std::int64_t sum = remainders ? sum_of(*remainders) : 0;
    const std::int64_t wanted = std::max(units_, request_.update.minimum.value_or(0));
    Booked result = Booked::failed;
    if (remainders && !remainders->empty() && sum >= wanted) {
        result = Booked::refused;
        Reservation reservation;
        id_ = core_.ids.next();
        // The largest remainders first: the fewest rows.
        Remainders order = *remainders;
        std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
        std::vector<ledger_sql::Part> parts;
        std::int64_t missing = units_;
        for (const auto& [bucket, left] : order) {
            if (missing == 0) break;
            ledger_sql::Part part;
            part.bucket = bucket;
            part.units = std::min(missing, left);
            if (part.units <= 0) break;
            missing -= part.units;
            parts.push_back(part);
        }
        const unsigned into = parts.front().bucket;
        reservation = new_reservation(into);
        for (const auto& part : parts) {
            Reservation held = co_await reserve_forced(part.bucket, part.units);
            for (auto& one : held.held) reservation.held.push_back(std::move(one));
        }
        std::vector<std::string> sale;
        sale.push_back(ledger_sql::insert_detail(
            target_, id_, units_, into, ledger_sql::DetailStatus::confirmed
        ));
        sale.push_back(ledger_sql::gather_and_sell(target_, id_, parts, into, units_));
        result = co_await book(reservation, std::move(sale), parts.size());
        if (result == Booked::yes) {
            auto reply = co_await booked(std::move(reservation));
            co_return reply;
        }
        if (backend_lost_) co_return HotReply{};
        give_back_now(reservation, false);
        // The rows are locked by this transaction: a refusal now means they are not what was read.
        if (result == Booked::refused) failure_ = replies::ledger_unreachable("bucket rows changed under lock");
        co_return error_reply(failure_);
    }
    if (begun_) {
        begun_ = false;
        std::vector<std::string> rollback;
        rollback.emplace_back(rollback_sql);
        const auto ended = co_await backend_.exchange(rollback, answers);
        if (!ended) co_return HotReply{};
        take_status(answers);
    }
    if (!remainders) co_return error_reply(failure_);
    if (remainders->empty()) {
        auto answer = co_await wait_for_registry();
        co_return answer;
    }
    co_return sold_out(sum);
}

Task<HotUpdate::Booked> HotUpdate::book(
    const Reservation& reservation, std::vector<std::string> statements, std::uint64_t rows_wanted
) {
    const bool begins = autocommit_ && !begun_;
    if (begins) statements.insert(statements.begin(), "BEGIN");
    std::vector<OwnReply> answers;
    const auto begin = Clock::now();
    const bool complete = co_await backend_.exchange(statements, answers);
    core_.metrics->ledger_exchange.record(Clock::now() - begin);
    if (!complete) {
        backend_lost_ = true;
        TransactionEnds ends;
        hold(core_, reservation);
        ends.unknown.push_back(reservation);
        conclude(core_, std::move(ends));
        co_return Booked::failed;
    }
    begun_ = begun_ || begins;
    take_status(answers);
    const OwnReply* failed = nullptr;
    for (const auto& answer : answers) {
        if (!answer.ok() && failed == nullptr) failed = &answer;
    }
    if (failed == nullptr && answers.back().end.affected_rows == rows_wanted) co_return Booked::yes;
    if (failed != nullptr) failure_ = failed->error(backend_.capabilities());
    // A deadlock took the whole transaction; without the INSERT the UPDATE found no detail row.
    const bool gone = failed != nullptr && failure_.code == er_lock_deadlock && !autocommit_;
    const bool inserted = answers[answers.size() - 2].ok();
    bool undone = true;
    if (!gone && (inserted || autocommit_)) undone = co_await undo(reservation.id);
    if (!undone) {
        // What cannot be undone in the open transaction must not stay in it: end the connection, so that
        // the server rolls back, and let the judge see to it.
        backend_lost_ = true;
        backend_.wire().close();
        TransactionEnds ends;
        hold(core_, reservation);
        ends.unknown.push_back(reservation);
        conclude(core_, std::move(ends));
        co_return Booked::failed;
    }
    co_return failed != nullptr ? Booked::failed : Booked::refused;
}

Task<bool> HotUpdate::undo(const RequestId& id) {
    std::vector<std::string> statements;
    if (autocommit_) {
        statements.emplace_back(rollback_sql);
    } else {
        statements.push_back(ledger_sql::delete_detail(target_, id));
    }
    std::vector<OwnReply> answers;
    const auto answered = co_await backend_.exchange(statements, answers);
    if (!answered) co_return false;
    begun_ = false;
    take_status(answers);
    co_return answers.front().ok();
}

Task<HotReply> HotUpdate::booked(Reservation reservation) {
    auto& counter =
        reservation.is_return ? core_.metrics->returns_booked : core_.metrics->deductions_booked;
    if (autocommit_) {
        HotReply reply = co_await commit(std::move(reservation));
        if (reply.what == HotReply::What::ok) counter.add();
        co_return reply;
    }
    counter.add();
    hold(core_, reservation);
    transaction_.add(std::move(reservation));
    co_return rows_reply(1);
}

Task<HotReply> HotUpdate::commit(Reservation reservation) {
    std::vector<std::string> statements;
    statements.emplace_back(commit_sql);
    std::vector<OwnReply> answers;
    begun_ = false;
    const auto answered = co_await backend_.exchange(statements, answers);
    if (!answered) {
        hold(core_, reservation);
        TransactionEnds ends;
        ends.unknown.push_back(std::move(reservation));
        conclude(core_, std::move(ends));
        co_return HotReply{};
    }
    take_status(answers);
    if (!answers.front().ok()) {
        failure_ = answers.front().error(backend_.capabilities());
        auto result = co_await decide_commit(std::move(reservation));
        co_return result;
    }
    settle(*core_.gate, reservation);
    co_return rows_reply(1);
}

// COMMIT was answered with an error: only the ledger knows. A cancelled row with the same id makes sure that the
// deduction can never appear later, or proves that it is there.
Task<HotReply> HotUpdate::decide_commit(Reservation reservation) {
    const SqlReply verdict = co_await core_.sql->query(ledger_sql::insert_detail(
        target_, reservation.id, reservation.units, reservation.bucket, ledger_sql::DetailStatus::cancelled
    ));
    if (!verdict.error) {
        give_back(*core_.gate, reservation);
        co_return error_reply(failure_);
    }
    if (verdict.error.code == er_dup_entry) {
        settle(*core_.gate, reservation);
        co_return rows_reply(1);
    }
    hold(core_, reservation);
    TransactionEnds ends;
    ends.unknown.push_back(std::move(reservation));
    conclude(core_, std::move(ends));
    backend_.wire().close();
    co_return HotReply{};
}

Task<HotReply> HotUpdate::restock() {
    const auto maximum = to_number(table_.stock_type_max);
    // Small column types can overflow in practice; for the others only an absurd quantity can.
    if (maximum && (*maximum <= INT32_MAX || units_ > *maximum / 4)) {
        const auto remainders = co_await read_remainders();
        if (!remainders) co_return error_reply(replies::ledger_unreachable("remainder unknown"));
        if (units_ > *maximum - sum_of(*remainders)) {
            co_return error_reply(replies::above_maximum(
                request_.registry->rules.tables()[request_.sku->table].stock_column
            ));
        }
    }
    id_ = core_.ids.next();
    std::vector<unsigned> buckets(request_.sku->buckets);
    std::iota(buckets.begin(), buckets.end(), 0U);
    const unsigned bucket = choose(buckets);
    Reservation reservation = new_reservation(bucket);
    reservation.is_return = true;
    std::vector<std::string> statements;
    statements.push_back(
        ledger_sql::insert_detail(target_, id_, units_, bucket, ledger_sql::DetailStatus::returned)
    );
    statements.push_back(ledger_sql::add_capacity(target_, id_, bucket, units_));
    const Booked result = co_await book(reservation, std::move(statements), 1);
    if (result == Booked::yes) {
        auto reply = co_await booked(std::move(reservation));
        co_return reply;
    }
    if (backend_lost_) co_return HotReply{};
    if (result == Booked::refused) {
        auto answer = co_await wait_for_registry();
        co_return answer;
    }
    co_return error_reply(failure_);
}

// stock = stock + 0: nothing to book, but whether the row matches is for the ledger to say.
Task<HotReply> HotUpdate::match_only() {
    if (request_.update.minimum && *request_.update.minimum > 0) {
        const auto remainders = co_await read_remainders();
        if (!remainders) co_return error_reply(replies::ledger_unreachable("remainder unknown"));
        if (sum_of(*remainders) < *request_.update.minimum) co_return rows_reply(0);
    }
    HotReply reply;
    reply.what = HotReply::What::no_change;
    co_return reply;
}

Task<HotReply> HotUpdate::wait_for_registry() {
    const auto deadline = Clock::now() + registry_wait_max;
    boost::asio::steady_timer timer{core_.executor};
    while (core_.registry == request_.registry) {
        if (Clock::now() >= deadline) {
            co_return error_reply(
                request_.sku->state == SkuState::draining
                    ? replies::sku_paused(target_.sku_id)
                    : replies::ledger_unreachable("no bucket rows under the epoch that the registry names")
            );
        }
        core_.refresh_registry();
        timer.expires_after(registry_poll);
        co_await timer.async_wait(boost::asio::as_tuple(boost::asio::use_awaitable));
    }
    HotReply reply;
    reply.what = HotReply::What::decide_anew;
    co_return reply;
}

void HotUpdate::give_back_now(const Reservation& reservation, bool gate_was_wrong) {
    give_back(*core_.gate, reservation);
    if (!gate_was_wrong) return;
    for (const auto& held : reservation.held) core_.mark_dirty(held.gate_key);
}

HotReply HotUpdate::sold_out(std::int64_t sum) const {
    core_.metrics->deductions_refused.add();
    const auto& minimum = request_.update.minimum;
    // The guard lets the row through, but the column would go below zero: the same as without a guard.
    const bool row_matches = !minimum || sum >= *minimum;
    if (!row_matches || table_.unguarded == Unguarded::zero_rows) return rows_reply(0);
    return error_reply(replies::below_zero(
        table_.schema, table_.table, request_.registry->rules.tables()[request_.sku->table].stock_column, units_
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
