// A small certificate authority over OpenSSL.
#include "tests/support/certificates.h"

#include <openssl/ec.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

namespace lockstep::testing {
namespace {

constexpr long kDaySeconds = 86'400;

EVP_PKEY* new_key() { return EVP_EC_gen("P-256"); }

X509* new_certificate(long serial, const char* common_name, int days) {
  X509* certificate = X509_new();
  X509_set_version(certificate, X509_VERSION_3);
  ASN1_INTEGER_set(X509_get_serialNumber(certificate), serial);
  X509_gmtime_adj(X509_getm_notBefore(certificate), -2 * kDaySeconds);
  X509_gmtime_adj(X509_getm_notAfter(certificate), days * kDaySeconds);
  X509_NAME* name = X509_get_subject_name(certificate);
  X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC,
                             reinterpret_cast<const unsigned char*>(common_name), -1, -1, 0);
  return certificate;
}

void extend(X509* certificate, int nid, const std::string& value) {
  X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, nullptr, nid, value.c_str());
  X509_add_ext(certificate, extension, -1);
  X509_EXTENSION_free(extension);
}

template <typename Write>
std::string pem_of(Write write) {
  const std::unique_ptr<BIO, decltype(&BIO_free_all)> memory{BIO_new(BIO_s_mem()), BIO_free_all};
  write(memory.get());
  char* data = nullptr;
  const long length = BIO_get_mem_data(memory.get(), &data);
  return {data, static_cast<std::size_t>(length)};
}

std::string certificate_pem_of(X509* certificate) {
  return pem_of([&](BIO* to) { PEM_write_bio_X509(to, certificate); });
}

}  // namespace

Authority::Authority()
    : key_(new_key(), EVP_PKEY_free),
      certificate_(new_certificate(serial_++, "test authority", 1), X509_free) {
  X509_set_issuer_name(certificate_.get(), X509_get_subject_name(certificate_.get()));
  X509_set_pubkey(certificate_.get(), key_.get());
  extend(certificate_.get(), NID_basic_constraints, "critical,CA:TRUE");
  X509_sign(certificate_.get(), key_.get(), EVP_sha256());
}

std::string Authority::certificate_pem() const { return certificate_pem_of(certificate_.get()); }

Identity Authority::issue(const std::string& alternative_names, int days) {
  const Key key{new_key(), EVP_PKEY_free};
  const Certificate leaf{new_certificate(serial_++, "test leaf", days), X509_free};
  X509_set_issuer_name(leaf.get(), X509_get_subject_name(certificate_.get()));
  X509_set_pubkey(leaf.get(), key.get());
  extend(leaf.get(), NID_subject_alt_name, alternative_names);
  X509_sign(leaf.get(), key_.get(), EVP_sha256());
  return {certificate_pem_of(leaf.get()), pem_of([&](BIO* to) {
            PEM_write_bio_PrivateKey(to, key.get(), nullptr, nullptr, 0, nullptr, nullptr);
          })};
}

}  // namespace lockstep::testing
