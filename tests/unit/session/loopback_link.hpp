#pragma once
// A BackendLink between two real loopback connections: the test plays the client and the backend
// with blocking calls, the link runs on one io_context that the test drives. `run_until` waits for
// a condition; its deadline only turns a hang into a failure.

#include "proxy/session/backend_link.hpp"
#include "server_replies.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <gtest/gtest.h>

#include <functional>
#include <optional>

namespace proxy::testing {

class LoopbackLink : public ::testing::Test, protected ReplyObserver {
protected:
    using Socket = boost::asio::ip::tcp::socket;

    LoopbackLink();
    ~LoopbackLink() override;

    // The client's commands whose replies are due next.
    void expect(protocol::ReplyShape shape, std::uint8_t command = 3);
    void expect_query() { expect(protocol::ReplyShape::result); }
    void backend_sends(const Bytes& bytes);
    void backend_closes();

    void run_until(const std::function<bool()>& done);
    // Until the pump has taken all that the backend sent so far, and has nothing left to do.
    void run_until_taken();
    void run_until_observed(std::size_t replies);
    // Everything that the client got so far; waits until it is at least `size` bytes.
    const Bytes& client_got(std::size_t size);
    // The next `size` bytes that the backend was sent.
    Bytes backend_got(std::size_t size);

    // Ends both connections and gives all that the client ever got.
    Bytes client_got_in_all();

    void start_exchange(std::vector<std::string> statements);
    void start_try_prepare(std::string sql);
    void run_until_exchanged();

    boost::asio::io_context context_;
    SessionMetrics metrics_;
    Socket client_;  // the test's ends
    Socket backend_;
    std::optional<Wire> client_wire_;
    std::optional<BackendLink> link_;
    bool pump_ended_ = false;
    std::vector<std::string> observed_;  // of each client reply: how it ended
    std::optional<bool> exchanged_;      // what the exchange returned
    std::vector<OwnReply> own_;

private:
    void on_reply(PendingReply& reply, const protocol::ReplyEnd& end) override;
    Task<> run_pump();
    Task<> run_exchange(std::vector<std::string> statements);
    Task<> run_try_prepare(std::string sql);
    void drain_client();

    Bytes client_bytes_;
};

}  // namespace proxy::testing
