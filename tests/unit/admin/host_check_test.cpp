#include "proxy/admin/host_check.hpp"

#include <gtest/gtest.h>

namespace {

struct Case {
    const char* host;
    bool is_loopback;
};

class HostCheck : public testing::TestWithParam<Case> {};

TEST_P(HostCheck, tells_loopback_from_the_rest) {
    EXPECT_EQ(proxy::is_loopback_host(GetParam().host), GetParam().is_loopback) << GetParam().host;
}

INSTANTIATE_TEST_SUITE_P(
    accepted,
    HostCheck,
    testing::Values(
        Case{"localhost", true},
        Case{"LocalHost", true},
        Case{"localhost:6080", true},
        Case{"localhost:", true},  // an empty port is allowed by the grammar of URIs
        Case{"127.0.0.1", true},
        Case{"127.0.0.1:6080", true},
        Case{"127.255.3.4:1", true},
        Case{"[::1]", true},
        Case{"[::1]:6080", true},
        Case{"[::ffff:127.0.0.1]:6080", true}
    )
);

INSTANTIATE_TEST_SUITE_P(
    refused,
    HostCheck,
    testing::Values(
        Case{"", false},
        Case{":6080", false},
        Case{"evil.example", false},
        Case{"evil.example:6080", false},
        Case{"localhost.evil.example", false},
        Case{"evil-localhost", false},
        Case{"localhost@evil.example", false},
        Case{"127.0.0.1.evil.example", false},
        Case{"127.0.0.1 evil.example", false},
        Case{"192.168.0.1", false},
        Case{"0.0.0.0", false},
        Case{"[::]", false},
        Case{"[fe80::1]:6080", false},
        Case{"[::1%1]", false},
        Case{"[::ffff:10.0.0.1]", false},
        Case{"[::1", false},
        Case{"[::1]evil", false},
        Case{"::1", false},
        Case{"localhost:abc", false},
        Case{"localhost:1234567", false}
    )
);

}  // namespace
