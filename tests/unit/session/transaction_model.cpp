#include "transaction_model.hpp"

#include "protocol/capabilities.hpp"

#include <algorithm>

namespace proxy::testing {

namespace status = protocol::status;

std::uint16_t TransactionModel::flags() const {
    const unsigned open = open_ ? status::in_trans : 0U;
    const unsigned autocommit = autocommit_ ? status::autocommit : 0U;
    return static_cast<std::uint16_t>(open | autocommit);
}

void TransactionModel::write() {
    if (!autocommit_) open_ = true;
}

void TransactionModel::book(std::uint64_t number) {
    write();
    pending_.push_back(number);
}

void TransactionModel::begin() {
    commit();
    open_ = true;
}

void TransactionModel::commit() {
    committed_.insert(pending_.begin(), pending_.end());
    pending_.clear();
    savepoints_.clear();
    open_ = false;
}

void TransactionModel::rollback() {
    rolled_back_.insert(pending_.begin(), pending_.end());
    pending_.clear();
    savepoints_.clear();
    open_ = false;
}

void TransactionModel::set_autocommit(bool on) {
    if (on && !autocommit_) commit();
    autocommit_ = on;
}

std::vector<TransactionModel::Savepoint>::iterator TransactionModel::find(const std::string& name) {
    return std::find_if(savepoints_.begin(), savepoints_.end(), [&](const Savepoint& savepoint) {
        return savepoint.name == name;
    });
}

void TransactionModel::savepoint(const std::string& name) {
    // Outside a transaction it ends with its own statement.
    if (autocommit_ && !open_) return;
    if (const auto found = find(name); found != savepoints_.end()) savepoints_.erase(found);
    savepoints_.push_back({name, pending_.size()});
}

bool TransactionModel::rollback_to(const std::string& name) {
    const auto found = find(name);
    if (found == savepoints_.end()) return false;
    const auto kept = static_cast<std::ptrdiff_t>(found->pending);
    rolled_back_.insert(pending_.begin() + kept, pending_.end());
    pending_.resize(found->pending);
    savepoints_.erase(found + 1, savepoints_.end());
    return true;
}

bool TransactionModel::release(const std::string& name) {
    const auto found = find(name);
    if (found == savepoints_.end()) return false;
    savepoints_.erase(found, savepoints_.end());
    return true;
}

void TransactionModel::reset() {
    rollback();
    autocommit_ = true;
}

}  // namespace proxy::testing
