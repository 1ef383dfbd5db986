#include "tests/demo/options.hpp"

#include <CLI/CLI.hpp>

#include <map>

namespace demo {

bool parse_options(int argc, char** argv, Options& options, int& exit_code) {
    CLI::App app{"A shop's flash sale: many buyers, one hot SKU, more buyers than stock."};
    const std::map<std::string, Mode> modes{
        {"tx", Mode::transaction}, {"autocommit", Mode::autocommit}};
    app.add_option("--host", options.host, "server address")->capture_default_str();
    app.add_option("--port", options.port, "server port")->capture_default_str();
    app.add_option("--user", options.user)->capture_default_str();
    app.add_option("--password", options.password);
    app.add_option("--database", options.database)->capture_default_str();
    app.add_option("--connections", options.connections)
        ->check(CLI::Range(1U, 5000U))
        ->capture_default_str();
    app.add_option("--attempts", options.attempts, "of all buyers together")->capture_default_str();
    app.add_option("--sku", options.skus, "comma-separated; buyers choose at random")
        ->delimiter(',')
        ->capture_default_str();
    app.add_option("--quantity", options.quantity)
        ->check(CLI::PositiveNumber)
        ->capture_default_str();
    app.add_option("--quantity-max", options.quantity_max, "random up to this many");
    app.add_option("--rollback-share", options.rollback_share, "buyers that roll back")
        ->check(CLI::Range(0.0, 1.0));
    app.add_option("--disconnect-share", options.drop_share, "buyers that cut the connection")
        ->check(CLI::Range(0.0, 1.0));
    app.add_option("--think-ms", options.think_ms, "pause between two statements");
    app.add_option("--mode", options.mode, "tx or autocommit")
        ->transform(CLI::CheckedTransformer(modes));
    app.add_flag("--prepared", options.prepared, "use prepared statements");
    app.add_option("--seconds", options.seconds_max, "stop after this time");
    app.add_option("--seed", options.seed)->capture_default_str();
    app.add_option("--run", options.run, "first part of every order number");
    app.add_flag("--quiet", options.quiet, "no progress lines");
    app.add_option("--json", options.json_file, "write the figures to this file");
    app.add_option("--log", options.log_file, "write one line per attempt to this file");
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        exit_code = app.exit(error);
        return false;
    }
    return true;
}

}  // namespace demo
