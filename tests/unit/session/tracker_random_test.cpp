// The tracker against a model of the server, over random sessions. What it calls settled must be
// committed in the model, what it calls given back must be rolled back, and every booking ends
// exactly once. `unknown` is always allowed to be right, so a second kind of session, in which
// everything can be proved, allows none.
#include "tracker_script.hpp"
#include "transaction_model.hpp"

#include <gtest/gtest.h>

#include <array>
#include <random>

namespace proxy::testing {
namespace {

using protocol::ReplyEnd;
using rewrite::Kind;
using Command = TransactionTracker::Command;

// `complete` has the server's behaviour in full; without it what tracker_gaps_test.cpp lists does
// not happen.
enum class Server { without_gaps, complete };

class RandomSession {
public:
    explicit RandomSession(unsigned seed, Server server = Server::without_gaps)
        : random_(seed), complete_(server == Server::complete) {
        tracker_.set_status(model_.flags());
    }

    void provable_step() {
        switch (below(13)) {
            case 0:
                return begin();
            case 1:
                return commit();
            case 2:
                return rollback();
            case 3:
                return savepoint();
            case 4:
                return rollback_to();
            case 5:
                return release();
            case 6:
                return failing_insert();
            case 7:
                return read();
            case 8:
            case 9:
                if (!model_.open()) return begin();
                return book();
            default:
                return book();
        }
    }

    void hostile_step() {
        switch (below(40)) {
            case 0:
                return deadlock();
            case 1:
                return lock_wait_timeout();
            case 2:
                return implicit_commit();
            case 3:
                return failing_implicit_commit();
            case 4:
                return call();
            case 5:
                return set_autocommit();
            case 6:
                return failing_commit();
            case 7:
                return reset();
            case 8:
                return failing_begin();
            case 9:
                return lock_tables();
            default:
                return provable_step();
        }
    }

    void lose_connection() {
        // Whatever had no answer may have run; nothing had, so the server rolls back.
        model_.rollback();
        take(tracker_.on_lost());
    }

    [[nodiscard]] std::size_t booked() const { return booked_; }
    [[nodiscard]] std::size_t ended() const { return ended_.size(); }
    [[nodiscard]] std::size_t unknown() const { return unknown_; }
    [[nodiscard]] std::size_t proved() const { return ended_.size() - unknown_; }
    [[nodiscard]] const std::string& history() const { return history_; }

private:
    unsigned below(unsigned limit) { return static_cast<unsigned>(random_() % limit); }
    bool coin() { return below(2) == 0; }

    void ok(Command command = {}) {
        ReplyEnd end;
        end.has_status = true;
        end.status = model_.flags();
        take(tracker_.on_reply(command, end));
    }

    void err(std::uint16_t code, Command command = {}) {
        history_ += '!' + std::to_string(code) + ' ';
        ReplyEnd end;
        end.how = ReplyEnd::How::err;
        end.code = code;
        take(tracker_.on_reply(command, end));
    }

    static Command committing() {
        Command command;
        command.may_commit = true;
        return command;
    }

    static Command of(Kind kind) {
        Command command;
        command.kind = kind;
        return command;
    }

    Command named(Kind kind) {
        static constexpr std::array names{"a", "b", "c"};
        Command command = of(kind);
        command.name = names[below(3)];
        history_ += command.name + ' ';
        return command;
    }

    // As a session books: flags that an error made stale are asked for first, and only what is
    // part of the client's transaction is the tracker's.
    void book() {
        if (tracker_.status_is_stale()) tracker_.set_status(model_.flags());
        const bool in_transaction = model_.open() || !model_.autocommit();
        EXPECT_EQ(tracker_.in_transaction(), in_transaction);
        if (!in_transaction) return;
        const std::uint64_t number = ++booked_;
        history_ += '+' + std::to_string(number) + ' ';
        model_.book(number);
        tracker_.set_status(model_.flags());
        tracker_.add(numbered(number));
    }

    void begin() {
        history_ += "BEGIN ";
        hidden_end_ = false;
        model_.begin();
        ok(of(Kind::begin));
    }

    void commit() {
        history_ += "COMMIT ";
        const bool chain = model_.open() && below(3) == 0;
        hidden_end_ = false;
        model_.commit();
        if (chain) model_.begin();
        Command command = of(Kind::commit);
        command.chain = chain;
        ok(command);
    }

    void rollback() {
        history_ += "ROLLBACK ";
        const bool chain = model_.open() && below(3) == 0;
        hidden_end_ = false;
        model_.rollback();
        if (chain) model_.begin();
        Command command = of(Kind::rollback);
        command.chain = chain;
        ok(command);
    }

    void savepoint() {
        history_ += "SAVEPOINT ";
        const Command command = named(Kind::savepoint);
        model_.savepoint(command.name);
        ok(command);
    }

    void rollback_to() {
        history_ += "TO ";
        const Command command = named(Kind::rollback_to);
        if (model_.rollback_to(command.name)) {
            ok(command);
        } else {
            err(1305, command);
        }
    }

    void release() {
        history_ += "RELEASE ";
        const Command command = named(Kind::release_savepoint);
        if (model_.release(command.name)) {
            ok(command);
        } else {
            err(1305, command);
        }
    }

