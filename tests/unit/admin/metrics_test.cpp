#include "proxy/admin/metrics.hpp"

#include <gtest/gtest.h>

#include <set>
#include <sstream>

namespace {

using proxy::CommandClass;
using proxy::MetricSample;
using proxy::MetricsRegistry;
using proxy::RefusalReason;

bool has_line(const std::string& text, const std::string& line) {
    return ("\n" + text).find("\n" + line + "\n") != std::string::npos;
}

TEST(Metrics, sums_the_shards) {
    MetricsRegistry registry(3, "1.2.3");
    registry.shard(0).sessions_open.add(5);
    registry.shard(1).sessions_open.subtract(2);  // closed on a core that never opened: still a sum
    registry.shard(0).sessions_total.add();
    registry.shard(2).sessions_total.add(41);
    registry.shard(1).command(CommandClass::execute).add(7);
    registry.shard(2).refused(RefusalReason::oversize).add(2);
    registry.shard(0).bytes_client_in.add(10);
    registry.shard(1).bytes_client_out.add(20);
    registry.shard(1).deductions_booked.add(3);
    registry.shard(1).protocol_errors_backend.add(1);
    const std::string text = registry.render();
    EXPECT_TRUE(has_line(text, "stockgate_build_info{version=\"1.2.3\"} 1"));
    EXPECT_TRUE(has_line(text, "stockgate_sessions_open 3"));
    EXPECT_TRUE(has_line(text, "stockgate_sessions_total 42"));
    EXPECT_TRUE(has_line(text, "stockgate_commands_total{class=\"execute\"} 7"));
    EXPECT_TRUE(has_line(text, "stockgate_commands_total{class=\"query\"} 0"));
    EXPECT_TRUE(has_line(text, "stockgate_statements_refused_total{reason=\"oversize\"} 2"));
    EXPECT_TRUE(has_line(text, "stockgate_client_bytes_total{direction=\"in\"} 10"));
    EXPECT_TRUE(has_line(text, "stockgate_client_bytes_total{direction=\"out\"} 20"));
    EXPECT_TRUE(has_line(text, "stockgate_deductions_total{outcome=\"booked\"} 3"));
    EXPECT_TRUE(has_line(text, "stockgate_protocol_errors_total{side=\"backend\"} 1"));
    EXPECT_TRUE(has_line(text, "stockgate_task_escape_total 0"));
}

// Every field gets a value of its own, so a row that names the wrong field shows.
TEST(Metrics, every_counter_reaches_its_own_name) {
    MetricsRegistry registry(1, "1");
    proxy::SessionMetrics& shard = registry.shard(0);
    const std::vector<std::pair<proxy::Counter*, std::string>> expected{
        {&shard.sessions_total, "stockgate_sessions_total"},
        {&shard.sessions_refused, "stockgate_sessions_refused_total"},
        {&shard.login_failed, "stockgate_login_failed_total"},
        {&shard.bytes_client_in, "stockgate_client_bytes_total{direction=\"in\"}"},
        {&shard.bytes_client_out, "stockgate_client_bytes_total{direction=\"out\"}"},
        {&shard.statements_passed, "stockgate_statements_passed_total"},
        {&shard.deductions_booked, "stockgate_deductions_total{outcome=\"booked\"}"},
        {&shard.deductions_refused, "stockgate_deductions_total{outcome=\"refused\"}"},
        {&shard.deductions_failed, "stockgate_deductions_total{outcome=\"failed\"}"},
        {&shard.deductions_rolled_back, "stockgate_deductions_rolled_back_total"},
        {&shard.deductions_judged, "stockgate_deductions_judged_total"},
        {&shard.returns_booked, "stockgate_returns_total"},
        {&shard.ledger_fallback_total, "stockgate_ledger_fallback_total"},
        {&shard.gather_total, "stockgate_gather_total"},
        {&shard.raw_relay_total, "stockgate_raw_relay_total"},
        {&shard.protocol_errors_client, "stockgate_protocol_errors_total{side=\"client\"}"},
        {&shard.protocol_errors_backend, "stockgate_protocol_errors_total{side=\"backend\"}"},
        {&shard.command(CommandClass::query), "stockgate_commands_total{class=\"query\"}"},
        {&shard.command(CommandClass::prepare), "stockgate_commands_total{class=\"prepare\"}"},
        {&shard.command(CommandClass::execute), "stockgate_commands_total{class=\"execute\"}"},
        {&shard.command(CommandClass::other), "stockgate_commands_total{class=\"other\"}"},
        {&shard.refused(RefusalReason::touches),
         "stockgate_statements_refused_total{reason=\"touches\"}"},
        {&shard.refused(RefusalReason::multi),
         "stockgate_statements_refused_total{reason=\"multi\"}"},
        {&shard.refused(RefusalReason::unknown_packet),
         "stockgate_statements_refused_total{reason=\"unknown_packet\"}"},
        {&shard.refused(RefusalReason::oversize),
         "stockgate_statements_refused_total{reason=\"oversize\"}"},
        {&shard.refused(RefusalReason::privilege),
         "stockgate_statements_refused_total{reason=\"privilege\"}"},
    };
    for (std::size_t index = 0; index < expected.size(); ++index) {
        expected[index].first->add(1000 + index);
    }
    const std::string text = registry.render();
    for (std::size_t index = 0; index < expected.size(); ++index) {
        const std::string line = expected[index].second + " " + std::to_string(1000 + index);
        EXPECT_TRUE(has_line(text, line)) << line;
    }
}

TEST(Metrics, histograms_are_cumulative_and_in_seconds) {
    MetricsRegistry registry(2, "1");
    registry.shard(0).gate_wait.record(std::uint64_t{50});
    registry.shard(1).gate_wait.record(std::uint64_t{450});
    registry.shard(1).gate_wait.record(std::uint64_t{8'999'500});
    const std::string text = registry.render();
    EXPECT_TRUE(has_line(text, "# TYPE stockgate_gate_wait_seconds histogram"));
    EXPECT_TRUE(has_line(text, "stockgate_gate_wait_seconds_bucket{le=\"5e-05\"} 1"));
    EXPECT_TRUE(has_line(text, "stockgate_gate_wait_seconds_bucket{le=\"0.00025\"} 1"));
    EXPECT_TRUE(has_line(text, "stockgate_gate_wait_seconds_bucket{le=\"0.0005\"} 2"));
    EXPECT_TRUE(has_line(text, "stockgate_gate_wait_seconds_bucket{le=\"2.5\"} 2"));
    EXPECT_TRUE(has_line(text, "stockgate_gate_wait_seconds_bucket{le=\"+Inf\"} 3"));
    EXPECT_TRUE(has_line(text, "stockgate_gate_wait_seconds_count 3"));
    EXPECT_TRUE(has_line(text, "stockgate_gate_wait_seconds_sum 9"));
    const std::string last = "stockgate_gate_wait_seconds_bucket{le=\"+Inf\"}";
    EXPECT_EQ(text.find(last), text.rfind(last));
    EXPECT_TRUE(has_line(text, "stockgate_ledger_exchange_seconds_count 0"));
}

TEST(Metrics, every_family_has_one_help_and_one_type_and_a_legal_name) {
    MetricsRegistry registry(1, "1");
    // Interleaved on purpose: the series of a name must come out together.
    registry.add_source([](std::vector<MetricSample>& samples) {
        samples.push_back({"stockgate_x", "X.", MetricSample::Kind::gauge, {{"a", "1"}}, 1});
        samples.push_back({"stockgate_y_total", "Y.", MetricSample::Kind::counter, {}, 2});
        samples.push_back({"stockgate_x", "", MetricSample::Kind::gauge, {{"a", "q\"\\\n"}}, 3});
    });
    const std::string text = registry.render();
    std::set<std::string> typed;
    std::set<std::string> helped;
    std::string family;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line);
        std::string mark;
        std::string kind;
        words >> mark >> kind >> family;
        if (mark != "#") {
            EXPECT_EQ(
                line.find_first_not_of("abcdefghijklmnopqrstuvwxyz_"), line.find_first_of("{ ")
            ) << line;
            continue;
        }
        EXPECT_TRUE((kind == "HELP" ? helped : typed).insert(family).second) << line;
        if (kind == "HELP") {
            std::string first_word;
            EXPECT_TRUE(words >> first_word) << line;
        }
    }
    EXPECT_EQ(typed, helped);
    EXPECT_TRUE(has_line(text, "# TYPE stockgate_y_total counter"));
    EXPECT_TRUE(has_line(text, "stockgate_x{a=\"1\"} 1\nstockgate_x{a=\"q\\\"\\\\\\n\"} 3"));
    EXPECT_TRUE(typed.contains("process_resident_memory_bytes"));
    EXPECT_TRUE(typed.contains("process_open_fds"));
    EXPECT_TRUE(typed.contains("process_cpu_seconds_total"));
}

}  // namespace
