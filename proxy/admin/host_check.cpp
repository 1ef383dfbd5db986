#include "proxy/admin/host_check.hpp"

#include <boost/asio/ip/address.hpp>

#include <algorithm>
#include <string>

namespace proxy {
namespace {

constexpr std::string_view digits = "0123456789";

// "" or ":PORT". The number itself does not matter: whoever sent it has reached us.
bool is_port_suffix(std::string_view text) {
    if (text.empty()) return true;
    return text.front() == ':' && text.size() <= 6 &&
           text.find_first_not_of(digits, 1) == std::string_view::npos;
}

bool equals_ignoring_case(std::string_view text, std::string_view lower) {
    return std::equal(
        text.begin(),
        text.end(),
        lower.begin(),
        lower.end(),
        [](char given, char wanted) {
            return (given >= 'A' && given <= 'Z' ? static_cast<char>(given - 'A' + 'a') : given) ==
                   wanted;
        }
    );
}

bool is_loopback_v6(std::string_view host) {
    boost::system::error_code error;
    const auto address = boost::asio::ip::make_address_v6(std::string(host), error);
    if (error || address.scope_id() != 0) return false;
    if (address.is_v4_mapped()) {
        const auto mapped = boost::asio::ip::make_address_v4(boost::asio::ip::v4_mapped, address);
        return mapped.is_loopback();
    }
    return address.is_loopback();
}

}  // namespace

bool is_loopback_host(std::string_view host_header) {
    if (host_header.starts_with('[')) {
        const std::size_t close = host_header.find(']');
        if (close == std::string_view::npos) return false;
        return is_port_suffix(host_header.substr(close + 1)) &&
               is_loopback_v6(host_header.substr(1, close - 1));
    }
    const std::size_t colon = std::min(host_header.find(':'), host_header.size());
    if (!is_port_suffix(host_header.substr(colon))) return false;
    const std::string_view host = host_header.substr(0, colon);
    if (equals_ignoring_case(host, "localhost")) return true;
    boost::system::error_code error;
    const auto address = boost::asio::ip::make_address_v4(std::string(host), error);
    return !error && address.is_loopback();
}

}  // namespace proxy
