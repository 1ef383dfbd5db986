#include "config/validate.hpp"

#include <string>

namespace config {
namespace {

std::string listen_path(const Config& config, std::size_t index, const Report& report) {
    const std::string element = "listen[" + std::to_string(index) + "]";
    // A single address is written without a list.
    return config.listen.size() == 1 && !report.has(element) ? "listen" : element;
}

void check_listen(const Config& config, Report& report) {
    for (std::size_t index = 0; index < config.listen.size(); ++index) {
        const Address& address = config.listen[index];
        for (std::size_t earlier = 0; earlier < index; ++earlier) {
            if (!collide(config.listen[earlier], address)) continue;
            report.problem_at(
                listen_path(config, index, report),
                to_string(address) + " collides with " + to_string(config.listen[earlier]),
                "Remove one of them"
            );
            break;
        }
    }
}

void check_admin(const Config& config, Report& report) {
    const std::string path = "admin.address";
    if (report.is_bad(path)) return;
    if (!is_loopback(config.admin.address)) {
        report.problem_at(
            path,
            to_string(config.admin.address) + " is not a loopback address",
            "Nobody is asked for a password there; use 127.0.0.1 and a tunnel or sidecar"
        );
        return;
    }
    for (const Address& address : config.listen) {
        if (!collide(address, config.admin.address)) continue;
        report.problem_at(
            path, "collides with listen " + to_string(address), "Choose another port"
        );
        return;
    }
}

// A proxy that connects to itself opens connections until nothing works any more.
void check_backend(const Config& config, Report& report) {
    const Address& backend = config.backend.address;
    if (report.is_bad("backend.address")) return;
    for (const Address& address : config.listen) {
        const bool same_port = address.port == backend.port && !address.is_unix();
        const bool local = is_wildcard(address) && is_loopback(backend);
        if (!collide(address, backend) && !(same_port && local)) continue;
        report.problem_at(
            "backend.address",
            to_string(backend) + " is where this proxy itself listens",
            "Write the address of the database server"
        );
        return;
    }
}

// A path that is needed and not there; one that was refused has its problem already.
bool lacks(const std::string& value, const std::string& path, const Report& report) {
    return value.empty() && !report.is_bad(path);
}

void check_client_tls(const ClientTls& tls, Report& report) {
    const std::string section = "client.tls.";
    const auto need = [&](const std::string& value, const std::string& key, std::string why) {
        if (lacks(value, section + key, report)) {
            report.problem_at(section + key, std::move(why), "Name a PEM file");
        }
    };
    if (tls.mode != ClientTls::Mode::off) {
        need(tls.certificate, "certificate", "is required unless client.tls.mode is off");
        need(tls.key, "key", "is required unless client.tls.mode is off");
    }
    if (tls.client_certificate_required) {
        need(tls.client_ca, "client_ca", "is required to judge client certificates");
    }
}

// What is verified only sometimes protects from nobody who can choose when.
void check_backend_tls_mode(const BackendTls& tls, Report& report) {
    const std::string path = "backend.tls.verify";
    if (tls.verify == BackendTls::Verify::none) return;
    if (tls.mode == BackendTls::Mode::disabled) {
        report.warning_at(path, "is without effect because backend.tls.mode is disabled");
    }
    if (tls.mode == BackendTls::Mode::preferred) {
        report.warning_at(
            path,
            "is without effect on a server that offers no TLS, because backend.tls.mode is "
            "preferred",
            "Use required"
        );
    }
}

void check_backend_tls(const Backend& backend, Report& report) {
    const BackendTls& tls = backend.tls;
    const std::string section = "backend.tls.";
    if (tls.verify != BackendTls::Verify::none && lacks(tls.ca, section + "ca", report)) {
        report.problem_at(
            section + "ca", "is required to verify the server's certificate", "Name a PEM file"
        );
    }
    const bool nameless = backend.address.is_unix() && tls.host.empty();
    if (tls.verify == BackendTls::Verify::host && nameless && !report.is_bad(section + "host")) {
        report.problem_at(
            section + "host",
            "is required because a unix socket has no host name",
            "Write the name in the server's certificate"
        );
    }
    if (tls.certificate.empty() == tls.key.empty()) return;
    const std::string missing = section + (tls.key.empty() ? "key" : "certificate");
    if (report.is_bad(missing)) return;
    report.problem_at(
        missing, "is required, a certificate and its key belong together", "Name a PEM file"
    );
}

}  // namespace

void validate_links(const Config& config, Report& report) {
    check_listen(config, report);
    check_admin(config, report);
    check_backend(config, report);
    check_client_tls(config.client.tls, report);
    check_backend_tls(config.backend, report);
    check_backend_tls_mode(config.backend.tls, report);
}

}  // namespace config
