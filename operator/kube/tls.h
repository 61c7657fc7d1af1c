// Tells OpenSSL whom to trust and who we are.
#pragma once

#include <openssl/ssl.h>

#include <string>

#include "operator/kube/credentials.h"

namespace lockstep {

// Prepares `context` for connections to `server`: TLS 1.2 at least, its authorities, our client
// certificate, and the check of the certificate's name or IP address, which OpenSSL then makes
// during the handshake. `fault` outlives the context and receives the reason of a refusal.
// Errors: kInvalid, for certificates or keys that cannot be used.
Result<void> configure_tls(SSL_CTX* context, const ApiServer& server, std::string* fault);

// Whether configure_tls would succeed: so that a damaged certificate is an error at the start.
Result<void> check_tls(const ApiServer& server);

}  // namespace lockstep
