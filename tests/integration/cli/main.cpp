// A run that asks for MySQL 9 where it is not installed says so and is skipped, by name.

#include "tests/support/server_fixture.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>
#include <string>

int main(int argc, char** argv) {
    testing::InitGoogleTest(&argc, argv);
    const char* kind = std::getenv("STOCKGATE_TEST_SERVER");
    if (kind && std::string{kind} == "mysql9" && !support::Mysql9Server::is_installed()) {
        std::cout << "SKIPPED: MySQL 9 is not installed; tests/support/mysql9.sh install\n";
        return 0;
    }
    return RUN_ALL_TESTS();
}
