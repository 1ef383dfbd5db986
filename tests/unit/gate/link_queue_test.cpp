// Exchanges with the queue, written as dialogues: what the link tells it, what callers hear.
#include "proxy/gate/link_queue.hpp"

#include <gtest/gtest.h>

#include <functional>

namespace proxy {
namespace {

using namespace std::chrono_literals;
using Time = LinkQueue::Time;

const Time start{};

struct Heard {
    std::string name;
    LinkOutcome outcome = LinkOutcome::not_sent;
    std::string text;
    bool operator==(const Heard&) const = default;
};

void PrintTo(const Heard& heard, std::ostream* out) {
    *out << heard.name << ' ' << static_cast<int>(heard.outcome) << ' ' << heard.text;
}

using Log = std::vector<Heard>;

class RecordingWaiter final : public LinkWaiter {
public:
    RecordingWaiter(std::string name, Log& log, std::function<void()> then)
        : name_(std::move(name)), log_(&log), then_(std::move(then)) {}
    void finish(LinkReply reply) override {
        log_->push_back(Heard{name_, reply.outcome, std::string(reply.reply.value().text())});
        if (then_) then_();
    }

private:
    std::string name_;
    Log* log_;
    std::function<void()> then_;
};

class LinkQueueTest : public ::testing::Test {
protected:
    LinkQueue::Call make(const std::string& name, std::chrono::milliseconds deadline) {
        LinkQueue::Call call;
        call.bytes = "<" + name + ">";
        call.key = "key:" + name;
        call.started = start;
        call.deadline = start + deadline;
        call.waiter = std::make_unique<RecordingWaiter>(name, log_, nullptr);
        return call;
    }
    bool push(const std::string& name, std::chrono::milliseconds deadline = 300ms) {
        auto call = make(name, deadline);
        return queue_.push(call);
    }
    std::string stage(Time now = start) {
        std::string bytes;
        queue_.stage(bytes, now);
        return bytes;
    }
    // A reply as the link handles it; true: it belonged to somebody who still waited.
    bool reply(const std::string& text) {
        RespReader reader;
        reader.feed("+" + text + "\r\n");
        auto answered = queue_.take_answered();
        if (!answered || answered->abandoned) return false;
        answered->finish(LinkOutcome::answered, reader.next(), start);
        return true;
    }

