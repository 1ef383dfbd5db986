#include "tests/integration/admin/admin_fixture.hpp"

namespace {

class AdminTimeouts : public AdminTest {
protected:
    AdminTimeouts() { limits_.timeout = std::chrono::milliseconds(300); }
};

TEST_F(AdminTimeouts, silence_is_closed) {
    start();
    RawClient silent(port_);
    EXPECT_TRUE(silent.is_closed_by_server());
    RawClient idle(port_);
    idle.send("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
    ASSERT_TRUE(idle.receive());
    EXPECT_TRUE(idle.is_closed_by_server());
    EXPECT_TRUE(reaches(0));
}

// Each byte arrives long before the timeout; only a deadline for the whole request ends this.
void drip_until_closed(RawClient& client, const std::string& head, std::string_view drop) {
    ASSERT_TRUE(client.send(head));
    int drops = 0;
    while (!client.is_readable(20) && client.send(drop)) {
        ASSERT_LT(++drops, 1000) << "still open";
    }
}

TEST_F(AdminTimeouts, a_dripping_header_is_closed) {
    start();
    RawClient client(port_);
    drip_until_closed(client, "GET /healthz HTTP/1.1\r\nX: ", "x");
    EXPECT_TRUE(client.is_closed_by_server());
    EXPECT_TRUE(is_healthy());
}

TEST_F(AdminTimeouts, a_dripping_body_is_closed) {
    start();
    RawClient client(port_);
    drip_until_closed(
        client,
        "PUT /api/v1/breaker HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        "Content-Length: 60000\r\n\r\n",
        " "
    );
    EXPECT_TRUE(client.is_closed_by_server());
    EXPECT_EQ(breaker_sets_, 0);
}

TEST_F(AdminTimeouts, a_client_that_does_not_read_is_closed_and_disturbs_nobody) {
    extra_metrics_ = std::string(32 << 20, '#') + "\n";
    start();
    RawClient stuck(port_);
    ASSERT_TRUE(stuck.send("GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n"));
    ASSERT_TRUE(stuck.is_readable(20'000));  // the answer has begun
    EXPECT_TRUE(is_healthy());
    EXPECT_TRUE(reaches(0));
    EXPECT_FALSE(stuck.receive()) << "the whole answer came although nobody read";
}

TEST_F(AdminTimeouts, a_client_that_goes_on_sending_after_a_refusal_is_dropped) {
    start();
    RawClient client(port_);
    const std::string junk(64 * 1024, 'x');
    int sends = 0;
    while (client.send(junk)) ASSERT_LT(++sends, 10'000) << "still reading";
    EXPECT_TRUE(reaches(0));
}

}  // namespace
