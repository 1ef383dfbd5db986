#include "tracker_script.hpp"

#include "protocol/capabilities.hpp"

#include <gtest/gtest.h>

#include <array>
#include <charconv>
#include <optional>
#include <stdexcept>

namespace proxy::testing {
namespace {

namespace status = protocol::status;
using protocol::ReplyEnd;
using rewrite::Kind;

struct Word {
    std::string_view text;
    Kind kind;
    bool named = false;
};

// Longer ones before those that they begin with.
constexpr std::array words{
    Word{"COMMIT AND CHAIN", Kind::commit},
    Word{"COMMIT", Kind::commit},
    Word{"ROLLBACK AND CHAIN", Kind::rollback},
    Word{"ROLLBACK", Kind::rollback},
    Word{"BEGIN", Kind::begin},
    Word{"SAVEPOINT", Kind::savepoint, true},
    Word{"TO", Kind::rollback_to, true},
    Word{"RELEASE", Kind::release_savepoint, true},
    Word{"XA", Kind::xa},
    Word{"CALL", Kind::opaque},
    Word{"USE", Kind::use_schema},
    Word{"EMPTY", Kind::empty},
    Word{"COM_RESET", Kind::other},
    Word{"DDL", Kind::other},
    Word{"SELECT", Kind::other},
    Word{"UPDATE", Kind::other},
    Word{"ON", Kind::other},
    Word{"OFF", Kind::other},
};

std::uint64_t to_number(std::string_view text) {
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || end != text.data() + text.size()) {
        throw std::invalid_argument("no number: " + std::string{text});
    }
    return number;
}

std::uint16_t named_status(std::string_view name) {
    if (name == "idle") return status::autocommit;
    if (name == "open") return status::autocommit | status::in_trans;
    if (name == "off") return 0;
    if (name == "off_open") return status::in_trans;
    throw std::invalid_argument("no status: " + std::string{name});
}

// Cuts " !code" or " =status" off the end of a step.
std::optional<std::string_view> cut(std::string_view& step, char mark) {
    const auto at = step.rfind(mark);
    if (at == std::string_view::npos || at == 0 || step[at - 1] != ' ') return std::nullopt;
    const auto found = step.substr(at + 1);
    step = step.substr(0, at - 1);
    return found;
}

std::string listed(const char* what, const std::vector<Reservation>& reservations) {
    if (reservations.empty()) return "";
    std::string text = std::string{" "} + what;
    for (const auto& reservation : reservations) {
        text += ' ' + std::to_string(number_of(reservation));
    }
    return text;
}

class Player {
public:
    Player() { tracker_.set_status(status_); }

    void step(std::string_view text) {
        if (text.front() == '+') {
            open();
            tracker_.set_status(status_);
            tracker_.add(numbered(to_number(text.substr(1))));
            return;
        }
        if (text == "LOST") {
            note(text, tracker_.on_lost());
            return;
        }
        const std::string_view whole = text;
        const auto code = cut(text, '!');
        const auto named = cut(text, '=');
        TransactionTracker::Command command;
        const Word& word = understand(text, command);
        ReplyEnd end;
        if (code) {
            end.how = ReplyEnd::How::err;
            end.code = static_cast<std::uint16_t>(to_number(*code));
        } else {
            follow(word.text);
            if (named) status_ = named_status(*named);
            end.has_status = true;
            end.status = status_;
        }
        note(whole, tracker_.on_reply(command, end));
    }

    [[nodiscard]] std::string result() const { return result_; }

private:
    void open() { status_ = static_cast<std::uint16_t>(status_ | status::in_trans); }
    void close() { status_ = static_cast<std::uint16_t>(status_ & ~status::in_trans); }

    static const Word& understand(std::string_view text, TransactionTracker::Command& command) {
        for (const auto& word : words) {
            const bool begins = text.substr(0, word.text.size()) == word.text;
            const auto rest = begins ? text.substr(word.text.size()) : std::string_view{};
            if (!begins || (!rest.empty() && (!word.named || rest.front() != ' '))) continue;
            command.kind = word.kind;
            command.chain = word.text.ends_with("CHAIN");
            command.resets_session = word.text == "COM_RESET";
            command.may_commit = word.text == "DDL";
            if (word.named) command.name = std::string{rest.substr(1)};
            return word;
        }
        throw std::invalid_argument("no step: " + std::string{text});
    }

    // What the statement does to the flags of a server.
    void follow(std::string_view word) {
        if (word == "BEGIN") open();
        if (word == "COMMIT" || word == "ROLLBACK" || word == "DDL") close();
        if (word == "COM_RESET") status_ = status::autocommit;
        if (word == "ON") status_ = status::autocommit;
        if (word == "OFF") status_ = static_cast<std::uint16_t>(status_ & ~status::autocommit);
        const bool reads = word == "SELECT" || word == "UPDATE";
        if (reads && (status_ & status::autocommit) == 0) open();
    }

    void note(std::string_view step, const TransactionEnds& ends) {
        if (ends.empty()) return;
        if (!result_.empty()) result_ += "; ";
        result_ += std::string{step} + ':' + listed("settled", ends.settled) +
                   listed("given_back", ends.given_back) + listed("unknown", ends.unknown);
    }

    TransactionTracker tracker_;
    std::uint16_t status_ = status::autocommit;
    std::string result_;
};

}  // namespace

Reservation numbered(std::uint64_t number) {
    Reservation reservation;
    for (std::size_t i = 0; i < 8; ++i) {
        reservation.id.bytes[15 - i] = static_cast<std::uint8_t>(number >> (8 * i));
    }
    reservation.units = 1;
    return reservation;
}

std::uint64_t number_of(const Reservation& reservation) {
    std::uint64_t number = 0;
    for (std::size_t i = 8; i < 16; ++i) number = number << 8 | reservation.id.bytes[i];
    return number;
}

std::string play(std::string_view script) {
    constexpr std::string_view separator = " | ";
    Player player;
    for (;;) {
        const auto at = script.find(separator);
        player.step(script.substr(0, at));
        if (at == std::string_view::npos) return player.result();
        script.remove_prefix(at + separator.size());
    }
}

}  // namespace proxy::testing
