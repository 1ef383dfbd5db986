#pragma once
// What a MySQL server does with the transaction of one connection, as far as its bookings go: a
// list of numbers that are pending, committed or rolled back, and savepoints. Independent of the
// tracker that it judges.

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace proxy::testing {

class TransactionModel {
public:
    [[nodiscard]] std::uint16_t flags() const;
    [[nodiscard]] bool open() const { return open_; }
    [[nodiscard]] bool autocommit() const { return autocommit_; }

    // A statement that writes: opens a transaction with autocommit off.
    void write();
    void book(std::uint64_t number);
    void begin();
    void commit();
    void rollback();
    void set_autocommit(bool on);
    void savepoint(const std::string& name);
    // False: the server has no such savepoint (error 1305).
    [[nodiscard]] bool rollback_to(const std::string& name);
    [[nodiscard]] bool release(const std::string& name);
    void reset();

    [[nodiscard]] bool is_committed(std::uint64_t number) const {
        return committed_.contains(number);
    }
    [[nodiscard]] bool is_rolled_back(std::uint64_t number) const {
        return rolled_back_.contains(number);
    }

private:
    struct Savepoint {
        std::string name;
        std::size_t pending;
    };
    [[nodiscard]] std::vector<Savepoint>::iterator find(const std::string& name);

    std::vector<std::uint64_t> pending_;
    std::vector<Savepoint> savepoints_;
    std::set<std::uint64_t> committed_;
    std::set<std::uint64_t> rolled_back_;
    bool open_ = false;
    bool autocommit_ = true;
};

}  // namespace proxy::testing
