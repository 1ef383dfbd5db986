#include "tests/unit/gate/bucket_cases.hpp"

#include <gtest/gtest.h>

namespace proxy::testing {
namespace {

constexpr auto reserve = BucketCall::reserve;
constexpr auto forced = BucketCall::reserve_forced;
constexpr auto settle = BucketCall::settle;
constexpr auto release = BucketCall::release;
constexpr auto credit = BucketCall::credit;
constexpr auto rebuild = BucketCall::rebuild;
constexpr auto rebuild_refused = BucketCall::rebuild_refused;
constexpr auto remove_key = BucketCall::remove;

constexpr auto done = BucketCode::done;
constexpr auto insufficient = BucketCode::insufficient;
constexpr auto missing = BucketCode::missing;
constexpr auto damaged = BucketCode::damaged;

std::vector<BucketCase> make_cases() {
    return {
        {"nothing_exists",
         {{reserve, 1, 1, missing, {}, 0},
          {forced, 1, 1, missing, {}, 0},
          {settle, 1, 0, missing, {}, 0},
          {release, 1, 0, missing, {}, 0},
          {credit, 0, 5, missing, {}, 0},
          {remove_key, 0, 0, done, {}, 0}}},
        {"reserve_and_settle",
         {{rebuild, 0, 10, done, 10, 0},
          {reserve, 1, 3, done, 7, 3},
          {settle, 1, 0, done, 7, 0},
          {settle, 1, 0, done, 7, 0},
          {release, 1, 0, done, 7, 0}}},
        {"reserve_and_release",
         {{rebuild, 0, 10, done, 10, 0},
          {reserve, 1, 3, done, 7, 3},
          {release, 1, 0, done, 10, 0},
          {release, 1, 0, done, 10, 0},
          {settle, 1, 0, done, 10, 0}}},
        {"repeat_takes_nothing_twice",
         {{rebuild, 0, 10, done, 10, 0},
          {reserve, 1, 4, done, 6, 4},
          {reserve, 1, 4, done, 6, 4},
          {forced, 1, 4, done, 6, 4},
          {reserve, 1, 9, done, 6, 4}}},
        {"repeat_is_granted_though_nothing_is_left",
         {{rebuild, 0, 4, done, 4, 0}, {reserve, 1, 4, done, 0, 4}, {reserve, 1, 4, done, 0, 4}}},
        {"refusal_changes_nothing",
         {{rebuild, 0, 3, done, 3, 0},
          {reserve, 1, 4, insufficient, 3, 0},
          {reserve, 1, 4, insufficient, 3, 0},
          {release, 1, 0, done, 3, 0},
          {reserve, 2, 3, done, 0, 3},
          {reserve, 3, 1, insufficient, 0, 3}}},
        {"forced_goes_below_zero",
         {{rebuild, 0, 3, done, 3, 0},
          {forced, 1, 5, done, -2, 5},
          {reserve, 2, 1, insufficient, -2, 5},
          {reserve, 3, 0, insufficient, -2, 5},
          {release, 1, 0, done, 3, 0}}},
        {"zero_units",
         {{rebuild, 0, 0, done, 0, 0}, {reserve, 1, 0, done, 0, 0}, {release, 1, 0, done, 0, 0}}},
        {"credit_is_not_idempotent",
         {{rebuild, 0, 1, done, 1, 0}, {credit, 0, 2, done, 3, 0}, {credit, 0, 2, done, 5, 0}}},
        {"rebuild_keeps_what_is_open",
         {{rebuild, 0, 10, done, 10, 0},
          {reserve, 1, 3, done, 7, 3},
          {reserve, 2, 2, done, 5, 5},
          {rebuild, 1, 7, done, 5, 2},
          {rebuild, 1, 7, done, 5, 2},
          {rebuild, 0, 20, done, 18, 2},
          {release, 2, 0, done, 20, 0}}},
        {"rebuild_may_leave_less_than_nothing",
         {{rebuild, 0, 10, done, 10, 0},
          {reserve, 1, 8, done, 2, 8},
          {rebuild, 0, 5, done, -3, 8},
          {release, 1, 0, done, 5, 0}}},
        {"late_ends_after_a_rebuild_change_nothing",
         {{rebuild, 0, 10, done, 10, 0},
          {reserve, 1, 3, done, 7, 3},
          {rebuild, 1, 10, done, 10, 0},
          {release, 1, 0, done, 10, 0},
          {settle, 1, 0, done, 10, 0}}},
        {"removed_is_missing",
         {{rebuild, 0, 10, done, 10, 0},
          {reserve, 1, 3, done, 7, 3},
          {remove_key, 0, 0, done, {}, 0},
          {reserve, 2, 1, missing, {}, 0},
          {rebuild, 0, 7, done, 7, 0}}},
        {"the_largest_numbers",
         {{rebuild, 0, units_max, done, units_max, 0},
          {credit, 0, 1, damaged, units_max, 0},
          {reserve, 1, units_max, done, 0, units_max},
          {forced, 2, units_max, done, -units_max, 0},
          {forced, 3, 1, damaged, -units_max, 0},
          {release, 2, 0, done, 0, units_max},
          {credit, 0, 1, done, 1, units_max},
          {release, 1, 0, damaged, 1, units_max}}},
        {"numbers_that_no_bucket_can_hold",
         {{rebuild_refused, 0, units_max + 1, done, {}, 0},
          {rebuild_refused, 0, -1, done, {}, 0},
          {rebuild, 0, 5, done, 5, 0},
          {rebuild_refused, 0, units_max + 1, done, 5, 0},
          {reserve, 1, units_max + 1, insufficient, 5, 0}}},
    };
}

struct Outcome {
    BucketCode code = BucketCode::done;
    std::optional<std::int64_t> left;
};

Outcome perform(BucketSubject& subject, const std::string& key, const BucketStep& step) {
    const RequestId id = numbered_id(step.id);
    Outcome outcome;
    switch (step.call) {
        case BucketCall::reserve:
        case BucketCall::reserve_forced: {
            const auto reply =
                subject.reserve(key, id, step.units, step.call == BucketCall::reserve_forced);
            outcome.code = reply.code;
            const bool has_left = reply.code == done || reply.code == insufficient;
            if (has_left && is_valid_units(step.units)) outcome.left = reply.left;
            break;
        }
        case BucketCall::settle:
            outcome.code = subject.settle(key, id).code;
            break;
        case BucketCall::release:
            outcome.code = subject.release(key, id).code;
            break;
        case BucketCall::credit:
            outcome.code = subject.credit(key, step.units).code;
            break;
        case BucketCall::rebuild:
        case BucketCall::rebuild_refused: {
            std::vector<RequestId> settled;
            if (step.id != 0) settled.push_back(id);
            EXPECT_EQ(subject.rebuild(key, step.units, settled), step.call == BucketCall::rebuild);
            break;
        }
        case BucketCall::remove:
            subject.remove(key);
            break;
    }
    return outcome;
}

}  // namespace

const std::vector<BucketCase>& bucket_cases() {
    static const std::vector<BucketCase> cases = make_cases();
    return cases;
}

RequestId numbered_id(std::uint32_t number) {
    RequestId id;
    for (std::size_t i = 0; i < 4; ++i) {
        id.bytes[12 + i] = static_cast<std::uint8_t>(number >> (24 - 8 * i));
    }
    id.bytes[0] = 0xab;  // letters in the hex form
    return id;
}

void run_bucket_case(BucketSubject& subject, const BucketCase& bucket_case) {
    const std::string key = std::string("stock:t_stock:") + bucket_case.name + ":0";
    for (std::size_t i = 0; i < bucket_case.steps.size(); ++i) {
        const auto& step = bucket_case.steps[i];
        const ::testing::ScopedTrace trace(
            __FILE__, __LINE__, std::string(bucket_case.name) + " step " + std::to_string(i)
        );
        const Outcome outcome = perform(subject, key, step);
        EXPECT_EQ(static_cast<int>(outcome.code), static_cast<int>(step.code));
        if (outcome.left) {
            EXPECT_EQ(*outcome.left, step.left.value_or(-1));
        }
        const BucketState state = subject.read(key);
        EXPECT_EQ(state.exists, step.left.has_value());
        if (step.left) {
            EXPECT_EQ(state.left, *step.left);
        }
        // The largest numbers are about `left`.
        if (std::string_view(bucket_case.name) == "the_largest_numbers") continue;
        std::int64_t reserved = 0;
        for (const auto& reservation : state.reservations) reserved += reservation.units;
        EXPECT_EQ(reserved, step.reserved);
    }
}

}  // namespace proxy::testing
