#pragma once
// A key and a certificate signed by itself, as PEM files that go with the object.

#include <string>

namespace proxy::testing {

class Certificate {
public:
    // For the host name `host` alone.
    explicit Certificate(const std::string& host);
    Certificate(const Certificate&) = delete;
    Certificate& operator=(const Certificate&) = delete;
    ~Certificate();

    [[nodiscard]] std::string certificate() const { return folder_ + "/certificate.pem"; }
    [[nodiscard]] std::string key() const { return folder_ + "/key.pem"; }

private:
    std::string folder_;
};

}  // namespace proxy::testing
