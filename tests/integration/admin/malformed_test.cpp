#include "tests/integration/admin/admin_fixture.hpp"

#include <random>

namespace {

class AdminMalformed : public AdminTest {
protected:
    void expect_refusal(std::string_view bytes, int status) {
        RawClient client(port_);
        client.send(bytes);
        const auto reply = client.receive();
        const std::string shown(bytes.substr(0, 60));
        ASSERT_TRUE(reply) << shown;
        EXPECT_EQ(reply->status, status) << shown;
        EXPECT_TRUE(reply->body.starts_with("{\"error\":\"")) << reply->body;
        EXPECT_TRUE(reply->body.ends_with("\"}\n")) << reply->body;
        EXPECT_EQ(std::count(reply->body.begin(), reply->body.end(), '\n'), 1);
        EXPECT_TRUE(client.is_closed_by_server()) << shown;
    }
};

TEST_F(AdminMalformed, gets_400_with_one_line_and_the_end) {
    start();
    for (const std::string_view bytes : {
             std::string_view("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 11),  // TLS hello
             std::string_view("\x00\x00\x00\x00\r\n\r\n", 8),
             std::string_view("GET\r\n\r\n"),
             std::string_view("GET /healthz\r\n\r\n"),
             std::string_view("GET /healthz HTTP/2.0\r\nHost: localhost\r\n\r\n"),
             std::string_view("GET /healthz HTTP/1.1 x\r\nHost: localhost\r\n\r\n"),
             std::string_view("GET /healthz HTTP/1.1\r\nHost localhost\r\n\r\n"),
             std::string_view("GET /healthz HTTP/1.1\r\nHo st: localhost\r\n\r\n"),
             std::string_view("GET /healthz HTTP/1.1\r\nHost: a\x01\r\n\r\n"),
             std::string_view("GET /he\x7f HTTP/1.1\r\nHost: localhost\r\n\r\n"),
             std::string_view("PUT / HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n"),
             std::string_view("PUT / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1x\r\n\r\n"),
             std::string_view("PUT / HTTP/1.1\r\nHost: localhost\r\nContent-Length: "
                              "1\r\nContent-Length: 2\r\n\r\n"),
             std::string_view(
                 "PUT / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999999999999999\r\n\r\n"
             ),
             std::string_view(
                 "PUT / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n"
             ),
         }) {
        expect_refusal(bytes, 400);
    }
    EXPECT_TRUE(reaches(0));
    EXPECT_TRUE(is_healthy());
}

TEST_F(AdminMalformed, oversized_header_gets_431) {
    start();
    const std::string start_of_request = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n";
    const std::string one_long = "X: " + std::string(9000, 'x') + "\r\n\r\n";
    expect_refusal(start_of_request + one_long, 431);
    std::string many;
    for (int index = 0; index < 2000; ++index) many += "X" + std::to_string(index) + ": y\r\n";
    expect_refusal(start_of_request + many + "\r\n", 431);
    expect_refusal("GET /" + std::string(100'000, 'p') + " HTTP/1.1\r\n\r\n", 431);
    // Not yet too long.
    const auto fits = exchange(start_of_request + "X: " + std::string(8000, 'x') + "\r\n\r\n");
    ASSERT_TRUE(fits);
    EXPECT_EQ(fits->status, 200);
}

TEST_F(AdminMalformed, oversized_body_gets_413) {
    start();
    const std::string head =
        "PUT /api/v1/breaker HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n";
    // Announced only; announced and sent; sent in chunks without an announcement.
    expect_refusal(head + "Content-Length: 65537\r\n\r\n", 413);
    expect_refusal(head + "Content-Length: 150000\r\n\r\n" + std::string(150'000, ' '), 413);
    std::string chunks;
    for (int index = 0; index < 100; ++index) chunks += "400\r\n" + std::string(1024, ' ') + "\r\n";
    expect_refusal(head + "Transfer-Encoding: chunked\r\n\r\n" + chunks, 413);
    EXPECT_EQ(breaker_sets_, 0);
}

TEST_F(AdminMalformed, an_end_in_the_middle_gets_400_and_an_end_before_gets_nothing) {
    start();
    RawClient cut(port_);
    cut.send("GET /healthz HTTP/1.1\r\nHost: loc");
    cut.finish_sending();
    const auto reply = cut.receive();
    ASSERT_TRUE(reply);
    EXPECT_EQ(reply->status, 400);
    RawClient silent(port_);
    silent.finish_sending();
    EXPECT_TRUE(silent.is_closed_by_server());
}

TEST_F(AdminMalformed, random_damage_never_harms_the_server) {
    limits_.timeout = std::chrono::milliseconds(100);  // for damage that makes a request incomplete
    start();
    const std::uint32_t seed = std::random_device()();
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    const std::string valid =
        "PUT /api/v1/skus?x=1 HTTP/1.1\r\nHost: 127.0.0.1:6080\r\nContent-Type: application/json"
        "\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{\"mod\r\n3;e=1\r\ne\":\r\n0\r\nT: 1\r\n\r\n";
    for (int round = 0; round < 300; ++round) {
        std::string bytes = valid + valid;
        for (int change = 0; change < 1 + round % 4; ++change) {
            const std::size_t at = random() % bytes.size();
            switch (random() % 3) {
                case 0:
                    bytes[at] = static_cast<char>(random());
                    break;
                case 1:
                    bytes.erase(at, 1 + random() % 20);
                    break;
                default:
                    bytes.insert(at, bytes.substr(random() % bytes.size(), random() % 20));
            }
        }
        RawClient client(port_);
        client.send(bytes);
        client.finish_sending();
        while (const auto reply = client.receive()) EXPECT_GE(reply->status, 100);
        EXPECT_TRUE(client.is_readable(20'000));  // the end came, not our patience
    }
    EXPECT_TRUE(reaches(0));
    EXPECT_TRUE(is_healthy());
}

}  // namespace
