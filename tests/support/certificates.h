// Certificates for tests, made on the spot.
#pragma once

#include <openssl/evp.h>
#include <openssl/x509.h>

#include <memory>
#include <string>

namespace lockstep::testing {

struct Identity {
  std::string certificate_pem;
  std::string key_pem;
};

// A certificate authority of its own. Threads: one at a time.
class Authority {
 public:
  Authority();

  std::string certificate_pem() const;

  // A certificate for subject alternative names as OpenSSL writes them: "IP:127.0.0.1,DNS:api".
  // A negative number of days makes one that has expired.
  Identity issue(const std::string& alternative_names, int days = 1);

 private:
  using Key = std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)>;
  using Certificate = std::unique_ptr<X509, decltype(&X509_free)>;

  Key key_;
  Certificate certificate_;
  long serial_ = 1;
};

}  // namespace lockstep::testing