    void failing_insert() {
        history_ += "INSERT ";
        model_.write();
        err(1062);
    }

    void read() {
        history_ += "SELECT ";
        if (coin()) model_.write();  // of a table, or of none
        ok();
    }

    void deadlock() {
        if (hidden_end_ && !complete_) return;
        history_ += "UPDATE ";
        model_.rollback();
        err(1213);
    }

    void lock_wait_timeout() {
        history_ += "UPDATE ";
        model_.write();
        if (coin()) model_.rollback();  // innodb_rollback_on_timeout
        err(1205);
    }

    void implicit_commit() {
        history_ += "DDL ";
        model_.commit();
        ok(committing());
    }

    void failing_implicit_commit() {
        history_ += "DDL ";
        model_.commit();
        hidden_end_ = true;
        static constexpr std::array<std::uint16_t, 5> codes{1050, 1051, 1062, 1146, 1213};
        err(complete_ ? codes[below(5)] : codes[0], committing());
    }

    // Commits, and with autocommit off its OK comes out of the next transaction.
    void lock_tables() {
        if (!model_.autocommit() && !complete_) return;
        history_ += "LOCK ";
        model_.commit();
        model_.write();
        ok(committing());
    }

    void call() {
        history_ += "CALL ";
        const unsigned effect = below(5);
        hidden_end_ = true;
        if (effect == 0 || effect == 1) model_.commit();
        if (effect == 2 || effect == 3) model_.rollback();
        if (effect == 1 || effect == 3) model_.begin();
        if (coin()) model_.savepoint("a");
        if (coin()) {
            ok(of(Kind::opaque));
        } else {
            static constexpr std::array<std::uint16_t, 3> codes{1062, 1205, 1644};
            err(codes[below(3)], of(Kind::opaque));
        }
    }

    void set_autocommit() {
        const bool on = coin();
        history_ += on ? "ON " : "OFF ";
        model_.set_autocommit(on);
        ok();
    }

    void failing_commit() {
        history_ += "COMMIT ";
        if (coin()) {
            model_.commit();
        } else {
            model_.rollback();
        }
        err(coin() ? 1180 : 1213, of(Kind::commit));
    }

    void failing_begin() {
        history_ += "BEGIN ";
        hidden_end_ = true;
        if (coin()) model_.commit();
        err(1290, of(Kind::begin));
    }

    void reset() {
        history_ += "RESET ";
        model_.reset();
        Command command;
        command.resets_session = true;
        ok(command);
    }

    void end(const Reservation& reservation) {
        EXPECT_TRUE(ended_.insert(number_of(reservation)).second)
            << number_of(reservation) << " ended twice";
    }

    void take(const TransactionEnds& ends) {
        for (const auto& reservation : ends.settled) {
            end(reservation);
            EXPECT_TRUE(model_.is_committed(number_of(reservation)))
                << number_of(reservation) << " is settled, but not committed";
        }
        for (const auto& reservation : ends.given_back) {
            end(reservation);
            EXPECT_TRUE(model_.is_rolled_back(number_of(reservation)))
                << number_of(reservation) << " is given back, but not rolled back";
        }
        for (const auto& reservation : ends.unknown) end(reservation);
        unknown_ += ends.unknown.size();
    }

    std::mt19937 random_;
    TransactionModel model_;
    TransactionTracker tracker_;
    std::size_t booked_ = 0;
    std::set<std::uint64_t> ended_;
    std::size_t unknown_ = 0;
    std::string history_;
    bool complete_;
    bool hidden_end_ =
        false;  // a transaction may have ended since the last BEGIN, COMMIT, ROLLBACK
};

constexpr unsigned sessions = 3000;
constexpr int steps = 60;

TEST(TransactionRandom, ProvableEndsAreProved) {
    std::size_t proved = 0;
    for (unsigned seed = 1; seed <= sessions && !HasFailure(); ++seed) {
        RandomSession session(seed);
        for (int i = 0; i < steps; ++i) session.provable_step();
        EXPECT_EQ(session.unknown(), 0U);
        proved += session.proved();
        session.lose_connection();
        EXPECT_EQ(session.ended(), session.booked());
        if (HasFailure()) ADD_FAILURE() << "seed " << seed << ": " << session.history();
    }
    EXPECT_GT(proved, sessions);
}

void check_that_nothing_untrue_is_proved(Server server) {
    std::size_t proved = 0;
    for (unsigned seed = 1; seed <= sessions && !::testing::Test::HasFailure(); ++seed) {
        RandomSession session(seed, server);
        for (int i = 0; i < steps; ++i) session.hostile_step();
        proved += session.proved();
        session.lose_connection();
        EXPECT_EQ(session.ended(), session.booked());
        if (::testing::Test::HasFailure()) {
            ADD_FAILURE() << "seed " << seed << ": " << session.history();
        }
    }
    EXPECT_GT(proved, sessions);
}

TEST(TransactionRandom, NothingIsProvedThatIsNotSo) {
    check_that_nothing_untrue_is_proved(Server::without_gaps);
}

// See tracker_gaps_test.cpp.
TEST(TransactionRandom, NothingIsProvedThatIsNotSoOnACompleteServer) {
    check_that_nothing_untrue_is_proved(Server::complete);
}

}  // namespace
}  // namespace proxy::testing
