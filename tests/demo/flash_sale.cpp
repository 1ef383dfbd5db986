// The flash sale: an ordinary client program. The same binary, with the same options but for the
// port, is run directly against the database and through Stockgate.

#include "tests/demo/buyer.hpp"
#include "tests/demo/options.hpp"
#include "tests/demo/tally.hpp"

#include <mysql.h>

#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <latch>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

// Prints a line each second and ends the sale when its time is up, until stop() is called.
class Progress {
public:
    explicit Progress(demo::Sale& sale) : sale_(sale), thread_([this] { run(); }) {}
    ~Progress() { stop(); }
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    void stop() {
        {
            const std::lock_guard lock(mutex_);
            is_stopped_ = true;
        }
        changed_.notify_one();
        if (thread_.joinable()) thread_.join();
    }

private:
    void run() {
        const auto start = Clock::now();
        std::unique_lock lock(mutex_);
        for (unsigned second = 1;; ++second) {
            const auto due = start + std::chrono::seconds(second);
            if (changed_.wait_until(lock, due, [this] { return is_stopped_; })) return;
            if (!sale_.options.quiet) {
                std::printf("  %3u s  %s\n", second, sale_.counters.line().c_str());
                std::fflush(stdout);
            }
            if (second == sale_.options.seconds_max) sale_.is_over = true;
        }
    }

    demo::Sale& sale_;
    std::mutex mutex_;
    std::condition_variable changed_;
    bool is_stopped_ = false;
    std::thread thread_;
};

bool write_file(const std::string& name, const std::string& text) {
    if (name.empty()) return true;
    std::ofstream out(name, std::ios::trunc);
    out << text;
    out.close();
    if (!out) std::fprintf(stderr, "flash_sale: cannot write %s\n", name.c_str());
    return static_cast<bool>(out);
}

void print_figures(
    const demo::Sale& sale, const demo::Results& results, const demo::Figures& figures
) {
    std::printf("  total  %s\n", sale.counters.line().c_str());
    std::printf(
        "  %.0f successes/s, p50 %.1f ms, p99 %.1f ms, %.1f s in all (seed %llu)\n",
        figures.successes_per_second,
        figures.p50_ms,
        figures.p99_ms,
        figures.seconds,
        static_cast<unsigned long long>(sale.options.seed)
    );
    for (const auto& [code, text] : results.error_texts) {
        std::printf("  error %u: %s\n", code, text.c_str());
    }
}

void run_buyer(demo::Buyer& buyer, std::latch& ready) {
    mysql_thread_init();
    // A failure shows up again, and is counted, in the buyer's own run.
    static_cast<void>(buyer.connect());
    ready.arrive_and_wait();
    buyer.run();
    mysql_thread_end();
}

}  // namespace

int main(int argc, char** argv) {
    demo::Options options;
    int exit_code = 0;
    if (!demo::parse_options(argc, argv, options, exit_code)) return exit_code;
    std::signal(SIGPIPE, SIG_IGN);
    mysql_library_init(0, nullptr, nullptr);

    demo::Sale sale{options};
    std::vector<std::unique_ptr<demo::Buyer>> buyers;
    for (unsigned index = 0; index < options.connections; ++index) {
        buyers.push_back(std::make_unique<demo::Buyer>(sale));
    }
    std::latch ready(static_cast<std::ptrdiff_t>(options.connections) + 1);
    std::vector<std::thread> threads;
    for (const auto& buyer : buyers)
        threads.emplace_back(run_buyer, std::ref(*buyer), std::ref(ready));
    ready.arrive_and_wait();  // everybody is connected: the sale opens
    const auto start = Clock::now();
    Progress progress(sale);
    for (auto& thread : threads) thread.join();
    const auto end = Clock::now();
    progress.stop();

    demo::Results results;
    for (const auto& buyer : buyers) results.merge(std::move(buyer->results()));
    const demo::Figures figures = demo::compute_figures(results, start, end);
    print_figures(sale, results, figures);
    const bool is_written =
        write_file(options.log_file, results.log) &&
        write_file(options.json_file, to_json(sale.counters, results, figures, options.seed));
    mysql_library_end();
    return is_written ? 0 : 1;
}
