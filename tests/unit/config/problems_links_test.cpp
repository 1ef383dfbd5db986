#include "unit/config/problem_case.hpp"

namespace config::test {
namespace {

TEST(problems_links, client_tls) {
    check_problems({
        {minimal + "client: { tls: { mode: optional } }\n",
         "f:2: client.tls.certificate: is required unless client.tls.mode is off. Name a PEM "
         "file.\n"
         "f:2: client.tls.key: is required unless client.tls.mode is off. Name a PEM file.\n"},
        {minimal + "client: { tls: { mode: required, certificate: a, key: \"\" } }\n",
         "f:2: client.tls.key: is required unless client.tls.mode is off. Name a PEM file.\n"},
        {minimal + "client: { tls: { mode: required, certificate: a, key: b/ } }\n",
         "f:2: client.tls.key: 'b/' is a folder. Write the path of a file.\n"},
        {minimal + "client: { tls: { certificate: \"a\\n\", key: [b] } }\n",
         "f:2: client.tls.certificate: has a control character.\n"
         "f:2: client.tls.key: expected a path, got a list.\n"},
        {minimal + "client: { tls: { key: " + std::string(4096, 'k') + " } }\n",
         "f:2: client.tls.key: is longer than 4095 bytes.\n"},
        {minimal + "client: { tls: { client_certificate_required: true } }\n",
         "f:2: client.tls.client_ca: is required to judge client certificates. Name a PEM file.\n"},
        {minimal + "client: { tls: { client_certificate_required: yes, min_version: TLSv1.1 } }\n",
         "f:2: client.tls.client_certificate_required: 'yes' is not known here. Use one of false, "
         "true.\n"
         "f:2: client.tls.min_version: 'TLSv1.1' is not known here. Did you mean 'TLSv1.2'?\n"},
        {minimal + "client: { tls: { mode: on }, compression: 1 }\n",
         "f:2: client.tls.mode: 'on' is not known here. Use one of off, optional, required.\n"
         "f:2: client.compression: '1' is not known here. Use one of false, true.\n"},
    });
}

TEST(problems_links, proxy_protocol) {
    check_problems({
        {minimal + "client: { proxy_protocol: { trusted: 10.0.0.1/8 } }\n",
         "f:2: client.proxy_protocol.trusted: '10.0.0.1/8' has bits behind its prefix. Write "
         "10.0.0.0/8 for the network, or 10.0.0.1/32 for one address.\n"},
        {minimal + "client:\n"
                   "  proxy_protocol:\n"
                   "    trusted:\n"
                   "      - 10.0.0.0/33\n"
                   "      - db.example\n"
                   "      - [127.0.0.1]\n"
                   "      - ::1/x\n",
         "f:5: client.proxy_protocol.trusted[0]: the prefix '33' is not a number up to 32. Write "
         "ADDRESS/PREFIX, such as 10.0.0.0/8.\n"
         "f:6: client.proxy_protocol.trusted[1]: 'db.example' is not an IP address. Write "
         "ADDRESS/PREFIX, such as 10.0.0.0/8.\n"
         "f:7: client.proxy_protocol.trusted[2]: expected a network, got a list.\n"
         "f:8: client.proxy_protocol.trusted[3]: the prefix 'x' is not a number up to 128. Write "
         "ADDRESS/PREFIX, such as 10.0.0.0/8.\n"},
        {minimal + "client: { proxy_protocol: true }\n",
         "f:2: client.proxy_protocol: expected a map of keys. Put its keys on indented lines below "
         "it.\n"},
        {"backend: { address: db:1, proxy_protocol: v3 }\n",
         "f:1: backend.proxy_protocol: 'v3' is not known here. Did you mean 'v1'?\n"},
    });
}

TEST(problems_links, mask) {
    check_problems({
        {minimal + "client: { mask: [local_files, local_files] }\n",
         "f:2: client.mask[1]: 'local_files' is listed already. Keep one of them.\n"},
        {minimal + "client: { mask: [local_file, [a]] }\n",
         "f:2: client.mask[0]: 'local_file' is not known here. Did you mean 'local_files'?\n"
         "f:2: client.mask[1]: expected a word, got a list.\n"},
        {minimal + "client: { mask: { local_files: true } }\n",
         "f:2: client.mask: expected a word, got a map.\n"},
    });
}

TEST(problems_links, backend_tls) {
    const std::string backend = "backend:\n  address: db:3306\n";
    check_problems({
        {backend + "  tls: { mode: required, verify: ca }\n",
         "f:3: backend.tls.ca: is required to verify the server's certificate. Name a PEM file.\n"},
        {backend + "  tls: { certificate: a }\n",
         "f:3: backend.tls.key: is required, a certificate and its key belong together. Name a PEM "
         "file.\n"},
        {backend + "  tls: { key: a }\n",
         "f:3: backend.tls.certificate: is required, a certificate and its key belong together. "
         "Name a PEM file.\n"},
        {"backend:\n"
         "  address: unix:/run/db.sock\n"
         "  tls: { verify: host, ca: a }\n",
         "f:3: backend.tls.host: is required because a unix socket has no host name. Write the "
         "name in the server's certificate.\n"},
        {backend + "  tls: { host: \"db:1 \" }\n",
         "f:3: backend.tls.host: 'db:1 ' is not a host name. Write it without port and "
         "brackets.\n"},
        {backend + "  tls: { mode: disabled, verify: ca, ca: a }\n",
         "",
         "f:3: backend.tls.verify: is without effect because backend.tls.mode is disabled.\n"},
        {backend + "  tls: { mode: preferred, verify: ca, ca: a }\n",
         "",
         "f:3: backend.tls.verify: is without effect on a server that offers no TLS, because "
         "backend.tls.mode is preferred. Use required.\n"},
        {backend + "  tls: { mode: require }\n  compression: on\n",
         "f:3: backend.tls.mode: 'require' is not known here. Did you mean 'required'?\n"
         "f:4: backend.compression: 'on' is not known here. Use one of as_client, off.\n"},
    });
}

}  // namespace
}  // namespace config::test
