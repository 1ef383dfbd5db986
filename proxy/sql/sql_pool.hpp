#pragma once
// A few SqlLinks of one core (or of the control context). Bounded; waiters queue in order; a broken
// link is replaced on the next lease. Leased links are returned by Lease's destructor.

#include <deque>
#include <memory>
#include <vector>

#include "proxy/runtime/event.hpp"
#include "proxy/sql/sql_link.hpp"

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

    private:
        void give_back() noexcept;
        SqlPool* pool_ = nullptr;
        std::unique_ptr<SqlLink> link_;
    };

    // A connected link, or the connect error in `error` (the lease is then empty). A link must be
    // returned outside a transaction: give_back closes one whose transaction is still open.
    Task<Lease> lease(SqlError& error);
    // One statement on any link.
    Task<SqlReply> query(const std::string& sql);

private:
    friend class Lease;
    boost::asio::any_io_executor executor_;
    SqlAccount account_;
    std::size_t size_max_;
    std::size_t leased_ = 0;
    std::vector<std::unique_ptr<SqlLink>> idle_;
    std::deque<Event*> waiting_;
};

}  // namespace proxy
