// Any text either loads or gives problems, never both and never neither; messages are single
// bounded lines; what loads prints as a text that loads again and prints the same; secrets stay
// hidden.

#include "config/loader.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <optional>
#include <string>
#include <string_view>

namespace {

constexpr std::string_view marker = "s3cret-marker";
constexpr std::size_t message_bytes_max = 1000;

class MarkedSecrets : public config::SecretSource {
public:
    [[nodiscard]] std::optional<std::string> variable(const std::string& name) const override {
        if (name.size() % 2 == 1) return std::nullopt;
        return std::string(marker);
    }
    [[nodiscard]] File file(const std::string& path) const override {
        if (path.size() % 2 == 1) return {{}, "cannot be read", false};
        return {std::string(marker), {}, path.size() % 4 == 0};
    }
};

void require(bool holds, std::string_view what, std::string_view text) {
    if (holds) return;
    std::cerr << "violated: " << what << "\n" << text << "\n";
    std::abort();
}

void check_messages(const std::vector<config::Problem>& problems, bool marker_in_input) {
    for (const config::Problem& problem : problems) {
        const std::string text = to_string(problem);
        require(text.size() <= message_bytes_max, "a message is bounded", text);
        for (const char byte : text) {
            require(static_cast<unsigned char>(byte) >= 0x20, "a message is one line", text);
        }
        const bool hidden = marker_in_input || text.find(marker) == std::string::npos;
        require(hidden, "no secret in a message", text);
    }
}

void check_print(const config::Config& first, bool marker_in_input) {
    const MarkedSecrets secrets;
    const std::string printed = print(first);
    require(marker_in_input || printed.find(marker) == std::string::npos, "no secret", printed);
    const config::LoadResult second = config::load_text(printed, "printed", secrets);
    for (const config::Problem& problem : second.problems) std::cerr << to_string(problem) << "\n";
    require(second.ok(), "a printed configuration loads", printed);
    require(print(*second.config) == printed, "printing is stable", printed);
    require(first.tables == second.config->tables, "tables survive printing", printed);
    require(first.listen == second.config->listen, "addresses survive printing", printed);
    require(first.client == second.config->client, "the client side survives", printed);
    require(first.backend == second.config->backend, "the backend side survives", printed);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    std::string text;
    for (std::size_t index = 0; index < size; ++index) text += static_cast<char>(data[index]);
    const MarkedSecrets secrets;
    const config::LoadResult result = config::load_text(text, "f", secrets);
    const bool marker_in_input = text.find(marker) != std::string::npos;
    require(result.ok() == result.problems.empty(), "loaded, or problems", text);
    check_messages(result.problems, marker_in_input);
    check_messages(result.warnings, marker_in_input);
    if (result.ok()) check_print(*result.config, marker_in_input);
    return 0;
}
