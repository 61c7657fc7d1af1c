// Everything here is OpenSSL's own checking: nothing is compared by hand.
#include "operator/kube/tls.h"

#include <arpa/inet.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <memory>

namespace lockstep {
namespace {

using Bio = std::unique_ptr<BIO, decltype(&BIO_free_all)>;
using Certificate = std::unique_ptr<X509, decltype(&X509_free)>;
using Key = std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)>;

Bio memory_of(const std::string& text) {
  return {BIO_new_mem_buf(text.data(), static_cast<int>(text.size())), BIO_free_all};
}

Certificate next_certificate(BIO* source) {
  return {PEM_read_bio_X509(source, nullptr, nullptr, nullptr), X509_free};
}

bool is_ip_address(const std::string& host) {
  unsigned char address[sizeof(in6_addr)];
  return inet_pton(AF_INET, host.c_str(), address) == 1 ||
         inet_pton(AF_INET6, host.c_str(), address) == 1;
}

// Writes why a certificate was refused into the string that configure_tls was given.
int remember_fault(int is_good, X509_STORE_CTX* store) {
  if (is_good) return 1;
  const int index = SSL_get_ex_data_X509_STORE_CTX_idx();
  const SSL* connection = static_cast<SSL*>(X509_STORE_CTX_get_ex_data(store, index));
  auto* fault = static_cast<std::string*>(SSL_CTX_get_app_data(SSL_get_SSL_CTX(connection)));
  *fault = X509_verify_cert_error_string(X509_STORE_CTX_get_error(store));
  return 0;
}

Result<void> trust(SSL_CTX* context, const ApiServer& server) {
  if (!server.authorities.is_given()) {
    SSL_CTX_set_default_verify_paths(context);
    return {};
  }
  const std::string pem = TRY(server.authorities.read());
  const Bio source = memory_of(pem);
  int count = 0;
  while (const Certificate authority = next_certificate(source.get())) {
    X509_STORE_add_cert(SSL_CTX_get_cert_store(context), authority.get());
    ++count;
  }
  ERR_clear_error();
  if (count == 0) return failure(Kind::kInvalid, "the certificate authority holds no certificate");
  return {};
}

Result<void> verify_name(SSL_CTX* context, const ApiServer& server) {
  const std::string& name = server.server_name.empty() ? server.host : server.server_name;
  X509_VERIFY_PARAM* param = SSL_CTX_get0_param(context);
  const bool is_set = is_ip_address(name)
                          ? X509_VERIFY_PARAM_set1_ip_asc(param, name.c_str()) == 1
                          : X509_VERIFY_PARAM_set1_host(param, name.data(), name.size()) == 1;
  if (!is_set) return failure(Kind::kInvalid, "\"" + name + "\" cannot be a server's name");
  return {};
}

Result<void> identify(SSL_CTX* context, const ApiServer& server) {
  if (!server.client_certificate.is_given()) return {};
  const std::string certificates = TRY(server.client_certificate.read());
  const Bio source = memory_of(certificates);
  const Certificate leaf = next_certificate(source.get());
  const std::string key_pem = TRY(server.client_key.read());
  const Key key{PEM_read_bio_PrivateKey(memory_of(key_pem).get(), nullptr, nullptr, nullptr),
                EVP_PKEY_free};
  if (!leaf || !key || SSL_CTX_use_certificate(context, leaf.get()) != 1 ||
      SSL_CTX_use_PrivateKey(context, key.get()) != 1) {
    ERR_clear_error();
    return failure(Kind::kInvalid, "the client certificate and key do not fit together");
  }
  while (const Certificate link = next_certificate(source.get())) {
    SSL_CTX_add1_chain_cert(context, link.get());
  }
  ERR_clear_error();
  return {};
}

}  // namespace

Result<void> configure_tls(SSL_CTX* context, const ApiServer& server, std::string* fault) {
  SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
  TRY(identify(context, server));
  if (!server.is_verified) {
    SSL_CTX_set_verify(context, SSL_VERIFY_NONE, nullptr);
    return {};
  }
  TRY(trust(context, server));
  TRY(verify_name(context, server));
  SSL_CTX_set_app_data(context, fault);
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER, remember_fault);
  return {};
}

Result<void> check_tls(const ApiServer& server) {
  if (!server.is_tls) return {};
  const std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)> context{SSL_CTX_new(TLS_client_method()),
                                                                  SSL_CTX_free};
  std::string unused;
  return configure_tls(context.get(), server, &unused);
}

}  // namespace lockstep
