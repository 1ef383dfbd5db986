#include "proxy/admin/json_text.hpp"

#include <gtest/gtest.h>

namespace {

using config::BreakerMode;
using proxy::HealthReport;
using proxy::parse_breaker_mode;

TEST(JsonText, health_says_live_and_ready_apart) {
    HealthReport report;
    report.status = HealthReport::Status::draining;
    report.reasons = {"3 transactions are open"};
    EXPECT_EQ(
        proxy::health_text(report, "0.1.0"),
        "{\"status\":\"draining\",\"live\":true,\"ready\":false,"
        "\"reasons\":[\"3 transactions are open\"],\"version\":\"0.1.0\"}\n"
    );
    report.status = HealthReport::Status::failed;
    report.reasons.clear();
    EXPECT_EQ(
        proxy::health_text(report, "0.1.0"),
        "{\"status\":\"failed\",\"live\":false,\"ready\":false,"
        "\"reasons\":[],\"version\":\"0.1.0\"}\n"
    );
}

TEST(JsonText, breaker_in_every_state) {
    proxy::BreakerReport report;
    report.mode = BreakerMode::open;
    report.state = proxy::BreakerReport::State::half_open;
    report.since = std::chrono::milliseconds(1500);
    report.opened_total = 4;
    report.reason = "5 failures";
    EXPECT_EQ(
        proxy::breaker_text(report),
        "{\"mode\":\"open\",\"state\":\"half_open\",\"since_ms\":1500,"
        "\"opened_total\":4,\"reason\":\"5 failures\"}\n"
    );
}

TEST(JsonText, skus_with_and_without_a_known_remainder) {
    proxy::SkuReport known;
    known.schema = "shop";
    known.table = "t_stock";
    known.sku_id = "t_stock:1001";
    known.state = proxy::SkuState::paused;
    known.epoch = 3;
    known.buckets = 16;
    known.remainder = -2;
    known.gate = config::GateKind::local;
    proxy::SkuReport unknown = known;
    unknown.remainder.reset();
    unknown.state = proxy::SkuState::active;
    unknown.gate = config::GateKind::redis;
    EXPECT_EQ(
        proxy::skus_text({known, unknown}),
        "{\"skus\":[{\"schema\":\"shop\",\"table\":\"t_stock\",\"sku_id\":\"t_stock:1001\","
        "\"state\":\"paused\",\"epoch\":3,\"buckets\":16,\"remainder\":-2,\"gate\":\"local\"},"
        "{\"schema\":\"shop\",\"table\":\"t_stock\",\"sku_id\":\"t_stock:1001\","
        "\"state\":\"active\",\"epoch\":3,\"buckets\":16,\"remainder\":null,\"gate\":\"redis\"}]}\n"
    );
    EXPECT_EQ(proxy::skus_text({}), "{\"skus\":[]}\n");
}

TEST(JsonText, an_error_is_one_line_whatever_it_quotes) {
    EXPECT_EQ(
        proxy::error_text(std::string("a\"b\\c\r\n\x01\xff\0z", 11)),
        "{\"error\":\"a\\\"b\\\\c?????z\"}\n"
    );
}

TEST(JsonText, mode_is_read_strictly) {
    EXPECT_EQ(parse_breaker_mode("{\"mode\":\"auto\"}"), BreakerMode::automatic);
    EXPECT_EQ(parse_breaker_mode(" { \"mode\" : \"open\" }\n"), BreakerMode::open);
    EXPECT_EQ(parse_breaker_mode("{\"mode\":\"closed\"}"), BreakerMode::closed);
    for (const char* wrong :
         {"",
          "null",
          "\"open\"",
          "[\"open\"]",
          "{}",
          "{\"mode\":null}",
          "{\"mode\":1}",
          "{\"mode\":\"\"}",
          "{\"mode\":\"Open\"}",
          "{\"mode\":\"automatic\"}",
          "{\"mode\":\"open\",\"for\":\"1h\"}",
          "{\"Mode\":\"open\"}",
          "{\"mode\":\"open\"",
          "{\"mode\":\"open\"} x",
          "{mode:\"open\"}",
          "{\"mode\":\"open\\u0000\"}"}) {
        EXPECT_EQ(parse_breaker_mode(wrong), std::nullopt) << wrong;
    }
    EXPECT_EQ(parse_breaker_mode(std::string(60'000, '[')), std::nullopt);
}

}  // namespace
