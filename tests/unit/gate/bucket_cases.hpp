#pragma once
// What every gate must answer, as a table of scripts of calls. One suite for all: the local gate
// runs it in the unit tests, the Lua scripts run it against a real server in the integration tests.

#include "proxy/gate/gate_codec.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace proxy::testing {

enum class BucketCall : std::uint8_t {
    reserve,
    reserve_forced,
    settle,
    release,
    credit,
    rebuild,          // units: the remainder; id: dropped when it is not 0
    rebuild_refused,  // the same, and the gate must refuse it
    remove,
};

struct BucketStep {
    BucketCall call;
    std::uint8_t id = 0;  // number of the reservation, 0: none
    std::int64_t units = 0;
    BucketCode code = BucketCode::done;
    // The state that a read must show afterwards; no `left`: the bucket does not exist.
    std::optional<std::int64_t> left;
    std::int64_t reserved = 0;
};

struct BucketCase {
    const char* name;
    std::vector<BucketStep> steps;
};

[[nodiscard]] const std::vector<BucketCase>& bucket_cases();

class BucketSubject {
public:
    virtual ~BucketSubject() = default;
    virtual BucketReply reserve(
        const std::string& key, const RequestId& id, std::int64_t units, bool forced
    ) = 0;
    virtual BucketReply settle(const std::string& key, const RequestId& id) = 0;
    virtual BucketReply release(const std::string& key, const RequestId& id) = 0;
    virtual BucketReply credit(const std::string& key, std::int64_t units) = 0;
    virtual bool rebuild(
        const std::string& key, std::int64_t remainder, const std::vector<RequestId>& settled
    ) = 0;
    virtual BucketState read(const std::string& key) = 0;
    virtual void remove(const std::string& key) = 0;
};

[[nodiscard]] RequestId numbered_id(std::uint32_t number);

// Runs one case on a bucket of its own, with GoogleTest expectations at every step.
void run_bucket_case(BucketSubject& subject, const BucketCase& bucket_case);

}  // namespace proxy::testing
