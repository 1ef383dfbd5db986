#include "proxy/sql/sql_pool.hpp"

#include <algorithm>
#include <utility>

namespace proxy {

// A task's place in the queue. A freed slot is handed to the first in line, so that nobody who
// comes later can take it; if that task is gone by then, its place passes the slot on.
struct SqlPool::Place {
    Place(SqlPool& pool_, const boost::asio::any_io_executor& executor)
        : pool(pool_), called(executor) {
        pool.waiting_.push_back(this);
    }
    ~Place() {
        if (granted) {
            if (!used) pool.free_slot();
            return;
        }
        auto& queue = pool.waiting_;
        queue.erase(std::remove(queue.begin(), queue.end(), this), queue.end());
    }
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;

    SqlPool& pool;
    Event called;
    bool granted = false;
    bool used = false;
};

SqlPool::SqlPool(
    const boost::asio::any_io_executor& executor, SqlAccount account, std::size_t size_max
)
    : executor_(executor),
      account_(std::move(account)),
      size_max_(std::max<std::size_t>(size_max, 1)) {}

void SqlPool::free_slot() noexcept {
    if (waiting_.empty()) {
        --leased_;
        return;
    }
    Place* first = waiting_.front();
    waiting_.pop_front();
    first->granted = true;
    first->called.notify();
}

SqlPool::Lease::Lease(Lease&& other) noexcept
    : pool_(std::exchange(other.pool_, nullptr)), link_(std::move(other.link_)) {}

SqlPool::Lease& SqlPool::Lease::operator=(Lease&& other) noexcept {
    if (this != &other) {
        give_back();
        pool_ = std::exchange(other.pool_, nullptr);
        link_ = std::move(other.link_);
    }
    return *this;
}

SqlPool::Lease::~Lease() {
    give_back();
}

void SqlPool::Lease::give_back() noexcept {
    if (!pool_) return;
    if (link_ && link_->usable() && !link_->in_transaction()) {
        pool_->idle_.push_back(std::move(link_));
    }
    link_.reset();  // anything else is closed: the server rolls its transaction back
    std::exchange(pool_, nullptr)->free_slot();
}

Task<SqlPool::Lease> SqlPool::lease(SqlError& error) {
    error = SqlError{};
    if (leased_ < size_max_) {
        ++leased_;
    } else {
        Place place(*this, executor_);
        co_await place.called.wait_for(account_.timeout);
        if (!place.granted) {
            error.code = sql_error_local;
            error.sql_state = "HY000";
            error.message = "no ledger connection became free within " +
                            std::to_string(account_.timeout.count()) + " ms";
            co_return Lease{};
        }
        place.used = true;
    }
    // From here on the lease owns the slot, also if this task is destroyed while connecting.
    Lease taken(this, nullptr);
    std::unique_ptr<SqlLink> link;
    while (!link && !idle_.empty()) {
        link = std::move(idle_.back());
        idle_.pop_back();
        if (!link->usable()) link.reset();
    }
    if (!link) {
        link = std::make_unique<SqlLink>(executor_, account_);
        error = co_await link->connect();
        if (error) co_return Lease{};
    }
    taken.link_ = std::move(link);
    co_return taken;
}

Task<SqlReply> SqlPool::query(const std::string& sql) {
    SqlReply reply;
    auto leased = co_await lease(reply.error);
    if (reply.error) co_return reply;
    reply = co_await leased->query(sql);
    co_return reply;
}

}  // namespace proxy
