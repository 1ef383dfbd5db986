#include "unit/config/support.hpp"

#include <cstdlib>
#include <ostream>
#include <type_traits>

namespace config::test {
namespace {

template <class Value>
concept Printable = requires(std::ostream& stream, const Value& value) {
    stream << value;
};

// If somebody adds a stream operator or a conversion to text, this stops compiling.
static_assert(Printable<std::string>);
static_assert(!Printable<Secret>);
static_assert(!std::is_convertible_v<Secret, std::string>);
static_assert(!std::is_convertible_v<Secret, std::string_view>);

constexpr std::string_view value = "hunter2";

TEST(secret, comes_from_text_file_or_environment) {
    FakeSecrets secrets;
    secrets.variables["PW"] = value;
    secrets.files["/run/pw"] = {std::string(value), {}, false};
    secrets.files["etc/pw"] = {std::string(value), {}, true};
    const std::map<std::string, Secret> cases = {
        {"password: hunter2", Secret("hunter2")},
        {"password_env: PW", Secret("hunter2", Secret::Origin::environment, "PW")},
        {"password_file: /run/pw", Secret("hunter2", Secret::Origin::file, "/run/pw")},
        {"password_file: pw", Secret("hunter2", Secret::Origin::file, "etc/pw")},
        {"password: \"\"", Secret()},
        {"user: x", Secret()}};
    for (const auto& [yaml, expected] : cases) {
        const std::string text = minimal + "ledger: { " + yaml + " }\n";
        const LoadResult result = load_text(text, "etc/f.yaml", secrets);
        ASSERT_TRUE(result.ok()) << yaml << "\n" << lines(result.problems);
        EXPECT_TRUE(result.config->ledger.password == expected) << yaml;
        EXPECT_EQ(result.warnings.size(), yaml == "password_file: pw" ? 1U : 0U) << yaml;
    }
}

TEST(secret, an_empty_source_is_a_warning) {
    FakeSecrets secrets;
    secrets.variables["EMPTY"] = "";
    secrets.files["empty"] = {};
    const std::string text = minimal +
                             "ledger: { password_env: EMPTY }\n"
                             "gate: { redis: { password_file: empty } }\n";
    const LoadResult result = load_text(text, "f", secrets);
    ASSERT_TRUE(result.ok()) << lines(result.problems);
    EXPECT_EQ(
        lines(result.warnings),
        "f:2: ledger.password_env: the environment variable is empty.\n"
        "f:3: gate.redis.password_file: the file is empty.\n"
    );
}

TEST(secret, the_process_environment_is_the_default_source) {
    ASSERT_EQ(setenv("STOCKGATE_TEST_SECRET", "hunter2", 1), 0);
    const LoadResult result =
        load_text(minimal + "ledger: { password_env: STOCKGATE_TEST_SECRET }\n", "f");
    unsetenv("STOCKGATE_TEST_SECRET");
    ASSERT_TRUE(result.ok()) << lines(result.problems);
    EXPECT_EQ(result.config->ledger.password.reveal(), value);
}

TEST(secret, is_not_printed) {
    FakeSecrets secrets;
    secrets.variables["PW"] = value;
    for (const std::string yaml : {"password: hunter2", "password_env: PW"}) {
        const std::string text =
            minimal + "ledger: { " + yaml + " }\ngate: { redis: { " + yaml + " } }\n";
        const LoadResult result = load_text(text, "f", secrets);
        ASSERT_TRUE(result.ok()) << lines(result.problems);
        EXPECT_EQ(print(*result.config).find(value), std::string::npos);
    }
}

// Whatever mistake is made around a password, its text is not repeated.
TEST(secret, is_in_no_problem) {
    for (const std::string section :
         {"ledger: hunter2\n",
          "ledger: [hunter2]\n",
          "ledger: { password: [hunter2] }\n",
          "ledger: { password: { a: hunter2 } }\n",
          "ledger: { password: { hunter2: a } }\n",
          "ledger: { password: hunter2, password_env: hunter2 }\n",
          "ledger: { password_file: hunter2 }\n",
          "ledger: { password_env: hunter2 }\n",
          "ledger: { password: !hunter2 a }\n",
          "ledger: { password: &hunter2 a }\n",
          "ledger: { password: *hunter2 }\n",
          "ledger: { password: \"\\qhunter2\" }\n",
          "ledger: { password: 'hunter2 }\n",
          "ledger: { password: a: hunter2 }\n",
          "ledger: { password: %hunter2 }\n",
          "ledger: { password: hunter2, password: hunter2 }\n",
          "ledger: { pasword: hunter2 }\n",
          "password: hunter2\n"}) {
        const LoadResult result = load(minimal + section);
        EXPECT_FALSE(result.ok()) << section;
        EXPECT_EQ(lines(result.problems).find(value), std::string::npos)
            << section << lines(result.problems);
    }
}

}  // namespace
}  // namespace config::test