    Log log_;
    LinkQueue queue_{4};
};

TEST_F(LinkQueueTest, RepliesMatchCallsByOrder) {
    EXPECT_TRUE(push("a"));
    EXPECT_TRUE(push("b"));
    EXPECT_EQ(stage(), "<a><b>");
    EXPECT_TRUE(push("c"));
    EXPECT_TRUE(reply("one"));
    EXPECT_EQ(stage(), "<c>");
    EXPECT_TRUE(reply("two"));
    EXPECT_TRUE(reply("three"));
    const Log expected{
        {"a", LinkOutcome::answered, "one"},
        {"b", LinkOutcome::answered, "two"},
        {"c", LinkOutcome::answered, "three"}};
    EXPECT_EQ(log_, expected);
    EXPECT_EQ(queue_.length(), 0U);
}

TEST_F(LinkQueueTest, ReplyThatNobodyAskedForIsSeen) {
    EXPECT_FALSE(queue_.take_answered().has_value());
    push("a");  // waiting is not asking
    EXPECT_FALSE(queue_.take_answered().has_value());
}

TEST_F(LinkQueueTest, FullRefusesAndLeavesTheCallWithItsOwner) {
    for (const auto* name : {"a", "b", "c"}) EXPECT_TRUE(push(name));
    stage();
    EXPECT_TRUE(push("d"));
    auto call = make("e", 300ms);
    EXPECT_FALSE(queue_.push(call));
    ASSERT_NE(call.waiter, nullptr);
    call.finish(LinkOutcome::not_sent, {}, start);
    const Log expected{{"e", LinkOutcome::not_sent, ""}};
    EXPECT_EQ(log_, expected);
    EXPECT_TRUE(reply("one"));
    EXPECT_TRUE(push("f"));
}

TEST_F(LinkQueueTest, DeadlineOfAWaitingCallIsNotSent) {
    push("a", 100ms);
    push("b", 200ms);
    EXPECT_EQ(queue_.expire(start + 99ms), 0U);
    EXPECT_EQ(queue_.expire(start + 100ms), 1U);
    const Log expected{{"a", LinkOutcome::not_sent, ""}};
    EXPECT_EQ(log_, expected);
    EXPECT_EQ(stage(), "<b>");
}

TEST_F(LinkQueueTest, DeadlineOfAWrittenCallIsUnknownAndKeepsItsPlace) {
    push("a", 100ms);
    push("b", 200ms);
    stage();
    EXPECT_EQ(queue_.expire(start + 150ms), 1U);
    EXPECT_EQ(queue_.length(), 2U);
    EXPECT_EQ(queue_.expire(start + 160ms), 0U) << "nobody is told twice";
    EXPECT_FALSE(reply("late one"));
    EXPECT_TRUE(reply("two"));
    const Log expected{{"a", LinkOutcome::unknown, ""}, {"b", LinkOutcome::answered, "two"}};
    EXPECT_EQ(log_, expected);
}

TEST_F(LinkQueueTest, AbandonedCallsCountForTheLimit) {
    for (const auto* name : {"a", "b", "c", "d"}) push(name, 100ms);
    stage();
    EXPECT_EQ(queue_.expire(start + 100ms), 4U);
    EXPECT_FALSE(push("e"));
    EXPECT_FALSE(reply("late"));
    EXPECT_TRUE(push("e"));
}

TEST_F(LinkQueueTest, LossIsUnknownForWrittenAndLeavesWaitingAlone) {
    push("a", 100ms);
    push("b");
    stage();
    push("c");
    queue_.expire(start + 100ms);
    const std::vector<std::string> keys{"key:a"};
    EXPECT_EQ(queue_.lose_written(start), keys) << "the abandoned call is over only now";
    const Log expected{{"a", LinkOutcome::unknown, ""}, {"b", LinkOutcome::unknown, ""}};
    EXPECT_EQ(log_, expected);
    EXPECT_EQ(stage(), "<c>") << "sent on the next connection";
    EXPECT_TRUE(reply("three"));
}

TEST_F(LinkQueueTest, RefuseEndsWaitingOnly) {
    push("a");
    stage();
    push("b");
    queue_.refuse_waiting(start);
    const Log expected{{"b", LinkOutcome::not_sent, ""}};
    EXPECT_EQ(log_, expected);
    EXPECT_TRUE(reply("one"));
}

TEST_F(LinkQueueTest, StagedCountsAsWrittenThoughTheWriteMayFail) {
    push("a");
    stage();
    queue_.lose_written(start);
    const Log expected{{"a", LinkOutcome::unknown, ""}};
    EXPECT_EQ(log_, expected);
}

TEST_F(LinkQueueTest, RetriedCallKeepsItsDeadlineBehindYoungerOnes) {
    push("a", 100ms);
    push("b", 300ms);
    stage();
    auto again = queue_.take_answered();
    ASSERT_TRUE(again.has_value());
    again->retried = true;
    queue_.push_admitted(std::move(*again));
    EXPECT_EQ(queue_.next_deadline(), start + 100ms);
    EXPECT_EQ(stage(), "<a>");
    EXPECT_EQ(queue_.expire(start + 100ms), 1U);
    EXPECT_TRUE(reply("two"));
    EXPECT_FALSE(reply("late one"));
    const Log expected{{"a", LinkOutcome::unknown, ""}, {"b", LinkOutcome::answered, "two"}};
    EXPECT_EQ(log_, expected);
}

TEST_F(LinkQueueTest, OwnCallsHaveNoDeadlineAndSurviveExpiry) {
    LinkQueue::Call own;
    own.bytes = "<load>";
    queue_.push_admitted(std::move(own));
    push("a", 100ms);
    EXPECT_EQ(queue_.expire(start + 1h), 1U);
    EXPECT_EQ(stage(), "<load>");
    EXPECT_FALSE(queue_.next_deadline().has_value());
    const auto answered = queue_.take_answered();
    ASSERT_TRUE(answered.has_value());
    EXPECT_FALSE(answered->abandoned);
    EXPECT_EQ(answered->waiter, nullptr);
}

TEST_F(LinkQueueTest, NextDeadlineAndOldestWritten) {
    EXPECT_FALSE(queue_.next_deadline().has_value());
    EXPECT_FALSE(queue_.oldest_written().has_value());
    push("a", 200ms);
    push("b", 100ms);
    EXPECT_EQ(queue_.next_deadline(), start + 100ms);
    EXPECT_FALSE(queue_.oldest_written().has_value());
    stage(start + 7ms);
    EXPECT_EQ(queue_.oldest_written(), start + 7ms);
    queue_.expire(start + 150ms);
    EXPECT_EQ(queue_.next_deadline(), start + 200ms);
    EXPECT_EQ(queue_.oldest_written(), start + 7ms) << "still owed, though abandoned";
}

// Whatever ends a call, its owner may start another one from inside.
TEST_F(LinkQueueTest, WaitersMayPushWhileTheyAreTold) {
    const auto push_next = [this] { push("next"); };
    const auto make_eager = [this, &push_next](const std::string& name) {
        auto call = make(name, 100ms);
        call.waiter = std::make_unique<RecordingWaiter>(name, log_, push_next);
        return call;
    };
    auto first = make_eager("first");
    ASSERT_TRUE(queue_.push(first));
    queue_.expire(start + 100ms);
    EXPECT_EQ(stage(), "<next>");
    auto second = make_eager("second");
    ASSERT_TRUE(queue_.push(second));
    EXPECT_EQ(stage(), "<second>");
    queue_.lose_written(start);
    EXPECT_EQ(stage(), "<next>");
    auto third = make_eager("third");
    ASSERT_TRUE(queue_.push(third));
    queue_.refuse_waiting(start);
    EXPECT_EQ(stage(), "<next>");
}

// An end at every step of a life: each call is told exactly once, whatever comes when.
TEST_F(LinkQueueTest, LossAtEveryStepTellsEveryCallerOnce) {
    constexpr int steps = 7;
    for (int lost_at = 0; lost_at <= steps; ++lost_at) {
        log_.clear();
        LinkQueue queue(10);
        std::string bytes;
        const auto step = [&](int number) {
            auto call = make("call" + std::to_string(number), number % 2 == 0 ? 50ms : 500ms);
            switch (number) {
                case 2:
                    queue.stage(bytes, start);
                    break;
                case 4:
                    queue.expire(start + 60ms);
                    break;
                case 5:
                    queue.stage(bytes, start);
                    break;
                case 6:
                    if (auto answered = queue.take_answered(); answered && !answered->abandoned) {
                        answered->finish(LinkOutcome::answered, {}, start);
                    }
                    break;
                default:
                    EXPECT_TRUE(queue.push(call));
            }
        };
        std::size_t pushed = 0;
        for (int number = 0; number < lost_at; ++number) {
            step(number);
            if (number == 0 || number == 1 || number == 3) ++pushed;
        }
        queue.lose_written(start);
        queue.refuse_waiting(start);
        EXPECT_EQ(log_.size(), pushed) << "lost at step " << lost_at;
        EXPECT_EQ(queue.length(), 0U);
    }
}

}  // namespace
}  // namespace proxy
