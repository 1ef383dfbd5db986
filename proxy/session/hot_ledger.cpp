// What the ledger says, and what follows: another bucket, units gathered from several, a refusal.
#include "proxy/session/hot_update.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <charconv>
#include <numeric>

namespace proxy {
namespace {

using Clock = std::chrono::steady_clock;
using Remainders = std::vector<std::pair<unsigned, std::int64_t>>;

constexpr int ledger_rounds_max = 8;  // then all bucket rows are locked, which decides for good
constexpr std::chrono::milliseconds registry_wait_max{3000};
constexpr std::chrono::milliseconds registry_poll{10};

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

// The buckets to take `units` from: the largest remainders first, so that few rows change.
std::vector<ledger_sql::Part> choose_parts(Remainders remainders, std::int64_t units) {
    std::stable_sort(remainders.begin(), remainders.end(), [](const auto& a, const auto& b) {
        return a.second > b.second;
    });
    std::vector<ledger_sql::Part> parts;
    for (const auto& [bucket, left] : remainders) {
        if (units == 0 || left <= 0) break;
        ledger_sql::Part part;
        part.bucket = bucket;
        part.units = std::min(units, left);
        units -= part.units;
        parts.push_back(part);
    }
    return parts;
}

}  // namespace

Task<Reservation> HotUpdate::reserve_forced(unsigned bucket, std::int64_t units) {
    Reservation reservation = new_reservation(bucket);
    Reservation::Held held;
    held.gate_key = key_of(bucket);
    held.units = units;
    const ReserveReply reply = co_await core_.gate->reserve(held.gate_key, id_, units, true);
    held.ticket = reply.ticket;
    // Missing: the rebuild takes the remainder from the ledger, ours included. Unknown: the gate
    // has marked the bucket already.
    if (reply.answer == GateAnswer::granted) reservation.held.push_back(std::move(held));
    co_return reservation;
}

Task<std::optional<Remainders>> HotUpdate::read_remainders() {
    const SqlReply reply = co_await core_.sql->query(ledger_sql::remainders(target_));
    if (reply.error) {
        spdlog::warn(
            "event=ledger_read_failed sku={} code={} error=\"{}\"",
            target_.sku_id,
            reply.error.code,
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
        const Booked result = co_await book(reservation, std::move(statements), 0);
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
    if (!ok)
        failure_ = (answers.front().ok() ? answers.back() : answers.front())
                       .error(backend_.capabilities());
    if (ok && !remainders) failure_ = replies::ledger_unreachable("unreadable answer");
    const std::int64_t sum = remainders ? sum_of(*remainders) : 0;
    const std::int64_t wanted = std::max(units_, request_.update.minimum.value_or(0));
    Booked result = Booked::failed;
    if (remainders && !remainders->empty() && sum >= wanted) {
        result = Booked::refused;
        Reservation reservation;
        id_ = core_.ids.next();
        const auto parts = choose_parts(*remainders, units_);
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
        // Selling comes last and changes one row, which is what ROW_COUNT() must say.
        const std::uint64_t moved = parts.size() > 1 ? parts.size() : 0;
        if (moved > 0) sale.push_back(ledger_sql::gather_units(target_, id_, parts, into));
        sale.push_back(ledger_sql::sell(target_, id_, into, units_));
        result = co_await book(reservation, std::move(sale), moved);
        if (result == Booked::yes) {
            auto reply = co_await booked(std::move(reservation));
            co_return reply;
        }
        if (backend_lost_) co_return HotReply{};
        give_back_now(reservation, false);
        // The rows are locked by this transaction: a refusal now means they are not what was read.
        if (result == Booked::refused)
            failure_ = replies::ledger_unreachable("bucket rows changed under lock");
        co_return error_reply(failure_);
    }
    if (begun_) {
        const bool ended = co_await roll_back();
        if (!ended) co_return HotReply{};
    }
    if (!remainders) co_return error_reply(failure_);
    if (remainders->empty()) {
        auto answer = co_await wait_for_registry();
        co_return answer;
    }
    co_return sold_out(sum);
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
    const Booked result = co_await book(reservation, std::move(statements), 0);
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
                    : replies::ledger_unreachable(
                          "no bucket rows under the epoch that the registry names"
                      )
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

}  // namespace proxy
