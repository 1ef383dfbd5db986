#pragma once

// What the flash sale is asked to do, from the command line. Filled once by parse_options on the
// main thread and read-only afterwards. Shares are fractions between 0 and 1.

#include <cstdint>
#include <string>
#include <vector>

namespace demo {

enum class Mode {
    transaction,  // BEGIN; INSERT the order; UPDATE the stock; COMMIT
    autocommit    // the UPDATE alone
};

struct Options {
    std::string host = "127.0.0.1";
    std::uint16_t port = 3306;
    std::string user = "shop";
    std::string password;
    std::string database = "shop";
    unsigned connections = 200;
    std::uint64_t attempts = 20000;
    std::vector<std::uint64_t> skus{1001};
    unsigned quantity = 1;
    unsigned quantity_max = 0;  // above quantity: each buyer wants a random number in between
    double rollback_share = 0;
    double drop_share = 0;
    unsigned think_ms = 0;  // pause of the program between two statements of a transaction
    Mode mode = Mode::transaction;
    bool prepared = false;
    unsigned seconds_max = 0;  // 0: until the attempts are used up
    std::uint64_t seed = 1;
    bool quiet = false;
    std::string run = "sale";  // first part of every order number
    std::string json_file;
    std::string log_file;
};

// Returns false when the program should end at once with exit_code (help, or a bad option).
[[nodiscard]] bool parse_options(int argc, char** argv, Options& options, int& exit_code);

}  // namespace demo
