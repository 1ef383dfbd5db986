#pragma once
// The calls of one Redis connection, in order. Pure: no socket, no clock of its own; the link that
// owns it tells it what happened, all on one core. A call is
//   waiting    not yet given to the socket: ends as `not_sent`, safe to send again
//   written    given to the socket: the next reply that nobody else owns is its reply
//   abandoned  written, but its caller was told `unknown` at the deadline; keeps its place so that
//   the
//              replies behind it still match, and its late reply is dropped
//   done       answered; gone from here
// Only the queue knows which, and for the gate this difference is money.

#include "proxy/gate/resp.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace proxy {

enum class LinkOutcome : std::uint8_t {
    answered,  // by a reply, which may be an error reply
    not_sent,  // it never left this process
    unknown,   // sent, no reply in time: it may have run, or may yet
};

struct LinkReply {
    LinkOutcome outcome = LinkOutcome::not_sent;
    RespReply reply;
    std::chrono::microseconds duration{0};
};

// Whoever waits for a call. `finish` is called exactly once, and may start new calls.
class LinkWaiter {
public:
    virtual ~LinkWaiter() = default;
    virtual void finish(LinkReply reply) = 0;
};

class LinkQueue {
public:
    using Time = std::chrono::steady_clock::time_point;

    struct Call {
        std::string bytes;  // kept until the reply, for the one retry
        std::string key;    // bucket that an unclear end of this call makes dirty; empty: none
        std::unique_ptr<LinkWaiter> waiter;  // none: abandoned, or a call of the link itself
        Time started{};
        Time deadline{};
        bool abandoned = false;
        bool retried = false;

        void finish(LinkOutcome outcome, RespReply reply, Time now);
    };

    explicit LinkQueue(std::size_t length_max) noexcept : length_max_(length_max) {}

    // False: full, nothing was taken (the waiter stays with the caller).
    [[nodiscard]] bool push(Call& call);
    // For calls that were admitted once, and the link's own: never refused.
    void push_admitted(Call call);

    [[nodiscard]] bool has_waiting() const noexcept { return !waiting_.empty(); }
    // Appends the bytes of all waiting calls to `out`; they count as written from now on, even
    // when the write that follows fails half-way.
    void stage(std::string& out, Time now);

    // A reply came: the call it belongs to, which may be abandoned. Nothing: nobody asked.
    [[nodiscard]] std::optional<Call> take_answered();

    // Ends all whose deadline has passed: waiting as not_sent, written as unknown (abandoned).
    // Returns how many were given up.
    std::size_t expire(Time now);
    // When `expire` is next needed.
    [[nodiscard]] std::optional<Time> next_deadline() const;

    // The connection is gone: written calls end as unknown. Returns the keys of all calls whose
    // effect may still come or have come after their caller was told: the abandoned ones.
    std::vector<std::string> lose_written(Time now);
    // Nobody will connect soon: waiting calls end as not_sent.
    void refuse_waiting(Time now);

    // When the oldest call that is still owed a reply was written.
    [[nodiscard]] std::optional<Time> oldest_written() const;
    [[nodiscard]] std::size_t length() const noexcept { return waiting_.size() + written_.size(); }

private:
    std::size_t length_max_;
    std::deque<Call> waiting_;
    struct Written {
        Call call;
        Time at{};
    };
    std::deque<Written> written_;
};

}  // namespace proxy
