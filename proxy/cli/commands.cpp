#include "proxy/cli/commands.hpp"

#include "config/loader.hpp"
#include "proxy/cli/check.hpp"
#include "proxy/cli/drain.hpp"
#include "proxy/cli/exit_code.hpp"
#include "proxy/cli/grants.hpp"
#include "proxy/cli/init.hpp"
#include "proxy/cli/verify.hpp"

#include <CLI/CLI.hpp>

#include <cstdlib>
#include <fstream>
#include <iostream>
#include <memory>

namespace proxy {
namespace {

// What the command line fills; lives as long as the callbacks.
struct Shared {
    std::string config_file;
    std::string account;
    std::string password_file;
    std::string password_env;
};

struct CommandLine {
    Shared shared;
    CheckOptions check;
    InitOptions init;
    DrainOptions drain;
    VerifyOptions verify;
    GrantsOptions grants;
};

std::optional<config::Config> load(const std::string& path) {
    auto result = config::load_file(path);
    for (const auto& warning : result.warnings) {
        std::cerr << "warning: " << config::to_string(warning) << '\n';
    }
    for (const auto& problem : result.problems) std::cerr << config::to_string(problem) << '\n';
    return std::move(result.config);
}

// False: the password could not be had; the reason was printed. Passwords are never taken from
// the command line, where other users of the machine can read them.
bool read_login(const Shared& shared, std::optional<Login>& login) {
    if (shared.account.empty()) {
        if (shared.password_file.empty() && shared.password_env.empty()) return true;
        std::cerr << "--password-file and --password-env belong to --account\n";
        return false;
    }
    Login read;
    read.user = shared.account;
    if (!shared.password_file.empty()) {
        std::ifstream file(shared.password_file);
        if (!file) {
            std::cerr << "--password-file " << shared.password_file << " cannot be read\n";
            return false;
        }
        std::getline(file, read.password);
    } else if (!shared.password_env.empty()) {
        const char* value = std::getenv(shared.password_env.c_str());
        if (!value) {
            std::cerr << "--password-env: the variable " << shared.password_env << " is not set\n";
            return false;
        }
        read.password = value;
    }
    login = std::move(read);
    return true;
}

void add_shared(CLI::App& command, Shared& shared, bool with_account) {
    command.add_option("--config,-c", shared.config_file, "YAML configuration")->required();
    if (!with_account) return;
    command.add_option("--account", shared.account, "log in as this user, not the ledger's");
    auto* file = command.add_option(
        "--password-file", shared.password_file, "first line: the password of --account"
    );
    command
        .add_option("--password-env", shared.password_env, "environment variable with the password")
        ->excludes(file);
}

// Loads the configuration and the login, then runs `command` with its options.
template <class Options>
int run_with_account(
    const Shared& shared,
    Options& options,
    int (*command)(const config::Config&, const Options&, std::ostream&)
) {
    const auto config = load(shared.config_file);
    if (!config || !read_login(shared, options.account)) return exit_code::usage;
    return command(*config, options, std::cout);
}

void add_check(CLI::App& app, const std::shared_ptr<CommandLine>& line, int& code) {
    auto* command =
        app.add_subcommand("check", "look for whatever could go wrong; changes nothing");
    add_shared(*command, line->shared, true);
    command->add_option("--json", line->check.json_file, "write the report to this file");
    command->callback([line, &code] {
        code = run_with_account(line->shared, line->check, &run_check);
    });
}

void add_init(CLI::App& app, const std::shared_ptr<CommandLine>& line, int& code) {
    auto& options = line->init;
    auto* command = app.add_subcommand("init", "create the ledger tables and adopt the SKUs");
    add_shared(*command, line->shared, true);
    command->add_option("--table", options.table, "only this SCHEMA.TABLE");
    command->add_option("--sku", options.skus, "only these keys; parts separated by commas");
    command->add_option(
        "--run-grants", options.grant_to, "grant to an application's 'user'@'host'"
    );
    command->add_flag("--print-grants", options.print_grants, "print the grants and do nothing");
    command->add_flag("--dry-run", options.dry_run, "check and compute everything, change nothing");
    command->callback([line, &code] {
        code = run_with_account(line->shared, line->init, &run_init);
    });
}

void add_drain(CLI::App& app, const std::shared_ptr<CommandLine>& line, int& code) {
    auto& options = line->drain;
    auto* command = app.add_subcommand("drain", "move the remainder back into the base row");
    add_shared(*command, line->shared, true);
    auto* skus = command->add_option("SKU", options.skus, "keys, or ids such as t_stock:1001");
    command->add_flag("--all", options.all, "every adopted SKU of the table")->excludes(skus);
    command->add_option("--table", options.table, "SCHEMA.TABLE, if several are configured");
    command->add_flag(
        "--accept-base-difference",
        options.accept_base_difference,
        "add what others wrote into the base row, instead of refusing"
    );
    command->callback([line, &code] {
        code = run_with_account(line->shared, line->drain, &run_drain);
    });
}

void add_verify(CLI::App& app, const std::shared_ptr<CommandLine>& line, int& code) {
    auto& options = line->verify;
    auto* command = app.add_subcommand("verify", "audit the ledger and the gate; changes nothing");
    add_shared(*command, line->shared, true);
    command->add_option("--json", options.json_file, "write the report to this file");
    command->add_option("--acks", options.acks_file, "clients' log: lines `sold SKU UNITS COUNT`");
    command->add_flag("--no-gate", options.no_gate, "leave Redis out");
    command->callback([line, &code] {
        code = run_with_account(line->shared, line->verify, &run_verify);
    });
}

void add_grants(CLI::App& app, const std::shared_ptr<CommandLine>& line, int& code) {
    auto* command = app.add_subcommand("grants", "print the GRANT statements that are needed");
    add_shared(*command, line->shared, false);
    command->add_option("--application", line->grants.applications, "account 'user'@'host'");
    command->callback([line, &code] {
        const auto config = load(line->shared.config_file);
        code = config ? run_grants(*config, line->grants, std::cout) : exit_code::usage;
    });
}

}  // namespace

void add_commands(CLI::App& app, int& exit_code) {
    const auto line = std::make_shared<CommandLine>();
    add_check(app, line, exit_code);
    add_init(app, line, exit_code);
    add_drain(app, line, exit_code);
    add_verify(app, line, exit_code);
    add_grants(app, line, exit_code);
}

}  // namespace proxy
