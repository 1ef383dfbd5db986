#include "proxy/cli/gate_audit.hpp"

#include "proxy/cli/base_row.hpp"
#include "proxy/ledger/ledger_sql.hpp"
#include "proxy/ledger/sku_id.hpp"

#include <algorithm>
#include <map>
#include <thread>

namespace proxy {
namespace {

constexpr int readings_count = 3;
constexpr std::chrono::milliseconds readings_pause{200};

struct Round {
    std::map<unsigned, GateReading> buckets;
    std::int64_t left = 0;
    std::int64_t reserved = 0;
};

SqlError read_round(
    Database& database, GateAccess& gate, const AuditedSku& sku, Round& round, bool& asked
) {
    const auto reply = database.query(
        "SELECT bucket_id,bucket_total-sold_stock FROM " + ledger_sql::quote_name(sku.schema) +
        ".inventory_bucket WHERE sku_id=" + database.quote(sku.sku_id)
    );
    if (reply.error) return reply.error;
    for (const auto& row : reply.rows) {
        const auto id = static_cast<unsigned>(to_units(row[0].value_or("0")).value_or(0));
        if (id >= sku.buckets) continue;  // of a life with more buckets; nobody serves it
        BucketState state;
        asked = gate.read(gate_key(sku.schema, sku.sku_id, id), state);
        if (!asked) return reply.error;
        GateReading reading;
        reading.exists = state.exists;
        reading.ledger = to_units(row[1].value_or("0")).value_or(0);
        if (state.exists) {
            std::int64_t reserved = 0;
            for (const auto& reservation : state.reservations) reserved += reservation.units;
            reading.gate = state.left + reserved;
            round.left += state.left;
            round.reserved += reserved;
        }
        round.buckets.emplace(id, reading);
    }
    return reply.error;
}

bool is_equal(const Round& round) {
    return std::all_of(round.buckets.begin(), round.buckets.end(), [](const auto& each) {
        return !each.second.exists || each.second.gate == each.second.ledger;
    });
}

void judge_rounds(const std::vector<Round>& rounds, GateFigures& figures) {
    const auto& last = rounds.back();
    figures.left = last.left;
    figures.reserved = last.reserved;
    for (const auto& [id, reading] : last.buckets) {
        std::vector<GateReading> readings;
        for (const auto& round : rounds) {
            const auto found = round.buckets.find(id);
            if (found != round.buckets.end()) readings.push_back(found->second);
        }
        if (reading.exists) figures.difference += reading.gate - reading.ledger;
        switch (judge_readings(readings)) {
            case GateVerdict::equal:
                break;
            case GateVerdict::missing:
                ++figures.missing;
                break;
            case GateVerdict::moving:
                ++figures.moving;
                break;
            case GateVerdict::differs:
                figures.findings.push_back(
                    "bucket " + std::to_string(id) + ": the gate has " +
                    std::to_string(reading.gate) +
                    " units (left and reserved), the ledger can "
                    "sell " +
                    std::to_string(reading.ledger)
                );
                break;
        }
    }
}

}  // namespace

GateVerdict judge_readings(const std::vector<GateReading>& readings) {
    if (readings.empty() || !readings.back().exists) return GateVerdict::missing;
    const auto& last = readings.back();
    if (last.gate == last.ledger) return GateVerdict::equal;
    const bool steady =
        readings.size() >= readings_count &&
        std::all_of(readings.begin(), readings.end(), [&last](const auto& each) {
            return each.exists && each.gate == last.gate && each.ledger == last.ledger;
        });
    return steady ? GateVerdict::differs : GateVerdict::moving;
}

SqlError audit_gate(Database& database, GateAccess& gate, std::vector<GateAudit>& audits) {
    std::vector<std::vector<Round>> rounds(audits.size());
    SqlError error;
    bool again = true;
    for (int reading = 0; again && reading < readings_count; ++reading) {
        if (reading > 0) std::this_thread::sleep_for(readings_pause);
        again = false;
        for (std::size_t i = 0; i < audits.size(); ++i) {
            if (!rounds[i].empty() && is_equal(rounds[i].back())) continue;
            auto& round = rounds[i].emplace_back();
            error = read_round(database, gate, *audits[i].sku, round, audits[i].figures.asked);
            if (error || !audits[i].figures.asked) return error;
            again = again || !is_equal(round);
        }
    }
    for (std::size_t i = 0; i < audits.size(); ++i) judge_rounds(rounds[i], audits[i].figures);
    return error;
}

}  // namespace proxy
