#include "proxy/services/subject_log_limit.hpp"

#include <gtest/gtest.h>

namespace proxy {
namespace {

using std::chrono::seconds;

TEST(SubjectLogLimit, OneLinePerSubjectAndInterval) {
    SubjectLogLimit limit(seconds{10});
    const std::chrono::steady_clock::time_point start{};
    EXPECT_TRUE(limit.allows("a", start));
    EXPECT_TRUE(limit.allows("b", start));
    EXPECT_FALSE(limit.allows("a", start + seconds{9}));
    EXPECT_TRUE(limit.allows("a", start + seconds{10}));
    EXPECT_FALSE(limit.allows("a", start + seconds{19}));
}

}  // namespace
}  // namespace proxy
