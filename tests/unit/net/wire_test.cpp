// A wire without layers.
#include "wire_pair.hpp"

#include <boost/asio/error.hpp>
#include <sys/socket.h>

namespace proxy::testing {
namespace {

TEST_F(WirePair, CarriesBytesBothWays) {
    expect_exchange({1, 2, 3});
    expect_exchange(sample(1'000'000));
}

TEST_F(WirePair, TellsTheEndOfTheStreamAgainAndAgain) {
    near_->shutdown_send();
    for (int i = 0; i < 3; ++i) {
        ErrorCode error;
        EXPECT_TRUE(read(*far_, 1, error).empty());
        EXPECT_EQ(error, boost::asio::error::eof);
    }
}

TEST_F(WirePair, BytesBeforeTheEndAreRead) {
    start_write(*near_, {5});
    run_until([this] { return writes_under_way_ == 0; });
    near_->shutdown_send();
    ErrorCode error;
    EXPECT_EQ(read(*far_, 10, error), Bytes{5});
    EXPECT_EQ(error, boost::asio::error::eof);
}

TEST_F(WirePair, KnowsAPeerThatHasClosed) {
    EXPECT_FALSE(far_->peer_has_closed());
    start_write(*near_, {5});
    run_until([this] { return writes_under_way_ == 0; });
    EXPECT_FALSE(far_->peer_has_closed());
    ErrorCode error;
    EXPECT_EQ(read(*far_, 1, error), Bytes{5});
    near_->close();
    EXPECT_TRUE(far_->peer_has_closed());
}

TEST_F(WirePair, SaysSinceWhenAWriteWaits) {
    EXPECT_FALSE(near_->blocked_since());
    const Bytes bytes = sample(8'000'000);
    start_write(*near_, bytes);
    run_until([this] { return near_->blocked_since().has_value(); });
    ErrorCode error;
    EXPECT_EQ(read(*far_, bytes.size(), error).size(), bytes.size());
    run_until([this] { return writes_under_way_ == 0; });
    EXPECT_FALSE(near_->blocked_since());
}

TEST_F(WirePair, AWriteToAClosedPeerIsAnErrorAndNoSignal) {
    far_->close();
    start_write(*near_, sample(100));
    run_until([this] { return writes_under_way_ == 0; });
    EXPECT_TRUE(write_error_);
}

TEST_F(WirePair, IsAUnixSocket) {
    EXPECT_TRUE(near_->is_unix());
    EXPECT_FALSE(near_->has_tls());
}

}  // namespace
}  // namespace proxy::testing
