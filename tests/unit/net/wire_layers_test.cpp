// TLS and compressed packets on a wire, alone and together.
#include "certificate.hpp"
#include "proxy/net/tls_context.hpp"
#include "wire_pair.hpp"

#include <boost/asio/error.hpp>

#include <fstream>

namespace proxy::testing {
namespace {

using protocol::Compression;

class WireLayers : public WirePair {
protected:
    void use(const TlsContext::Loaded& server, const TlsContext::Loaded& client) {
        ASSERT_EQ(server.wrong, "");
        ASSERT_EQ(client.wrong, "");
        start_tls(*near_, server.context->new_stream(), server_result_);
        start_tls(*far_, client.context->new_stream(), client_result_);
        run_until([this] { return server_result_ && client_result_; });
    }
    void secure() {
        use(TlsContext::load_server(server_config()), TlsContext::load_client({}, "db.example"));
        ASSERT_FALSE(*server_result_);
        ASSERT_FALSE(*client_result_);
    }
    void compress(Compression algorithm) {
        near_->start_compression(algorithm, 3, {});
        far_->start_compression(algorithm, 3, {});
    }
    config::ClientTls server_config() {
        config::ClientTls tls;
        tls.mode = config::ClientTls::Mode::optional;
        tls.certificate = certificate_.certificate();
        tls.key = certificate_.key();
        return tls;
    }
    config::BackendTls verifying(const std::string& host) {
        config::BackendTls tls;
        tls.verify = config::BackendTls::Verify::host;
        tls.ca = certificate_.certificate();
        tls.host = host;
        return tls;
    }

    Certificate certificate_{"db.example"};
    std::optional<ErrorCode> server_result_;
    std::optional<ErrorCode> client_result_;
};

TEST_F(WireLayers, TlsCarriesBytesBothWays) {
    secure();
    EXPECT_TRUE(near_->has_tls());
    expect_exchange({1});
    // Longer than a record, and than what a reader's buffer takes at once.
    expect_exchange(sample(1'000'000));
}

TEST_F(WireLayers, TlsEndsWithItsOwnFarewell) {
    secure();
    near_->shutdown_send();
    ErrorCode error;
    EXPECT_TRUE(read(*far_, 1, error).empty());
    EXPECT_EQ(error, boost::asio::error::eof);
}

TEST_F(WireLayers, ACertificateForTheNameIsAccepted) {
    use(TlsContext::load_server(server_config()),
        TlsContext::load_client(verifying("db.example"), "10.0.0.1"));
    EXPECT_FALSE(*client_result_);
}

TEST_F(WireLayers, ACertificateForAnotherNameIsRefusedAndSaidSo) {
    use(TlsContext::load_server(server_config()),
        TlsContext::load_client(verifying("other.example"), "10.0.0.1"));
    EXPECT_TRUE(*client_result_);
    EXPECT_EQ(far_->tls_problem(), "hostname mismatch");
}

TEST_F(WireLayers, AnUnknownAuthorityIsRefused) {
    const Certificate other{"db.example"};
    auto config = verifying("db.example");
    config.ca = other.certificate();
    use(TlsContext::load_server(server_config()), TlsContext::load_client(config, ""));
    EXPECT_TRUE(*client_result_);
    EXPECT_NE(far_->tls_problem(), "");
}

TEST_F(WireLayers, ARequiredClientCertificateIsAskedFor) {
    auto server = server_config();
    server.client_ca = certificate_.certificate();
    server.client_certificate_required = true;
    use(TlsContext::load_server(server), TlsContext::load_client({}, ""));
    EXPECT_TRUE(*server_result_);
    EXPECT_NE(near_->tls_problem(), "");
}

TEST_F(WireLayers, AClientCertificateIsAccepted) {
    auto server = server_config();
    server.client_ca = certificate_.certificate();
    server.client_certificate_required = true;
    config::BackendTls client;
    client.certificate = certificate_.certificate();
    client.key = certificate_.key();
    use(TlsContext::load_server(server), TlsContext::load_client(client, ""));
    EXPECT_FALSE(*server_result_);
    expect_exchange(sample(10'000));
}

TEST_F(WireLayers, PlainBytesInsteadOfAHandshakeFailAndAreSaid) {
    const auto server = TlsContext::load_server(server_config());
    start_tls(*near_, server.context->new_stream(), server_result_);
    start_write(*far_, sample(100));
    run_until([this] { return server_result_.has_value(); });
    EXPECT_TRUE(*server_result_);
    EXPECT_NE(near_->tls_problem(), "");
}

TEST_F(WireLayers, APeerThatLeavesDuringTheHandshakeEndsIt) {
    const auto server = TlsContext::load_server(server_config());
    start_tls(*near_, server.context->new_stream(), server_result_);
    far_->close();
    run_until([this] { return server_result_.has_value(); });
    EXPECT_TRUE(*server_result_);
}

TEST_F(WireLayers, FilesThatCannotBeUsedAreNamed) {
    auto config = server_config();
    config.certificate = "/nowhere/certificate.pem";
    EXPECT_EQ(TlsContext::load_server(config).wrong.substr(0, 25), "/nowhere/certificate.pem:");
    const Certificate other{"db.example"};
    config = server_config();
    config.key = other.key();
    EXPECT_NE(TlsContext::load_server(config).wrong, "");
    std::ofstream{certificate_.certificate()} << "no certificate";
    EXPECT_NE(TlsContext::load_server(server_config()).wrong, "");
    config::BackendTls client;
    client.ca = certificate_.certificate();
    EXPECT_NE(TlsContext::load_client(client, "").wrong, "");
}

TEST_F(WireLayers, CompressedPacketsCarryBytesBothWays) {
    compress(Compression::zlib);
    expect_exchange({1, 2, 3});
    expect_exchange(sample(1'000'000));
}

TEST_F(WireLayers, ZstdDoesToo) {
    compress(Compression::zstd);
    expect_exchange(sample(1'000'000));
}

TEST_F(WireLayers, CompressionInsideTls) {
    secure();
    compress(Compression::zlib);
    expect_exchange(sample(1'000'000));
}

TEST_F(WireLayers, CompressedPacketsCountOnFromThePeersAndAnewForACommand) {
    near_->start_compression(Compression::zlib, 6, {});
    const auto number_of_next = [this] {
        start_write(*near_, {9});
        ErrorCode error;
        return read(*far_, 8, error).at(3);
    };
    EXPECT_EQ(number_of_next(), 0);
    EXPECT_EQ(number_of_next(), 1);
    start_write(*far_, {1, 0, 0, 41, 0, 0, 0, 7});
    ErrorCode error;
    EXPECT_EQ(read(*near_, 1, error), Bytes{7});
    EXPECT_EQ(number_of_next(), 2);
    near_->follow_peer();
    EXPECT_EQ(number_of_next(), 42);
    EXPECT_EQ(number_of_next(), 43);
    near_->begin_pipelined_reply();
    EXPECT_EQ(number_of_next(), 1);
    near_->begin_command();
    EXPECT_EQ(number_of_next(), 0);
}

TEST_F(WireLayers, DamagedCompressedPacketsAreAnError) {
    near_->start_compression(Compression::zlib, 6, {});
    start_write(*far_, {4, 0, 0, 0, 9, 0, 0, 1, 2, 3, 4});
    ErrorCode error;
    EXPECT_TRUE(read(*near_, 1, error).empty());
    EXPECT_TRUE(error);
}

}  // namespace
}  // namespace proxy::testing
