#include "proxy/net/read_buffer.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace proxy {
namespace {

void put(ReadBuffer& buffer, std::size_t count, std::uint8_t first) {
    const auto space = buffer.space();
    ASSERT_GE(space.size(), count);
    for (std::size_t i = 0; i < count; ++i) space[i] = static_cast<std::uint8_t>(first + i);
    buffer.filled(count);
}

TEST(ReadBuffer, ReadsSmallUntilAReadTakesAllTheRoom) {
    ReadBuffer buffer;
    EXPECT_EQ(buffer.space().size(), ReadBuffer::small_size);
    put(buffer, 100, 0);
    EXPECT_FALSE(buffer.streams());
    buffer.consume(100);
    put(buffer, ReadBuffer::small_size, 0);
    EXPECT_TRUE(buffer.streams());
    buffer.consume(ReadBuffer::small_size);
    EXPECT_EQ(buffer.space().size(), ReadBuffer::large_size);
}

TEST(ReadBuffer, KeepsTheLargeBlockWhileReadsAreLong) {
    ReadBuffer buffer;
    put(buffer, ReadBuffer::small_size, 0);
    buffer.consume(buffer.size());
    put(buffer, ReadBuffer::small_size + 1, 0);
    EXPECT_TRUE(buffer.streams());
    buffer.consume(buffer.size());
    put(buffer, ReadBuffer::small_size, 0);
    EXPECT_FALSE(buffer.streams());
}

TEST(ReadBuffer, RestGoesBackToTheSmallBlockOnlyWhenEmpty) {
    ReadBuffer buffer;
    put(buffer, ReadBuffer::small_size, 0);
    buffer.consume(buffer.size());
    put(buffer, ReadBuffer::large_size, 0);
    buffer.rest();
    EXPECT_EQ(buffer.size(), ReadBuffer::large_size);
    buffer.consume(buffer.size());
    buffer.rest();
    EXPECT_EQ(buffer.space().size(), ReadBuffer::small_size);
}

TEST(ReadBuffer, KeepsBytesInOrderWhileItGrowsAndMoves) {
    ReadBuffer buffer;
    put(buffer, ReadBuffer::small_size, 0);
    buffer.consume(10);
    // Streaming with bytes left over moves them to the front of a large block.
    put(buffer, 50, 200);
    ASSERT_EQ(buffer.size(), ReadBuffer::small_size + 40);
    EXPECT_EQ(buffer.data()[0], 10);
    EXPECT_EQ(buffer.data()[ReadBuffer::small_size - 10], 200);
}

TEST(ReadBuffer, ReserveMakesRoomForAWholePacketAndGivesItBack) {
    ReadBuffer buffer;
    put(buffer, 20, 1);
    buffer.consume(5);
    buffer.reserve(300'000);
    EXPECT_EQ(buffer.data()[0], 6);
    EXPECT_GE(buffer.space().size() + buffer.size(), 300'000U);
    buffer.consume(buffer.size());
    EXPECT_EQ(buffer.space().size(), ReadBuffer::small_size);
}

TEST(ReadBuffer, AppendsWhatCameAnotherWay) {
    ReadBuffer buffer;
    const std::vector<std::uint8_t> bytes{1, 2, 3};
    buffer.append({});
    EXPECT_EQ(buffer.size(), 0U);
    buffer.append(bytes);
    put(buffer, 1, 4);
    EXPECT_TRUE(std::ranges::equal(buffer.data(), std::vector<std::uint8_t>{1, 2, 3, 4}));
}

TEST(ReadBuffer, AFullBlockStillOffersRoom) {
    ReadBuffer buffer;
    for (int i = 0; i < 5; ++i) {
        const auto space = buffer.space();
        ASSERT_GT(space.size(), 0U);
        buffer.filled(space.size());
    }
    EXPECT_GT(buffer.size(), ReadBuffer::large_size);
}

}  // namespace
}  // namespace proxy
