#include "proxy/sql/sql_failure.hpp"

namespace proxy::sql_failure {
namespace {

constexpr unsigned client_error_first = 2000;
constexpr unsigned client_error_last = 2999;
constexpr unsigned connector_error_first = 5000;  // MariaDB's own client errors
constexpr unsigned connector_error_last = 5999;
constexpr unsigned server_lost = 2013;

bool is_commit(const std::string& sql) noexcept {
    return sql.rfind("COMMIT", 0) == 0;
}

}  // namespace

bool is_client_error(unsigned code) noexcept {
    return (code >= client_error_first && code <= client_error_last) ||
           (code >= connector_error_first && code <= connector_error_last);
}

bool ends_connection(unsigned code) noexcept {
    switch (code) {
        case 1053:  // server shutdown in progress
        case 1152:  // aborted connection
        case 1153:  // packet larger than max_allowed_packet
        case 1156:  // packets out of order
        case 1158:  // network errors, read and write
        case 1159:
        case 1160:
        case 1161:
        case 1184:  // aborted connection
        case 1927:  // connection was killed (MariaDB)
        case 3169:  // session was killed (MySQL)
        case 4031:  // disconnected while idle (MySQL): read as the answer to the next statement
            return true;
        default:
            return is_client_error(code);
    }
}

bool leaves_open(unsigned code, const std::string& sql) noexcept {
    switch (code) {
        case 1053:
        case 1180:  // error during commit
        case 1927:
        case 3169:
            return true;
        case 1317:  // interrupted: an ordinary statement was rolled back
            return is_commit(sql);
        default:
            return is_client_error(code);
    }
}

SqlError local(std::string message) {
    SqlError error;
    error.code = sql_error_local;
    error.sql_state = "HY000";
    error.message = std::move(message);
    return error;
}

SqlError timed_out(std::chrono::milliseconds timeout, const char* what) {
    SqlError error;
    error.code = server_lost;
    error.sql_state = "HY000";
    error.message =
        std::string{what} + ": no answer within " + std::to_string(timeout.count()) + " ms";
    return error;
}

}  // namespace proxy::sql_failure
