#include "config/yaml_node.hpp"
#include "unit/config/support.hpp"

#include <algorithm>

// The deployment examples cannot be run by a unit test, but what they say about the configuration
// can be checked: it loads, and ports, paths and time limits agree with it.

namespace config::test {
namespace {

constexpr std::string_view health_url = "http://127.0.0.1:6080/healthz";
constexpr int stop_seconds = 30;

// The child of a map, or of a list by position; a test failure and an empty node when absent.
const YamlNode& at(const YamlNode& node, std::string_view key) {
    static const YamlNode none;
    const auto found = std::ranges::find(node.children, key, &YamlNode::key);
    if (found != node.children.end()) return *found;
    ADD_FAILURE() << "no " << key;
    return none;
}

const YamlNode& at(const YamlNode& node, std::size_t index) {
    static const YamlNode none;
    if (index < node.children.size()) return node.children[index];
    ADD_FAILURE() << "no element " << index;
    return none;
}

YamlNode parse(std::string_view text, const std::string& name) {
    Document document = parse_yaml(text, name);
    EXPECT_EQ(lines(document.problems), "");
    return std::move(document.root);
}

// The documents of a file, which are divided by lines of three dashes.
std::vector<YamlNode> documents(const std::string& path) {
    constexpr std::string_view divider = "\n---\n";
    const std::string text = read_source_file(path);
    std::vector<YamlNode> result;
    std::size_t begin = 0;
    while (begin < text.size()) {
        const std::size_t end = std::min(text.find(divider, begin), text.size());
        result.push_back(parse(std::string_view(text).substr(begin, end - begin), path));
        begin = end + divider.size();
    }
    return result;
}

Config load_with_password(const std::string& text, const std::string& password_path) {
    FakeSecrets secrets;
    secrets.files[password_path] = {"hunter2", {}, false};
    const LoadResult result = load_text(text, "/etc/stockgate/stockgate.yaml", secrets);
    EXPECT_EQ(lines(result.problems), "");
    EXPECT_EQ(lines(result.warnings), "");
    if (!result.ok()) return {};
    EXPECT_EQ(result.config->ledger.password.reveal(), "hunter2");
    return *result.config;
}

// What the health checks and the grace periods of all examples rest on.
void check_operation(const Config& config) {
    EXPECT_EQ("http://" + to_string(config.admin.address) + "/healthz", health_url);
    EXPECT_LT(config.limits.drain_timeout, std::chrono::seconds(stop_seconds));
}

std::vector<std::string> texts(const YamlNode& list) {
    std::vector<std::string> result;
    for (const YamlNode& node : list.children) result.push_back(node.text);
    return result;
}

TEST(deploy, the_kubernetes_example_agrees_with_its_configuration) {
    const std::vector<YamlNode> parts = documents("deploy/kubernetes-sidecar.yaml");
    ASSERT_EQ(parts.size(), 3U);
    const YamlNode& embedded = at(at(parts[0], "data"), "stockgate.yaml");
    const Config config =
        load_with_password(embedded.text, "/run/secrets/stockgate/ledger.password");
    check_operation(config);
    EXPECT_NE(at(at(parts[1], "stringData"), "ledger.password").text, "");

    const YamlNode& pod = at(at(at(parts[2], "spec"), "template"), "spec");
    EXPECT_EQ(at(pod, "terminationGracePeriodSeconds").text, std::to_string(stop_seconds));
    const YamlNode& sidecar = at(at(pod, "initContainers"), 0);
    EXPECT_EQ(at(sidecar, "restartPolicy").text, "Always");
    for (const std::string_view probe : {"startupProbe", "readinessProbe"}) {
        const auto command = texts(at(at(at(sidecar, probe), "exec"), "command"));
        ASSERT_FALSE(command.empty());
        EXPECT_EQ(command.front(), "curl");
        EXPECT_EQ(command.back(), health_url);
    }
    const YamlNode& mounts = at(sidecar, "volumeMounts");
    EXPECT_EQ(at(at(mounts, 0), "mountPath").text, "/etc/stockgate");
    EXPECT_EQ(at(at(mounts, 1), "mountPath").text, "/run/secrets/stockgate");

    const YamlNode& variables = at(at(at(pod, "containers"), 0), "env");
    const std::string target =
        at(at(variables, 0), "value").text + ":" + at(at(variables, 1), "value").text;
    ASSERT_EQ(config.listen.size(), 1U);
    EXPECT_EQ(target, to_string(config.listen[0]));
}

TEST(deploy, the_compose_example_agrees_with_its_configuration) {
    const std::vector<YamlNode> parts = documents("deploy/compose.yaml");
    ASSERT_EQ(parts.size(), 1U);
    const Config config = load_with_password(
        read_source_file("deploy/compose.stockgate.yaml"), "/run/secrets/ledger.password"
    );
    check_operation(config);
    const YamlNode& services = at(parts[0], "services");
    const YamlNode& stockgate = at(services, "stockgate");
    EXPECT_EQ(
        texts(at(stockgate, "volumes")),
        std::vector<std::string>{"./compose.stockgate.yaml:/etc/stockgate/stockgate.yaml:ro"}
    );
    EXPECT_EQ(at(stockgate, "stop_grace_period").text, std::to_string(stop_seconds) + "s");
    EXPECT_EQ(texts(at(stockgate, "secrets")), std::vector<std::string>{"ledger.password"});
    // Hosts in the configuration are services of the file.
    EXPECT_EQ(at(services, config.backend.address.host).kind, YamlNode::Kind::map);
    EXPECT_EQ(at(services, config.gate.redis.address.host).kind, YamlNode::Kind::map);
    const auto command = texts(at(at(services, "redis"), "command"));
    EXPECT_NE(std::ranges::find(command, "noeviction"), command.end());
}

TEST(deploy, the_unit_waits_for_the_drain_and_uses_the_documented_paths) {
    const std::string unit = read_source_file("deploy/stockgate.service");
    for (const std::string line :
         {"ExecStart=/usr/bin/stockgate serve --config /etc/stockgate/stockgate.yaml",
          "NoNewPrivileges=yes",
          "ProtectSystem=strict",
          "Restart=on-failure",
          "DynamicUser=yes"}) {
        EXPECT_NE(unit.find("\n" + line + "\n"), std::string::npos) << line;
    }
    const std::string timeout = "\nTimeoutStopSec=" + std::to_string(stop_seconds) + "\n";
    EXPECT_NE(unit.find(timeout), std::string::npos);
    check_operation(Config{});
    // Two descriptors for each client, and room for the rest.
    const std::string limit = "\nLimitNOFILE=";
    const std::size_t begin = unit.find(limit);
    ASSERT_NE(begin, std::string::npos);
    const unsigned long files = std::stoul(unit.substr(begin + limit.size()));
    EXPECT_GE(files, 2UL * Limits{}.connections_max + 1000UL);
}

TEST(deploy, the_image_checks_the_default_admin_port) {
    const std::string image = read_source_file("deploy/Dockerfile");
    EXPECT_NE(image.find("\"" + std::string(health_url) + "\""), std::string::npos);
    EXPECT_NE(image.find("\nUSER 10001:10001\n"), std::string::npos);
    EXPECT_NE(
        image.find("\nEXPOSE " + std::to_string(Config{}.listen[0].port) + "\n"), std::string::npos
    );
}

}  // namespace
}  // namespace config::test
