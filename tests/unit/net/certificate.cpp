#include "certificate.hpp"

#include <gtest/gtest.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <cstdio>
#include <filesystem>
#include <memory>

namespace proxy::testing {
namespace {

using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

File open_file(const std::string& path) {
    return File{std::fopen(path.c_str(), "w"), &std::fclose};
}

}  // namespace

Certificate::Certificate(const std::string& host) {
    std::string pattern = std::filesystem::temp_directory_path() / "stockgate-net-XXXXXX";
    folder_ = ::mkdtemp(pattern.data());
    EVP_PKEY* pair = EVP_EC_gen("P-256");
    X509* x509 = X509_new();
    X509_set_version(x509, 2);
    ASN1_INTEGER_set(X509_get_serialNumber(x509), 1);
    X509_gmtime_adj(X509_getm_notBefore(x509), -60);
    X509_gmtime_adj(X509_getm_notAfter(x509), 3600);
    X509_set_pubkey(x509, pair);
    X509_NAME* name = X509_get_subject_name(x509);
    const auto* text = reinterpret_cast<const unsigned char*>(host.c_str());
    X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, text, -1, -1, 0);
    X509_set_issuer_name(x509, name);
    const std::string names = "DNS:" + host;
    X509_EXTENSION* extension =
        X509V3_EXT_conf_nid(nullptr, nullptr, NID_subject_alt_name, names.c_str());
    X509_add_ext(x509, extension, -1);
    X509_EXTENSION_free(extension);
    EXPECT_GT(X509_sign(x509, pair, EVP_sha256()), 0);
    {
        const File out = open_file(certificate());
        EXPECT_EQ(PEM_write_X509(out.get(), x509), 1);
    }
    {
        const File out = open_file(key());
        EXPECT_EQ(PEM_write_PrivateKey(out.get(), pair, nullptr, nullptr, 0, nullptr, nullptr), 1);
    }
    X509_free(x509);
    EVP_PKEY_free(pair);
}

Certificate::~Certificate() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
}

}  // namespace proxy::testing
