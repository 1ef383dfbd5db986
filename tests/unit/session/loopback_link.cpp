#include "loopback_link.hpp"

#include <boost/asio/ip/address_v4.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>

#include <chrono>

namespace proxy::testing {

namespace asio = boost::asio;
using asio::ip::tcp;
using How = protocol::ReplyEnd::How;

namespace {

// Both ends of one connection; `near` is the proxy's.
tcp::socket connect_pair(asio::io_context& context, tcp::socket& near) {
    tcp::acceptor acceptor(context, tcp::endpoint(asio::ip::address_v4::loopback(), 0));
    near.connect(acceptor.local_endpoint());
    return acceptor.accept();
}

std::string text_of(const protocol::ReplyEnd& end) {
    switch (end.how) {
        case How::ok:
            return end.had_rows ? "rows" : "ok " + std::to_string(end.affected_rows);
        case How::err:
            return "err " + std::to_string(end.code);
        case How::prepared:
            return "prepared " + std::to_string(end.statement_id);
        case How::text:
            return "text";
        case How::stream:
            return "stream";
        case How::infile:
        case How::auth_continue:
        case How::auth_fast_ok:
            break;
    }
    return "a turn, not an end";
}

}  // namespace

LoopbackLink::LoopbackLink() : client_(context_), backend_(context_) {
    tcp::socket client_near(context_);
    client_ = connect_pair(context_, client_near);
    client_wire_.emplace(std::move(client_near));
    client_wire_->set_options();
    tcp::socket backend_near(context_);
    backend_ = connect_pair(context_, backend_near);
    backend_.set_option(tcp::no_delay(true));
    Wire backend_wire(std::move(backend_near));
    ReplyObserver& observer = *this;
    link_.emplace(
        context_.get_executor(), std::move(backend_wire), *client_wire_, observer, metrics_
    );
    link_->set_capabilities(test_capabilities());
    auto task = run_pump();
    spawn(context_.get_executor(), "pump", std::move(task));
}

LoopbackLink::~LoopbackLink() {
    // Coroutines hold references into the fixture: let them end.
    if (!pump_ended_) {
        link_->wire().close();
        client_wire_->close();
        run_until([this] { return pump_ended_; });
    }
    context_.poll();
}

void LoopbackLink::expect(protocol::ReplyShape shape, std::uint8_t command) {
    PendingReply reply;
    reply.command = command;
    reply.shape = shape;
    link_->expect(std::move(reply));
}

void LoopbackLink::backend_sends(const Bytes& bytes) {
    asio::write(backend_, asio::buffer(bytes));
}

void LoopbackLink::backend_closes() {
    backend_.close();
}

void LoopbackLink::run_until(const std::function<bool()>& done) {
    constexpr std::chrono::seconds hang{30};
    context_.restart();
    while (!done()) {
        if (context_.run_one_for(hang) == 0) {
            FAIL() << "nothing happens any more";
        }
    }
}

void LoopbackLink::run_until_taken() {
    run_until([this] { return pump_ended_ || link_->wire().socket().available() == 0; });
    context_.poll();
}

void LoopbackLink::run_until_observed(std::size_t replies) {
    run_until([&] { return observed_.size() >= replies; });
    EXPECT_EQ(observed_.size(), replies);
}

void LoopbackLink::drain_client() {
    boost::system::error_code error;
    while (const std::size_t size = client_.available(error)) {
        const std::size_t before = client_bytes_.size();
        client_bytes_.resize(before + size);
        asio::read(client_, asio::buffer(client_bytes_.data() + before, size));
    }
}

const Bytes& LoopbackLink::client_got(std::size_t size) {
    run_until([&] {
        drain_client();
        return client_bytes_.size() >= size;
    });
    return client_bytes_;
}

Bytes LoopbackLink::backend_got(std::size_t size) {
    run_until([&] { return backend_.available() >= size; });
    Bytes bytes(size);
    asio::read(backend_, asio::buffer(bytes));
    return bytes;
}

Bytes LoopbackLink::client_got_in_all() {
    if (backend_.is_open()) backend_closes();
    run_until([this] { return pump_ended_; });
    client_wire_->shutdown_send();
    for (;;) {
        boost::system::error_code error;
        Bytes piece(4096);
        const std::size_t size = client_.read_some(asio::buffer(piece), error);
        client_bytes_.insert(
            client_bytes_.end(), piece.begin(), piece.begin() + static_cast<std::ptrdiff_t>(size)
        );
        if (error) return client_bytes_;
    }
}

void LoopbackLink::start_exchange(std::vector<std::string> statements) {
    exchanged_.reset();
    auto task = run_exchange(std::move(statements));
    spawn(context_.get_executor(), "exchange", std::move(task));
}

void LoopbackLink::start_try_prepare(std::string sql) {
    exchanged_.reset();
    auto task = run_try_prepare(std::move(sql));
    spawn(context_.get_executor(), "try_prepare", std::move(task));
}

void LoopbackLink::run_until_exchanged() {
    run_until([this] { return exchanged_.has_value(); });
}

void LoopbackLink::on_reply(PendingReply& reply, const protocol::ReplyEnd& end) {
    EXPECT_FALSE(reply.own);
    observed_.push_back(text_of(end));
}

Task<> LoopbackLink::run_pump() {
    co_await link_->pump();
    pump_ended_ = true;
}

Task<> LoopbackLink::run_exchange(std::vector<std::string> statements) {
    const bool complete = co_await link_->exchange(statements, own_);
    exchanged_ = complete;
}

Task<> LoopbackLink::run_try_prepare(std::string sql) {
    OwnReply reply;
    const bool complete = co_await link_->try_prepare(sql, reply);
    own_.clear();
    own_.push_back(std::move(reply));
    exchanged_ = complete;
}

}  // namespace proxy::testing
