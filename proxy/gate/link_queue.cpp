#include "proxy/gate/link_queue.hpp"

#include <utility>

namespace proxy {

void LinkQueue::Call::finish(LinkOutcome outcome, RespReply reply, Time now) {
    if (!waiter) return;
    // Moved out first: the waiter may start a new call, or end the link.
    const auto owner = std::move(waiter);
    LinkReply result;
    result.outcome = outcome;
    result.reply = std::move(reply);
    result.duration = std::chrono::duration_cast<std::chrono::microseconds>(now - started);
    owner->finish(std::move(result));
}

bool LinkQueue::push(Call& call) {
    if (length() >= length_max_) return false;
    waiting_.push_back(std::move(call));
    return true;
}

void LinkQueue::push_admitted(Call call) {
    waiting_.push_back(std::move(call));
}

void LinkQueue::stage(std::string& out, Time now) {
    for (auto& call : waiting_) {
        out += call.bytes;
        written_.push_back(Written{std::move(call), now});
    }
    waiting_.clear();
}

std::optional<LinkQueue::Call> LinkQueue::take_answered() {
    if (written_.empty()) return std::nullopt;
    std::optional<Call> call(std::move(written_.front().call));
    written_.pop_front();
    return call;
}

std::size_t LinkQueue::expire(Time now) {
    // Collected first, told afterwards: a waiter may push.
    std::vector<Call> late;
    for (auto& written : written_) {
        if (!written.call.waiter || written.call.deadline > now) continue;
        Call told;
        told.waiter = std::move(written.call.waiter);
        told.started = written.call.started;
        written.call.abandoned = true;
        late.push_back(std::move(told));
    }
    const std::size_t written_count = late.size();
    std::deque<Call> kept;
    for (auto& call : waiting_) {
        if (call.waiter && call.deadline <= now) {
            late.push_back(std::move(call));
        } else {
            kept.push_back(std::move(call));
        }
    }
    waiting_.swap(kept);
    for (std::size_t i = 0; i < late.size(); ++i) {
        late[i].finish(i < written_count ? LinkOutcome::unknown : LinkOutcome::not_sent, {}, now);
    }
    return late.size();
}

std::optional<LinkQueue::Time> LinkQueue::next_deadline() const {
    std::optional<Time> next;
    const auto consider = [&next](const Call& call) {
        if (call.waiter && (!next || call.deadline < *next)) next = call.deadline;
    };
    for (const auto& written : written_) consider(written.call);
    for (const auto& call : waiting_) consider(call);
    return next;
}

std::vector<std::string> LinkQueue::lose_written(Time now) {
    auto lost = std::exchange(written_, {});
    std::vector<std::string> keys;
    for (auto& written : lost) {
        if (written.call.abandoned && !written.call.key.empty()) {
            keys.push_back(std::move(written.call.key));
        }
    }
    for (auto& written : lost) written.call.finish(LinkOutcome::unknown, {}, now);
    return keys;
}

void LinkQueue::refuse_waiting(Time now) {
    auto refused = std::exchange(waiting_, {});
    for (auto& call : refused) call.finish(LinkOutcome::not_sent, {}, now);
}

std::optional<LinkQueue::Time> LinkQueue::oldest_written() const {
    if (written_.empty()) return std::nullopt;
    return written_.front().at;
}

}  // namespace proxy
