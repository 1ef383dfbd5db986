#pragma once
// Registers check, init, drain, verify and grants with the command line. A command that was chosen
// runs inside CLI11's parse and leaves its exit code in `exit_code`, which must outlive the parse.

namespace CLI {
class App;
}

namespace proxy {

void add_commands(CLI::App& app, int& exit_code);

}  // namespace proxy
