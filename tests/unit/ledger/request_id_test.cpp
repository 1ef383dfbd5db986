// Request ids: unique, in order of time, and readable as what they are made of.

#include "proxy/ledger/request_id.hpp"

#include <gtest/gtest.h>

#include <unordered_set>

namespace {

using proxy::RequestId;
using proxy::RequestIdGenerator;

RequestId counting() {
    RequestId id;
    for (std::size_t i = 0; i < id.bytes.size(); ++i)
        id.bytes[i] = static_cast<std::uint8_t>(16 * i + i);
    return id;
}

TEST(RequestId, HasALayout) {
    const auto id = counting();
    EXPECT_EQ(id.hex(), "00112233445566778899AABBCCDDEEFF");
    EXPECT_EQ(id.milliseconds(), 0x001122334455U);
    EXPECT_EQ(id.incarnation(), 0x66778899U);
}

TEST(RequestId, IsReadFromHex) {
    EXPECT_EQ(RequestId::from_hex("00112233445566778899AABBCCDDEEFF"), counting());
    EXPECT_EQ(RequestId::from_hex("00112233445566778899aabbccddeeff"), counting());
    for (const char* text :
         {"",
          "00",
          "00112233445566778899AABBCCDDEEF",
          "00112233445566778899AABBCCDDEEFF0",
          "0011223344556677889gAABBCCDDEEFF",
          " 0112233445566778899AABBCCDDEEFF"}) {
        EXPECT_FALSE(RequestId::from_hex(text)) << text;
    }
}

TEST(RequestIdGenerator, NeverRepeatsAndNeverGoesBack) {
    RequestIdGenerator generator(7, 3);
    auto last = generator.next();
    for (int i = 0; i < 100'000; ++i) {
        const auto id = generator.next();
        ASSERT_LT(last, id);
        last = id;
    }
}

TEST(RequestIdGenerator, CoresAndProcessesDiffer) {
    RequestIdGenerator one(7, 0);
    RequestIdGenerator core(7, 1);
    RequestIdGenerator process(8, 0);
    std::unordered_set<RequestId, proxy::RequestIdHash> seen;
    for (int i = 0; i < 1000; ++i) {
        for (auto* generator : {&one, &core, &process})
            EXPECT_TRUE(seen.insert(generator->next()).second);
    }
    EXPECT_EQ(process.next().incarnation(), 8U);
}

TEST(RequestIdHash, SpreadsNeighbours) {
    RequestIdGenerator generator(1, 0);
    std::unordered_set<std::size_t> buckets;
    for (int i = 0; i < 4096; ++i) buckets.insert(proxy::RequestIdHash{}(generator.next()) >> 52);
    EXPECT_GT(buckets.size(), 1000U);
}

}  // namespace
