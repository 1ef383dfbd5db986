// What the recogniser costs per statement on the hot path.

#include "rewrite/recogniser.hpp"

#include <benchmark/benchmark.h>

#include <string>
#include <string_view>

namespace {

const rewrite::Rules& rules() {
    static const rewrite::Rules all({
        {"shop", "t_stock", {"sku_id"}, "stock", "version", {"update_time"}},
        {"shop", "shop_stock", {"sku_id"}, "stock", std::nullopt, {}},
        {"shop", "warehouse_stock", {"warehouse_id", "sku_id"}, "qty", std::nullopt, {}},
    });
    return all;
}

void analyse(benchmark::State& state, std::string_view sql) {
    const rewrite::Dialect dialect;
    for (auto _ : state) {
        benchmark::DoNotOptimize(rewrite::analyse(sql, rules(), dialect, "shop"));
    }
    state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(sql.size()));
}

constexpr std::string_view unrelated =
    "SELECT o.id, o.status, o.created_at, u.name, u.email FROM orders o JOIN users u ON u.id = "
    "o.user_id WHERE o.status IN ('new', 'paid') AND o.created_at > '2025-01-01' ORDER BY "
    "o.created_at DESC LIMIT 20";
constexpr std::string_view canonical =
    "UPDATE t_stock SET stock = stock - ? WHERE sku_id = ? AND stock >= ?";
constexpr std::string_view django =
    "UPDATE `shop_stock` SET `stock` = (`shop_stock`.`stock` - 2) WHERE (`shop_stock`.`sku_id` = 7 "
    "AND `shop_stock`.`stock` >= 2)";
constexpr std::string_view point_read = "SELECT stock FROM t_stock WHERE sku_id = 7";

void no_mention(benchmark::State& state) {
    analyse(state, unrelated);
}
void canonical_deduction(benchmark::State& state) {
    analyse(state, canonical);
}
void django_deduction(benchmark::State& state) {
    analyse(state, django);
}
void managed_point_read(benchmark::State& state) {
    analyse(state, point_read);
}
void commit(benchmark::State& state) {
    analyse(state, "COMMIT");
}

void mention_scan(benchmark::State& state) {
    for (auto _ : state) benchmark::DoNotOptimize(rules().mentioned_in(unrelated));
    state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(unrelated.size()));
}

void long_list(benchmark::State& state) {
    std::string sql = "UPDATE t_stock SET stock = 1 WHERE sku_id IN (0";
    for (int i = 1; i < state.range(0); ++i) sql += "," + std::to_string(i);
    sql += ")";
    analyse(state, sql);
    state.SetComplexityN(state.range(0));
}

BENCHMARK(no_mention);
BENCHMARK(mention_scan);
BENCHMARK(canonical_deduction);
BENCHMARK(django_deduction);
BENCHMARK(managed_point_read);
BENCHMARK(commit);
BENCHMARK(long_list)->RangeMultiplier(10)->Range(100, 100'000)->Complexity(benchmark::oN);

}  // namespace

BENCHMARK_MAIN();
