#include "proxy/services/bucket_rebuild.hpp"

#include "proxy/ledger/ledger_sql.hpp"
#include "proxy/ledger/sku_id.hpp"

#include <algorithm>
#include <charconv>
#include <unordered_map>
#include <unordered_set>

namespace proxy {
namespace {

constexpr std::size_t ids_per_query = 500;
constexpr unsigned error_lock_wait_timeout = 1205;
constexpr unsigned error_deadlock = 1213;

using StatusById = std::unordered_map<RequestId, int, RequestIdHash>;

std::string table_of(const std::string& schema, const char* table) {
    return ledger_sql::quote_name(schema) + '.' + table;
}

template <class Number>
Number number_of(const std::optional<std::string>& text) {
    Number value{};
    if (text) std::from_chars(text->data(), text->data() + text->size(), value);
    return value;
}

std::string details_query(
    const std::string& schema, const std::vector<GateReservation>& all, std::size_t from
) {
    std::string sql = "SELECT HEX(request_id),status FROM " +
                      table_of(schema, "stock_deduct_detail") + " WHERE request_id IN (";
    const auto end = std::min(all.size(), from + ids_per_query);
    for (auto i = from; i < end; ++i) {
        if (i != from) sql += ',';
        sql += "X'" + all[i].id.hex() + '\'';
    }
    return sql + ')';
}

Task<SqlError> read_statuses(
    SqlLink& link,
    const std::string& schema,
    const std::vector<GateReservation>& all,
    StatusById& statuses
) {
    for (std::size_t from = 0; from < all.size(); from += ids_per_query) {
        const std::string sql = details_query(schema, all, from);
        auto reply = co_await link.query(sql);
        if (reply.error) co_return std::move(reply.error);
        for (const auto& row : reply.rows) {
            const auto id = RequestId::from_hex(row[0].value_or(""));
            if (id) statuses.emplace(*id, number_of<int>(row[1]));
        }
    }
    co_return SqlError{};
}

Task<SqlError> read_proxies(
    SqlLink& link, const std::string& schema, std::unordered_set<std::uint32_t>& known
) {
    const std::string sql = "SELECT incarnation FROM " + table_of(schema, "inventory_proxy");
    auto reply = co_await link.query(sql);
    if (reply.error) co_return std::move(reply.error);
    for (const auto& row : reply.rows) known.insert(number_of<std::uint32_t>(row[0]));
    co_return SqlError{};
}

RebuildReport failure(SqlError error) {
    RebuildReport report;
    const bool locked = error.code == error_lock_wait_timeout || error.code == error_deadlock;
    report.result = locked ? RebuildResult::locked : RebuildResult::database_away;
    report.error = std::move(error);
    return report;
}

}  // namespace

Task<RebuildReport> BucketRebuild::rebuild(const TargetGates& gates, BucketAddress bucket) {
    SqlError error;
    auto link = co_await pool_->lease(error);
    if (error) co_return failure(std::move(error));
    const std::string begin = "BEGIN";
    auto begun = co_await link->query(begin);
    if (begun.error) co_return failure(std::move(begun.error));
    auto report = co_await under_lock(*link, gates, bucket);
    // Nothing was written. Should this fail, the link is closed and the server rolls back.
    const std::string rollback = "ROLLBACK";
    if (link->usable()) co_await link->query(rollback);
    co_return report;
}

Task<RebuildReport> BucketRebuild::under_lock(
    SqlLink& link, const TargetGates& gates, const BucketAddress& at
) {
    const std::string lock = "SELECT bucket_total-sold_stock FROM " +
                             table_of(at.schema, "inventory_bucket") +
                             " WHERE sku_id=" + link.quote(at.sku_id) +
                             " AND bucket_id=" + std::to_string(at.bucket) + " FOR UPDATE";
    const std::string key = gate_key(at.schema, at.sku_id, at.bucket);
    auto locked = co_await link.query(lock);
    if (locked.error) co_return failure(std::move(locked.error));
    RebuildReport report;
    const bool exists = !locked.rows.empty();
    report.result = exists ? RebuildResult::rebuilt : RebuildResult::gone;
    if (exists) report.remainder = number_of<std::int64_t>(locked.rows[0][0]);
    const auto targets = gates();
    for (GateMaintenance* gate : targets) {
        if (exists) {
            auto error = co_await set_right(link, *gate, at, key, report);
            if (error) co_return failure(std::move(error));
        } else {
            const bool removed = co_await gate->remove(key);
            if (!removed) report.result = RebuildResult::gate_away;
        }
    }
    co_return report;
}

Task<SqlError> BucketRebuild::set_right(
    SqlLink& link,
    GateMaintenance& gate,
    const BucketAddress& at,
    const std::string& key,
    RebuildReport& report
) {
    SqlError error;
    BucketState state;
    const bool read = co_await gate.read(key, state);
    if (!read) {
        report.result = RebuildResult::gate_away;
        co_return error;
    }
    report.created = report.created || !state.exists;
    std::vector<ReservationFacts> facts;
    error = co_await gather(link, at, key, state, facts);
    if (error) co_return error;
    if (!link.usable()) {
        // The lock may be gone with the connection: what was read no longer holds.
        error.code = sql_error_local;
        error.message = "the connection was lost while it held the bucket";
        co_return error;
    }
    const auto dropped = reservations_to_drop(facts);
    report.dropped += dropped.size();
    report.kept += facts.size() - dropped.size();
    const bool done = co_await gate.rebuild(key, report.remainder, dropped);
    if (!done) report.result = RebuildResult::gate_away;
    co_return error;
}

Task<SqlError> BucketRebuild::gather(
    SqlLink& link,
    const BucketAddress& at,
    const std::string& key,
    const BucketState& state,
    std::vector<ReservationFacts>& facts
) {
    if (state.reservations.empty()) co_return SqlError{};
    StatusById statuses;
    auto error = co_await read_statuses(link, at.schema, state.reservations, statuses);
    if (error) co_return error;
    std::unordered_set<std::uint32_t> known;
    error = co_await read_proxies(link, at.schema, known);
    if (error) co_return error;

    std::vector<RequestId> asked;
    std::vector<std::size_t> asked_at;
    for (const auto& reservation : state.reservations) {
        ReservationFacts fact;
        fact.reservation = reservation;
        if (const auto found = statuses.find(reservation.id); found != statuses.end()) {
            fact.status = found->second;
        }
        fact.ours = reservation.id.incarnation() == incarnation_;
        fact.owner_known = known.contains(reservation.id.incarnation());
        if (fact.ours && !fact.status) {
            asked.push_back(reservation.id);
            asked_at.push_back(facts.size());
        }
        facts.push_back(std::move(fact));
    }
    if (asked.empty()) co_return SqlError{};
    const std::size_t count = asked.size();
    const auto live = co_await (*live_)(key, std::move(asked));
    for (std::size_t i = 0; i < count; ++i) {
        // No answer is no proof that nobody holds it.
        facts[asked_at[i]].live = i >= live.size() || live[i];
    }
    co_return SqlError{};
}

}  // namespace proxy
