#include "tests/integration/admin/admin_fixture.hpp"

namespace {

class AdminRequests : public AdminTest {
protected:
    static std::string put(const std::string& headers, const std::string& body) {
        return "PUT /api/v1/breaker HTTP/1.1\r\nHost: 127.0.0.1\r\n" + headers +
               "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
    }
};

constexpr std::string_view get_health = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n";
const std::string json_type = "Content-Type: application/json\r\n";

TEST_F(AdminRequests, keep_alive_serves_many_on_one_connection) {
    start();
    RawClient client(port_);
    for (int round = 0; round < 50; ++round) {
        ASSERT_TRUE(client.send(get_health));
        const auto reply = client.receive();
        ASSERT_TRUE(reply);
        EXPECT_EQ(reply->status, 200);
        EXPECT_EQ(reply->headers.at("content-type"), "application/json");
        EXPECT_EQ(reply->headers.at("cache-control"), "no-store");
    }
    EXPECT_EQ(connections(), 1U);
}

TEST_F(AdminRequests, pipelined_requests_are_answered_in_order) {
    start();
    RawClient client(port_);
    std::string requests;
    for (int round = 0; round < 100; ++round) {
        requests += get_health;
        requests += "GET /api/v1/skus HTTP/1.1\r\nHost: localhost\r\n\r\n";
        requests += put(json_type, "{\"mode\":\"closed\"}");
        requests += "GET /gone HTTP/1.1\r\nHost: localhost\r\n\r\n";
    }
    ASSERT_TRUE(client.send(requests));
    for (int round = 0; round < 100; ++round) {
        for (const auto& [status, part] :
             {std::pair(200, "\"status\""), {200, "\"skus\""}, {200, "\"mode\""}, {404, "/gone"}}) {
            const auto reply = client.receive();
            ASSERT_TRUE(reply);
            EXPECT_EQ(reply->status, status);
            EXPECT_NE(reply->body.find(part), std::string::npos) << reply->body;
        }
    }
    EXPECT_EQ(breaker_sets_, 100);
}

TEST_F(AdminRequests, a_request_cut_into_single_bytes_is_whole_again) {
    start();
    RawClient client(port_);
    for (const char byte : put(json_type, "{\"mode\":\"open\"}")) {
        ASSERT_TRUE(client.send(std::string_view(&byte, 1)));
    }
    const auto reply = client.receive();
    ASSERT_TRUE(reply);
    EXPECT_EQ(reply->status, 200);
    EXPECT_NE(reply->body.find("\"mode\":\"open\""), std::string::npos);
}

TEST_F(AdminRequests, connection_close_and_http_1_0_end_after_the_answer) {
    start();
    for (const char* request :
         {"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n",
          "GET /healthz HTTP/1.0\r\nHost: localhost\r\n\r\n"}) {
        RawClient client(port_);
        ASSERT_TRUE(client.send(request));
        const auto reply = client.receive();
        ASSERT_TRUE(reply);
        EXPECT_EQ(reply->status, 200);
        EXPECT_TRUE(client.is_closed_by_server());
    }
}

TEST_F(AdminRequests, head_has_the_length_and_no_body) {
    start();
    RawClient client(port_);
    ASSERT_TRUE(client.send("HEAD /api/v1/skus HTTP/1.1\r\nHost: localhost\r\n\r\n"));
    const auto head = client.receive(true);
    ASSERT_TRUE(head);
    EXPECT_EQ(head->status, 200);
    ASSERT_TRUE(client.send("GET /api/v1/skus HTTP/1.1\r\nHost: localhost\r\n\r\n"));
    const auto reply = client.receive();  // would be misread if a body had come before
    ASSERT_TRUE(reply);
    EXPECT_EQ(head->headers.at("content-length"), std::to_string(reply->body.size()));
}

TEST_F(AdminRequests, wrong_method_carries_allow) {
    start();
    const auto reply = exchange("DELETE /api/v1/breaker HTTP/1.1\r\nHost: localhost\r\n\r\n");
    ASSERT_TRUE(reply);
    EXPECT_EQ(reply->status, 405);
    EXPECT_EQ(reply->headers.at("allow"), "GET, HEAD, PUT");
}

TEST_F(AdminRequests, metrics_over_the_wire) {
    start();
    on_control([this] { metrics_.shard(0).sessions_total.add(7); });
    const auto reply = exchange("GET /metrics HTTP/1.1\r\nHost: 127.0.0.1:6080\r\n\r\n");
    ASSERT_TRUE(reply);
    EXPECT_EQ(reply->headers.at("content-type"), "text/plain; version=0.0.4; charset=utf-8");
    EXPECT_NE(reply->body.find("\nstockgate_sessions_total 7\n"), std::string::npos);
}

TEST_F(AdminRequests, put_takes_chunks_and_waits_for_continue) {
    start();
    RawClient client(port_);
    ASSERT_TRUE(client.send(
        "PUT /api/v1/breaker HTTP/1.1\r\nHost: localhost\r\n" + json_type +
        "Transfer-Encoding: chunked\r\n\r\n7\r\n{\"mode\"\r\n8\r\n:\"open\"}\r\n0\r\n\r\n"
    ));
    const auto chunked = client.receive();
    ASSERT_TRUE(chunked);
    EXPECT_EQ(chunked->status, 200);
    ASSERT_TRUE(client.send(
        "PUT /api/v1/breaker HTTP/1.1\r\nHost: localhost\r\n" + json_type +
        "Expect: 100-continue\r\nContent-Length: 17\r\n\r\n"
    ));
    const auto go_on = client.receive();
    ASSERT_TRUE(go_on);
    EXPECT_EQ(go_on->status, 100);
    ASSERT_TRUE(client.send("{\"mode\":\"closed\"}"));
    const auto reply = client.receive();
    ASSERT_TRUE(reply);
    EXPECT_EQ(reply->status, 200);
    EXPECT_NE(reply->body.find("\"mode\":\"closed\""), std::string::npos);
    EXPECT_EQ(breaker_sets_, 2);
}

TEST_F(AdminRequests, put_without_json_or_with_a_wrong_mode_changes_nothing) {
    start();
    RawClient client(port_);  // none of these ends the connection
    for (const auto& [request, status] :
         {std::pair(put("", "{\"mode\":\"open\"}"), 415),
          {put("Content-Type: text/plain\r\n", "{\"mode\":\"open\"}"), 415},
          {put(json_type, "{\"mode\":\"ajar\"}"), 400},
          {put(json_type, "mode=open"), 400},
          {put(json_type, ""), 400},
          {put(json_type, std::string(64 * 1024, '[')), 400}}) {
        ASSERT_TRUE(client.send(request));
        const auto reply = client.receive();
        ASSERT_TRUE(reply);
        EXPECT_EQ(reply->status, status) << reply->body;
        EXPECT_TRUE(reply->body.starts_with("{\"error\":\"")) << reply->body;
    }
    EXPECT_EQ(breaker_sets_, 0);
}

TEST_F(AdminRequests, a_rebound_name_cannot_read_or_write) {
    start();
    const std::string body = "{\"mode\":\"open\"}";
    for (const char* host : {"evil.example", "evil.example:6080", "127.0.0.1.evil.example"}) {
        const auto reply = exchange(
            "PUT /api/v1/breaker HTTP/1.1\r\nHost: " + std::string(host) + "\r\n" + json_type +
            "Content-Length: 15\r\n\r\n" + body
        );
        ASSERT_TRUE(reply);
        EXPECT_EQ(reply->status, 403) << host;
    }
    const auto twice = exchange(
        "PUT /api/v1/breaker HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n" + json_type +
        "Content-Length: 15\r\n\r\n" + body
    );
    ASSERT_TRUE(twice);
    EXPECT_EQ(twice->status, 400);
    const auto none = exchange("GET /metrics HTTP/1.1\r\n\r\n");
    ASSERT_TRUE(none);
    EXPECT_EQ(none->status, 400);
    EXPECT_EQ(breaker_sets_, 0);
}

}  // namespace
