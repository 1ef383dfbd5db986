#include "tests/integration/gate/redis_fixture.hpp"

namespace proxy::testing {

using namespace std::chrono_literals;

RedisFixture::RedisFixture(std::vector<std::string> server_arguments)
    : server_(std::move(server_arguments)) {
    control_ = std::make_unique<RedisLink>(context_.get_executor(), options(), nullptr);
    control_->start();
    connect(options());
}

RedisFixture::~RedisFixture() {
    gate_.reset();
    control_.reset();
    // Lets the tasks of both links end: nothing may be left that could keep the context alive.
    context_.restart();
    context_.run_for(10s);
    EXPECT_TRUE(context_.stopped()) << "a task of the link did not end";
    EXPECT_EQ(task_escape_total(), 0U);
}

RedisOptions RedisFixture::options() const {
    RedisOptions options;
    options.port = server_.port();
    // Slow machines and sanitizers: only tests that are about a deadline set a short one.
    options.timeout = 20s;
    options.connect_timeout = 20s;
    options.stall_timeout = 40s;
    options.reconnect_min = 10ms;
    options.reconnect_max = 100ms;
    return options;
}

void RedisFixture::connect(const RedisOptions& options) {
    gate_ = std::make_unique<RedisGate>(context_.get_executor(), options, dirty_);
    gate_->start();
}

void RedisFixture::wait_connected() {
    ASSERT_TRUE(run_until([this] { return gate_->link().is_connected(); }));
}

LinkReply RedisFixture::command(std::vector<std::string> words) {
    const std::vector<std::string_view> views(words.begin(), words.end());
    return run(control_->call({}, resp_command(views)));
}

void RedisFixture::set(const std::string& name, const std::string& value) {
    const LinkReply reply = command({"CONFIG", "SET", name, value});
    ASSERT_EQ(reply.reply.value().text(), "OK");
}

RemoteReply RedisFixture::reserve(
    const std::string& key, const RequestId& id, std::int64_t units, bool forced
) {
    return run(gate_->reserve(key, id, units, forced));
}

BucketState RedisFixture::read(const std::string& key) {
    BucketState state;
    EXPECT_TRUE(run(gate_->read(key, state)));
    return state;
}

}  // namespace proxy::testing
