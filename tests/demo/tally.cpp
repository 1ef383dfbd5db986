#include "tests/demo/tally.hpp"

#include <algorithm>
#include <sstream>
#include <utility>

namespace demo {

const char* outcome_name(Outcome outcome) {
    switch (outcome) {
        case Outcome::sold:
            return "sold";
        case Outcome::refused:
            return "refused";
        case Outcome::rolled_back:
            return "rolled_back";
        case Outcome::dropped:
            return "dropped";
        case Outcome::error:
            return "error";
        case Outcome::unknown:
            return "unknown";
    }
    return "?";
}

std::string Counters::line() const {
    std::ostringstream out;
    out << "sold " << count(Outcome::sold) << "  refused " << count(Outcome::refused)
        << "  rolled back " << count(Outcome::rolled_back) << "  dropped "
        << count(Outcome::dropped) << "  errors " << count(Outcome::error);
    if (count(Outcome::unknown) > 0) out << "  unknown " << count(Outcome::unknown);
    if (connect_failures() > 0) out << "  failed connects " << connect_failures();
    return out.str();
}

void Results::merge(Results&& other) {
    units_sold += other.units_sold;
    sale_times.insert(sale_times.end(), other.sale_times.begin(), other.sale_times.end());
    for (const auto& [code, count] : other.error_codes) error_codes[code] += count;
    error_texts.merge(other.error_texts);
    last_sale = std::max(last_sale, other.last_sale);
    log += other.log;
}

namespace {

double percentile_ms(std::vector<std::uint32_t>& times, double share) {
    if (times.empty()) return 0;
    const auto index = std::min(
        times.size() - 1, static_cast<std::size_t>(share * static_cast<double>(times.size()))
    );
    const auto position = times.begin() + static_cast<std::ptrdiff_t>(index);
    std::nth_element(times.begin(), position, times.end());
    return static_cast<double>(*position) / 1000.0;
}

}  // namespace

Figures compute_figures(
    Results& results,
    std::chrono::steady_clock::time_point start,
    std::chrono::steady_clock::time_point end
) {
    using Seconds = std::chrono::duration<double>;
    Figures figures;
    figures.seconds = Seconds(end - start).count();
    if (results.sale_times.empty()) return figures;
    figures.seconds_until_sold = Seconds(results.last_sale - start).count();
    figures.successes_per_second =
        static_cast<double>(results.sale_times.size()) / figures.seconds_until_sold;
    figures.p50_ms = percentile_ms(results.sale_times, 0.50);
    figures.p99_ms = percentile_ms(results.sale_times, 0.99);
    return figures;
}

std::string to_json(
    const Counters& counters, const Results& results, const Figures& figures, std::uint64_t seed
) {
    std::ostringstream out;
    out << "{\n  \"seed\": " << seed;
    for (std::size_t index = 0; index < outcome_count; ++index) {
        const auto outcome = static_cast<Outcome>(index);
        out << ",\n  \"" << outcome_name(outcome) << "\": " << counters.count(outcome);
    }
    out << ",\n  \"units_sold\": " << results.units_sold
        << ",\n  \"failed_connects\": " << counters.connect_failures()
        << ",\n  \"seconds\": " << figures.seconds
        << ",\n  \"seconds_until_sold\": " << figures.seconds_until_sold
        << ",\n  \"successes_per_second\": " << figures.successes_per_second
        << ",\n  \"p50_ms\": " << figures.p50_ms << ",\n  \"p99_ms\": " << figures.p99_ms
        << ",\n  \"error_codes\": {";
    const char* separator = "";
    for (const auto& [code, count] : results.error_codes) {
        out << separator << "\"" << code << "\": " << count;
        separator = ", ";
    }
    out << "}\n}\n";
    return out.str();
}

}  // namespace demo
