#include "proxy/admin/routes.hpp"

#include <gtest/gtest.h>

namespace {

using config::BreakerMode;
using proxy::AdminAnswer;
using proxy::AdminPorts;
using proxy::AdminRequest;
using proxy::HealthReport;

class Routes : public testing::Test {
protected:
    Routes() {
        ports_.version = "0.1.0";
        ports_.health = [this] { return health_; };
        ports_.metrics_text = [] { return std::string("x 1\n"); };
        ports_.breaker_status = [this] { return breaker_; };
        ports_.set_breaker = [this](BreakerMode mode) {
            breaker_.mode = mode;
            ++breaker_sets_;
        };
        ports_.skus = [] { return std::vector<proxy::SkuReport>(1); };
        health_.status = HealthReport::Status::ok;
    }

    AdminAnswer ask(std::string_view method, std::string_view target) {
        AdminRequest request;
        request.method = method;
        request.target = target;
        request.host = host_;
        request.content_type = content_type_;
        request.body = body_;
        return proxy::answer(request, ports_);
    }

    AdminPorts ports_;
    HealthReport health_;
    proxy::BreakerReport breaker_;
    int breaker_sets_ = 0;
    std::string host_ = "127.0.0.1:6080";
    std::string content_type_ = "application/json";
    std::string body_;
};

TEST_F(Routes, every_path_of_the_index_answers) {
    const AdminAnswer index = ask("GET", "/");
    EXPECT_EQ(index.status, 200U);
    for (const char* path : {"/", "/healthz", "/metrics", "/api/v1/breaker", "/api/v1/skus"}) {
        EXPECT_NE(index.body.find(std::string("GET ") + path + " "), std::string::npos) << path;
        EXPECT_EQ(ask("GET", path).status, 200U) << path;
        EXPECT_EQ(ask("HEAD", path).status, 200U) << path;
    }
}

TEST_F(Routes, metrics_have_the_content_type_of_the_text_format) {
    const AdminAnswer result = ask("GET", "/metrics?name=x");
    EXPECT_EQ(result.content_type, "text/plain; version=0.0.4; charset=utf-8");
    EXPECT_EQ(result.body, "x 1\n");
}

TEST_F(Routes, health_is_503_unless_ready) {
    EXPECT_EQ(ask("GET", "/healthz").status, 200U);
    for (const auto status :
         {HealthReport::Status::starting,
          HealthReport::Status::draining,
          HealthReport::Status::backend_unreachable,
          HealthReport::Status::ledger_unreachable,
          HealthReport::Status::failed}) {
        health_.status = status;
        EXPECT_EQ(ask("GET", "/healthz").status, 503U);
    }
}

TEST_F(Routes, unknown_path_lists_the_known_ones) {
    const AdminAnswer result = ask("GET", "/api/v1/brake");
    EXPECT_EQ(result.status, 404U);
    EXPECT_EQ(
        result.body,
        "{\"error\":\"no such path: /api/v1/brake; known are / /healthz /metrics "
        "/api/v1/breaker /api/v1/skus\"}\n"
    );
    EXPECT_EQ(ask("GET", "/healthz/").status, 404U);
    EXPECT_EQ(ask("GET", "//healthz").status, 404U);
    EXPECT_LT(ask("GET", "/" + std::string(8000, 'a')).body.size(), 300U);
}

TEST_F(Routes, wrong_method_names_the_right_ones) {
    EXPECT_EQ(ask("DELETE", "/healthz").status, 405U);
    EXPECT_EQ(ask("DELETE", "/healthz").allow, "GET, HEAD");
    EXPECT_EQ(ask("POST", "/api/v1/breaker").status, 405U);
    EXPECT_EQ(ask("POST", "/api/v1/breaker").allow, "GET, HEAD, PUT");
    EXPECT_EQ(ask("OPTIONS", "/api/v1/breaker").status, 405U);
    EXPECT_EQ(ask("get", "/healthz").status, 405U);
    EXPECT_EQ(breaker_sets_, 0);
}

TEST_F(Routes, put_sets_the_mode_and_answers_the_new_status) {
    body_ = "{\"mode\":\"open\"}";
    const AdminAnswer result = ask("PUT", "/api/v1/breaker");
    EXPECT_EQ(result.status, 200U);
    EXPECT_NE(result.body.find("\"mode\":\"open\""), std::string::npos);
    EXPECT_EQ(breaker_.mode, BreakerMode::open);
    content_type_ = "Application/JSON ; charset=utf-8";
    body_ = "{\"mode\":\"auto\"}";
    EXPECT_EQ(ask("PUT", "/api/v1/breaker").status, 200U);
    EXPECT_EQ(breaker_.mode, BreakerMode::automatic);
}

TEST_F(Routes, put_of_anything_else_changes_nothing) {
    body_ = "{\"mode\":\"ajar\"}";
    const AdminAnswer result = ask("PUT", "/api/v1/breaker");
    EXPECT_EQ(result.status, 400U);
    for (const char* allowed : {"auto", "open", "closed"}) {
        EXPECT_NE(result.body.find(allowed), std::string::npos);
    }
    body_ = "{\"mode\":\"open\"}";
    for (const char* type :
         {"", "text/plain", "application/jsonx", "application/x-www-form-urlencoded"}) {
        content_type_ = type;
        EXPECT_EQ(ask("PUT", "/api/v1/breaker").status, 415U) << type;
    }
    EXPECT_EQ(breaker_sets_, 0);
}

TEST_F(Routes, other_names_than_loopback_are_refused_before_anything_else) {
    body_ = "{\"mode\":\"open\"}";
    host_ = "evil.example:6080";
    EXPECT_EQ(ask("PUT", "/api/v1/breaker").status, 403U);
    EXPECT_EQ(ask("GET", "/metrics").status, 403U);
    EXPECT_EQ(ask("GET", "/nothing").status, 403U);
    host_ = "";
    EXPECT_EQ(ask("PUT", "/api/v1/breaker").status, 400U);
    host_ = "localhost";
    EXPECT_EQ(ask("PUT", "http://evil.example/api/v1/breaker").status, 400U);
    EXPECT_EQ(ask("OPTIONS", "*").status, 400U);
    EXPECT_EQ(breaker_sets_, 0);
}

}  // namespace
