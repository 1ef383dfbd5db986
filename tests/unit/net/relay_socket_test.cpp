// The end of a stream in each order with its last bytes: none may be missed.
#include "wire_pair.hpp"

#include <boost/asio/error.hpp>

namespace proxy::testing {
namespace {

using RelaySocketTest = WirePair;

TEST_F(RelaySocketTest, AnEndBehindTheLastBytesIsAnEvent) {
    start_write(*near_, {1});
    ErrorCode error;
    EXPECT_EQ(read(*far_, 1, error), Bytes{1});
    near_->shutdown_send();
    EXPECT_TRUE(read(*far_, 1, error).empty());
    EXPECT_EQ(error, boost::asio::error::eof);
}

TEST_F(RelaySocketTest, AnEndTogetherWithTheLastBytesIsFoundByLooking) {
    start_write(*near_, {1});
    run_until([this] { return writes_under_way_ == 0; });
    near_->shutdown_send();
    ErrorCode error;
    EXPECT_EQ(read(*far_, 1, error), Bytes{1});
    ReadBuffer buffer;
    std::optional<ErrorCode> ended;
    start_fill(*far_, buffer, ended);
    context_.restart();
    context_.poll();
    far_->look_for_end();
    run_until([&] { return ended.has_value(); });
    EXPECT_EQ(*ended, boost::asio::error::eof);
}

TEST_F(RelaySocketTest, AnExpectedEndIsFoundAtOnce) {
    start_write(*near_, {1});
    run_until([this] { return writes_under_way_ == 0; });
    near_->shutdown_send();
    ErrorCode error;
    EXPECT_EQ(read(*far_, 1, error), Bytes{1});
    far_->expect_end();
    EXPECT_TRUE(read(*far_, 1, error).empty());
    EXPECT_EQ(error, boost::asio::error::eof);
}

TEST_F(RelaySocketTest, LookingAtALivePeerDisturbsNothing) {
    ReadBuffer buffer;
    std::optional<ErrorCode> filled;
    start_write(*near_, {1});
    ErrorCode error;
    EXPECT_EQ(read(*far_, 1, error), Bytes{1});
    start_fill(*far_, buffer, filled);
    context_.restart();
    context_.poll();
    far_->look_for_end();
    far_->look_for_end();
    context_.restart();
    context_.poll();
    EXPECT_FALSE(filled);
    start_write(*near_, {2});
    run_until([&] { return filled.has_value(); });
    EXPECT_FALSE(*filled);
    EXPECT_EQ(buffer.data()[0], 2);
}

TEST_F(RelaySocketTest, AClosedSocketEndsItsRead) {
    ReadBuffer buffer;
    std::optional<ErrorCode> filled;
    start_fill(*far_, buffer, filled);
    context_.restart();
    context_.poll();
    far_->close();
    run_until([&] { return filled.has_value(); });
    EXPECT_TRUE(*filled);
}

TEST_F(RelaySocketTest, ManyShortReadsLoseNothing) {
    for (std::uint8_t i = 0; i < 200; ++i) {
        start_write(*near_, {i, i});
        ErrorCode error;
        EXPECT_EQ(read(*far_, 2, error), (Bytes{i, i}));
    }
}

}  // namespace
}  // namespace proxy::testing
