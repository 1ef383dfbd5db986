#pragma once
// A few SqlLinks of one core (or of the control context). Bounded; waiters queue in order and wait
// at most the account's timeout; a broken link is replaced on the next lease. Leased links are
// returned by Lease's destructor. The pool must outlive its leases and the tasks that wait for one.

#include "proxy/runtime/event.hpp"
#include "proxy/sql/sql_link.hpp"

#include <deque>
#include <memory>
#include <vector>

namespace proxy {

class SqlPool {
public:
    SqlPool(const boost::asio::any_io_executor& executor, SqlAccount account, std::size_t size_max);

    class Lease {
    public:
        Lease() = default;
        Lease(SqlPool* pool, std::unique_ptr<SqlLink> link) : pool_(pool), link_(std::move(link)) {}
        Lease(Lease&& other) noexcept;
        Lease& operator=(Lease&& other) noexcept;
        ~Lease();
        SqlLink* operator->() const noexcept { return link_.get(); }
        SqlLink& operator*() const noexcept { return *link_; }
        explicit operator bool() const noexcept { return link_ != nullptr; }

    private:
        friend class SqlPool;
        void give_back() noexcept;
        SqlPool* pool_ = nullptr;
        std::unique_ptr<SqlLink> link_;
    };

    // A connected link, or the connect error in `error` (the lease is then empty). A link must be
    // returned outside a transaction: give_back closes one whose transaction is still open.
    Task<Lease> lease(SqlError& error);
    // One statement on any link.
    Task<SqlReply> query(const std::string& sql);

    [[nodiscard]] std::size_t leased() const noexcept { return leased_; }
    [[nodiscard]] std::size_t waiting() const noexcept { return waiting_.size(); }

private:
    friend class Lease;
    struct Place;
    void free_slot() noexcept;

    boost::asio::any_io_executor executor_;
    SqlAccount account_;
    std::size_t size_max_;
    std::size_t leased_ = 0;  // slots in use: leases, and tasks that are connecting
    std::vector<std::unique_ptr<SqlLink>> idle_;
    std::deque<Place*> waiting_;
};

}  // namespace proxy
