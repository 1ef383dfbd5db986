// The command line: `stockgate serve` and the operator's commands.
#include "config/loader.hpp"
#include "proxy/app/app.hpp"
#include "proxy/cli/commands.hpp"

#include <CLI/CLI.hpp>
#include <spdlog/spdlog.h>

#include <cstdlib>
#include <iostream>
#include <memory>
#include <mutex>

namespace {

spdlog::level::level_enum level_of(config::LogLevel level) {
    switch (level) {
        case config::LogLevel::trace:
            return spdlog::level::trace;
        case config::LogLevel::debug:
            return spdlog::level::debug;
        case config::LogLevel::info:
            return spdlog::level::info;
        case config::LogLevel::warn:
            return spdlog::level::warn;
        case config::LogLevel::error:
            return spdlog::level::err;
    }
    return spdlog::level::info;
}

int serve(const std::string& path, bool check_only, bool print_only) {
    auto loaded = config::load_file(path);
    for (const auto& warning : loaded.warnings)
        std::cerr << "warning: " << config::to_string(warning) << '\n';
    if (!loaded.ok()) {
        for (const auto& problem : loaded.problems) std::cerr << config::to_string(problem) << '\n';
        std::cerr << path << ": " << loaded.problems.size() << " problem(s), not started\n";
        return 2;
    }
    if (print_only) {
        std::cout << config::print(*loaded.config);
        return 0;
    }
    if (check_only) {
        std::cout << path << ": ok\n";
        return 0;
    }
    spdlog::set_level(level_of(loaded.config->log.level));
    spdlog::set_pattern("%Y-%m-%dT%H:%M:%S.%e %l %v");
    spdlog::flush_on(spdlog::level::info);
    int exit_code = 0;
    {
        auto app = std::make_unique<proxy::App>(
            std::make_shared<const config::Config>(std::move(*loaded.config))
        );
        exit_code = app->run();
        spdlog::default_logger()->flush();
        // Frames of coroutines that could not end in time may still refer to the parts: the process
        // ends here, without destructors, and the kernel closes what is open.
        std::cout.flush();
        std::_Exit(exit_code);
    }
}

}  // namespace

int main(int argc, char** argv) {
    CLI::App cli{"Stockgate: hot-row relief for unchanged SQL on MySQL and MariaDB"};
    cli.set_version_flag("--version", STOCKGATE_VERSION);
    cli.require_subcommand(1);
    int exit_code = 0;
    std::string path;
    bool check_only = false;
    bool print_only = false;
    auto* serve_command = cli.add_subcommand("serve", "Run the proxy until SIGTERM");
    serve_command->add_option("--config", path, "YAML configuration file")->required();
    serve_command->add_flag("--check-config", check_only, "Only check the configuration");
    serve_command->add_flag(
        "--print-config", print_only, "Print every effective value, secrets hidden"
    );
    serve_command->callback([&] { exit_code = serve(path, check_only, print_only); });
    proxy::add_commands(cli, exit_code);
    try {
        cli.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        const int code = cli.exit(error);
        return code == 0 ? 0 : 2;
    }
    return exit_code;
}
