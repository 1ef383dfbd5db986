#include "proxy/net/listener.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace proxy {
namespace {

namespace asio = boost::asio;
using local = asio::local::stream_protocol;

class ListenerTest : public ::testing::Test {
protected:
    ListenerTest() {
        std::string pattern = std::filesystem::temp_directory_path() / "stockgate-net-XXXXXX";
        folder_ = ::mkdtemp(pattern.data());
        path_ = folder_ + "/mysql.sock";
    }
    ~ListenerTest() override {
        listener_.stop();
        context_.restart();
        context_.run_for(std::chrono::seconds{10});
        std::error_code ignored;
        std::filesystem::remove_all(folder_, ignored);
    }
    ListenerHooks hooks() {
        ListenerHooks hooks;
        hooks.choose_loop = [this]() -> asio::io_context& { return context_; };
        hooks.accepted = [this](asio::generic::stream_protocol::socket) { ++accepted_; };
        return hooks;
    }
    config::Address at_path() {
        config::Address address;
        address.path = path_;
        return address;
    }
    void accept_one() {
        context_.restart();
        while (accepted_ == 0 && context_.run_one_for(std::chrono::seconds{10}) > 0) {
        }
        EXPECT_EQ(accepted_, 1);
    }

    asio::io_context context_;
    std::string folder_;
    std::string path_;
    int accepted_ = 0;
    Listener listener_{context_.get_executor(), hooks()};
};

TEST_F(ListenerTest, AcceptsOnAFreePort) {
    config::Address address;
    address.host = "127.0.0.1";
    ASSERT_EQ(listener_.listen(address), "");
    ASSERT_NE(listener_.port(), 0);
    asio::ip::tcp::socket client{context_};
    client.connect({asio::ip::address_v4::loopback(), listener_.port()});
    accept_one();
}

TEST_F(ListenerTest, AcceptsOnAUnixSocketAndRemovesItAtTheEnd) {
    ASSERT_EQ(listener_.listen(at_path()), "");
    EXPECT_EQ(listener_.port(), 0);
    local::socket client{context_};
    client.connect(local::endpoint{path_});
    accept_one();
    listener_.stop();
    EXPECT_FALSE(std::filesystem::exists(path_));
}

TEST_F(ListenerTest, ASocketThatADeadProcessLeftIsReplaced) {
    { local::acceptor dead{context_, local::endpoint{path_}}; }
    ASSERT_TRUE(std::filesystem::exists(path_));
    EXPECT_EQ(listener_.listen(at_path()), "");
}

TEST_F(ListenerTest, ASocketThatSomebodyListensOnIsLeftAlone) {
    local::acceptor other{context_, local::endpoint{path_}};
    EXPECT_EQ(listener_.listen(at_path()), "another process listens there");
    EXPECT_TRUE(std::filesystem::exists(path_));
}

TEST_F(ListenerTest, AFileIsLeftAlone) {
    std::ofstream{path_} << "mine";
    EXPECT_NE(listener_.listen(at_path()), "");
    EXPECT_TRUE(std::filesystem::exists(path_));
}

TEST_F(ListenerTest, AnUnusableAddressIsAnError) {
    config::Address address;
    address.host = "192.0.2.1";
    address.port = 1;
    EXPECT_NE(listener_.listen(address), "");
    auto nowhere = at_path();
    nowhere.path = "/nowhere/mysql.sock";
    EXPECT_NE(listener_.listen(nowhere), "");
}

}  // namespace
}  // namespace proxy
