#include "protocol/proxy_header.hpp"

#include "protocol/bytes.hpp"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string_view>

namespace protocol {
namespace {

using Bytes = std::span<const std::uint8_t>;
using Family = ProxyHeader::Family;
using What = ParsedProxyHeader::What;

constexpr std::string_view v1_begin = "PROXY ";
constexpr std::string_view v1_unknown = "UNKNOWN";
constexpr std::array<std::uint8_t, 12> v2_signature = {
    0x0d, 0x0a, 0x0d, 0x0a, 0x00, 0x0d, 0x0a, 0x51, 0x55, 0x49, 0x54, 0x0a};
constexpr std::size_t v2_fixed_size = 16;
constexpr std::uint8_t v2_local = 0x20;
constexpr std::uint8_t v2_proxy = 0x21;
constexpr std::size_t unix_path_size = 108;
constexpr std::uint8_t checksum_type = 0x03;
constexpr std::size_t checksum_size = 4;

ParsedProxyHeader malformed(const char* problem) {
    return {What::malformed, 0, {}, problem};
}

ParsedProxyHeader local(std::size_t size) {
    ParsedProxyHeader parsed{What::complete, size, {}, ""};
    parsed.header.local = true;
    return parsed;
}

// An address in network order; only the first four bytes are IPv4's.
using Binary = std::array<std::uint8_t, 16>;

int native(Family family) {
    return family == Family::ipv6 ? AF_INET6 : AF_INET;
}

std::size_t address_size(Family family) {
    return family == Family::ipv6 ? 16 : 4;
}

// inet_pton and inet_ntop only translate text; nothing is opened.
std::optional<Binary> binary_of(Family family, std::string_view text) {
    std::array<char, INET6_ADDRSTRLEN> terminated{};
    if (text.size() >= terminated.size() || text.find('\0') != std::string_view::npos) {
        return std::nullopt;
    }
    std::copy(text.begin(), text.end(), terminated.begin());
    Binary binary{};
    if (inet_pton(native(family), terminated.data(), binary.data()) != 1) return std::nullopt;
    return binary;
}

std::string text_of(Family family, const Binary& binary) {
    std::array<char, INET6_ADDRSTRLEN> text{};
    inet_ntop(native(family), binary.data(), text.data(), text.size());
    return text.data();
}

// ---- version 1

bool parse_port(std::string_view text, std::uint16_t& port) {
    if (text.empty() || (text.size() > 1 && text.front() == '0')) return false;
    const char* const end = text.data() + text.size();
    const auto [stopped, error] = std::from_chars(text.data(), end, port);
    return error == std::errc() && stopped == end;
}

// The line without its begin and its end.
ParsedProxyHeader parse_v1_line(std::string_view line, std::size_t size) {
    if (line == v1_unknown || line.starts_with("UNKNOWN ")) return local(size);
    std::array<std::string_view, 5> fields;
    for (std::size_t index = 0; index < fields.size(); ++index) {
        const bool last = index + 1 == fields.size();
        const std::size_t space = line.find(' ');
        if (last != (space == std::string_view::npos)) {
            return malformed("version 1: not protocol, two addresses and two ports");
        }
        fields[index] = line.substr(0, space);
        line.remove_prefix(last ? line.size() : space + 1);
    }
    ParsedProxyHeader parsed{What::complete, size, {}, ""};
    ProxyHeader& header = parsed.header;
    if (fields[0] != "TCP4" && fields[0] != "TCP6") return malformed("version 1: unknown protocol");
    header.family = fields[0] == "TCP4" ? Family::ipv4 : Family::ipv6;
    const auto source = binary_of(header.family, fields[1]);
    const auto destination = binary_of(header.family, fields[2]);
    if (!source || !destination) return malformed("version 1: bad address");
    header.source = text_of(header.family, *source);
    header.destination = text_of(header.family, *destination);
    const bool ports =
        parse_port(fields[3], header.source_port) && parse_port(fields[4], header.destination_port);
    if (!ports) return malformed("version 1: bad port");
    return parsed;
}

ParsedProxyHeader parse_v1(Bytes bytes) {
    const std::string_view text = as_text(bytes.first(std::min(bytes.size(), proxy_header_v1_max)));
    const std::size_t known = std::min(text.size(), v1_begin.size());
    if (text.substr(0, known) != v1_begin.substr(0, known)) {
        return malformed("does not begin with a PROXY header");
    }
    const std::size_t end = text.find_first_of("\r\n");
    if (end == std::string_view::npos || end + 1 == text.size()) {
        if (end != std::string_view::npos && text[end] == '\n') {
            return malformed("version 1: line does not end with CR LF");
        }
        if (text.size() == proxy_header_v1_max) return malformed("version 1: line too long");
        return {};
    }
    if (text[end] != '\r' || text[end + 1] != '\n') {
        return malformed("version 1: line does not end with CR LF");
    }
    return parse_v1_line(text.substr(v1_begin.size(), end - v1_begin.size()), end + 2);
}

// ---- version 2

// CRC-32C (Castagnoli), of headers only: short, once a connection.
std::uint32_t add_to_crc32c(std::uint32_t crc, Bytes bytes) {
    constexpr std::uint32_t reversed_polynomial = 0x82f63b78;
    for (const std::uint8_t byte : bytes) {
        crc ^= byte;
        for (int bit = 0; bit < 8; ++bit) {
            crc = crc >> 1 ^ ((crc & 1) != 0 ? reversed_polynomial : 0);
        }
    }
    return crc;
}

// The checksum is over the whole header with zeroes in its own place.
bool checksum_is_right(Bytes header, std::size_t at) {
    constexpr std::array<std::uint8_t, checksum_size> zeroes{};
    std::uint32_t crc = add_to_crc32c(0xffffffff, header.first(at));
    crc = add_to_crc32c(crc, zeroes);
    crc = ~add_to_crc32c(crc, header.subspan(at + checksum_size));
    std::uint32_t given = 0;
    for (const std::uint8_t byte : header.subspan(at, checksum_size)) given = given << 8 | byte;
    return crc == given;
}

// Null where the extensions from `at` on are fine.
const char* problem_of_extensions(Bytes header, std::size_t at) {
    constexpr std::size_t head_size = 3;
    while (at < header.size()) {
        if (header.size() - at < head_size) return "version 2: extension cut";
        const std::size_t size = static_cast<std::size_t>(header[at + 1]) << 8 | header[at + 2];
        const std::size_t value = at + head_size;
        if (header.size() - value < size) return "version 2: extension longer than the header";
        if (header[at] == checksum_type) {
            if (size != checksum_size) return "version 2: checksum is not four bytes";
            if (!checksum_is_right(header, value)) return "version 2: checksum is wrong";
        }
        at = value + size;
    }
    return nullptr;
}

std::uint16_t port_at(Bytes bytes, std::size_t at) {
    return static_cast<std::uint16_t>(bytes[at] << 8 | bytes[at + 1]);
}

void read_ip(ProxyHeader& header, Family family, Bytes addresses) {
    const std::size_t size = address_size(family);
    Binary source{};
    Binary destination{};
    std::copy_n(addresses.begin(), size, source.begin());
    std::copy_n(addresses.subspan(size).begin(), size, destination.begin());
    header.family = family;
    header.source = text_of(family, source);
    header.destination = text_of(family, destination);
    header.source_port = port_at(addresses, 2 * size);
    header.destination_port = port_at(addresses, 2 * size + 2);
}

// False when it could not be shown in a log line.
bool read_path(Bytes field, std::string& path) {
    const std::string_view text = as_text(field);
    path = text.substr(0, text.find('\0'));
    return std::ranges::all_of(path, [](char letter) {
        return static_cast<unsigned char>(letter) >= 0x20 && letter != 0x7f;
    });
}

ParsedProxyHeader read_addresses(Bytes header, Family family, std::size_t size) {
    ParsedProxyHeader parsed{What::complete, header.size(), {}, ""};
    const Bytes addresses = header.subspan(v2_fixed_size, size);
    if (family != Family::unix_socket) {
        read_ip(parsed.header, family, addresses);
        return parsed;
    }
    parsed.header.family = family;
    const bool good = read_path(addresses.first(unix_path_size), parsed.header.source) &&
                      read_path(addresses.subspan(unix_path_size), parsed.header.destination);
    return good ? parsed : malformed("version 2: control character in a path");
}

// The two nibbles of its byte.
struct Transport {
    unsigned family;
    unsigned protocol;
    [[nodiscard]] bool is_known() const { return family <= 3 && protocol <= 2; }
    [[nodiscard]] bool is_specified() const { return family != 0 && protocol != 0; }
    [[nodiscard]] bool is_stream() const { return protocol == 1; }
    [[nodiscard]] std::size_t addresses_size() const {
        constexpr std::array<std::size_t, 4> sizes = {0, 12, 36, 2 * unix_path_size};
        return is_specified() ? sizes[family] : 0;
    }
};

ParsedProxyHeader parse_v2(Bytes bytes) {
    const std::size_t known = std::min(bytes.size(), v2_signature.size());
    if (!std::equal(v2_signature.begin(), v2_signature.begin() + known, bytes.begin())) {
        return malformed("does not begin with a PROXY header");
    }
    if (bytes.size() < 13) return {};
    const bool proxied = bytes[12] == v2_proxy;
    if (!proxied && bytes[12] != v2_local) return malformed("version 2: unknown command");
    if (bytes.size() < 14) return {};
    const Transport transport{static_cast<unsigned>(bytes[13] >> 4), bytes[13] & 0x0fU};
    // All about a LOCAL connection is ignored, whatever it is.
    if (proxied && !transport.is_known()) return malformed("version 2: unknown family");
    if (bytes.size() < v2_fixed_size) return {};
    const std::size_t size = v2_fixed_size + port_at(bytes, 14);
    if (size > proxy_header_v2_max) return malformed("version 2: too long");
    const std::size_t addresses_size = proxied ? transport.addresses_size() : 0;
    if (size < v2_fixed_size + addresses_size) return malformed("version 2: addresses cut");
    if (bytes.size() < size) return {};
    const Bytes header = bytes.first(size);
    if (!proxied || !transport.is_specified()) return local(size);
    const char* problem = problem_of_extensions(header, v2_fixed_size + addresses_size);
    if (problem != nullptr) return malformed(problem);
    if (!transport.is_stream()) return local(size);
    return read_addresses(header, static_cast<Family>(transport.family), addresses_size);
}

// ---- writing

struct Endpoints {
    Family family = Family::unspecified;
    Binary source{};
    Binary destination{};
};

std::string_view without_zone(std::string_view address) {
    return address.substr(0, address.find('%'));
}

std::optional<Binary> unmapped(const Binary& address) {
    constexpr std::array<std::uint8_t, 12> mapped = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
    if (!std::equal(mapped.begin(), mapped.end(), address.begin())) return std::nullopt;
    Binary v4{};
    std::copy(address.begin() + mapped.size(), address.end(), v4.begin());
    return v4;
}

// Unspecified where there is nothing to tell.
Endpoints endpoints_of(const ProxyHeader& header) {
    const bool ip = header.family == Family::ipv4 || header.family == Family::ipv6;
    if (header.local || !ip) return {};
    const auto source = binary_of(header.family, without_zone(header.source));
    const auto destination = binary_of(header.family, without_zone(header.destination));
    if (!source || !destination) return {};
    if (header.family == Family::ipv6) {
        const auto source_v4 = unmapped(*source);
        const auto destination_v4 = unmapped(*destination);
        if (source_v4 && destination_v4) return {Family::ipv4, *source_v4, *destination_v4};
    }
    return {header.family, *source, *destination};
}

void write_port(ByteWriter& writer, std::uint16_t port) {
    writer.int1(static_cast<std::uint8_t>(port >> 8));
    writer.int1(static_cast<std::uint8_t>(port & 0xff));
}

void write_path(ByteWriter& writer, std::string_view path) {
    const std::string_view fits = path.substr(0, unix_path_size);
    writer.text(fits);
    for (std::size_t size = fits.size(); size < unix_path_size; ++size) writer.int1(0);
}

}  // namespace

ParsedProxyHeader parse_proxy_header(std::span<const std::uint8_t> bytes) {
    if (bytes.empty()) return {};
    return bytes.front() == v2_signature.front() ? parse_v2(bytes) : parse_v1(bytes);
}

void encode_proxy_header_v1(std::vector<std::uint8_t>& out, const ProxyHeader& header) {
    const Endpoints ends = endpoints_of(header);
    std::string line(v1_begin);
    if (ends.family == Family::unspecified) {
        line += v1_unknown;
    } else {
        line += ends.family == Family::ipv4 ? "TCP4 " : "TCP6 ";
        line += text_of(ends.family, ends.source) + " " + text_of(ends.family, ends.destination);
        line += " " + std::to_string(header.source_port);
        line += " " + std::to_string(header.destination_port);
    }
    line += "\r\n";
    out.insert(out.end(), line.begin(), line.end());
}

void encode_proxy_header_v2(std::vector<std::uint8_t>& out, const ProxyHeader& header) {
    const Endpoints ends = endpoints_of(header);
    const bool is_unix = !header.local && header.family == Family::unix_socket;
    const Family family = is_unix ? Family::unix_socket : ends.family;
    const bool tells = family != Family::unspecified;
    const Transport transport{static_cast<unsigned>(family), tells ? 1U : 0U};
    out.insert(out.end(), v2_signature.begin(), v2_signature.end());
    ByteWriter writer(out);
    writer.int1(tells ? v2_proxy : v2_local);
    writer.int1(static_cast<std::uint8_t>(transport.family << 4 | transport.protocol));
    write_port(writer, static_cast<std::uint16_t>(transport.addresses_size()));
    if (is_unix) {
        write_path(writer, header.source);
        write_path(writer, header.destination);
    } else if (tells) {
        const std::size_t size = address_size(family);
        writer.text(as_text(Bytes(ends.source).first(size)));
        writer.text(as_text(Bytes(ends.destination).first(size)));
        write_port(writer, header.source_port);
        write_port(writer, header.destination_port);
    }
}

}  // namespace protocol
