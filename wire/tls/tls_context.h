// What all TLS connections of a server share: certificate, private key, trusted authorities, ciphers. Made from PostgreSQL's
// ssl* settings, and made again by a reload; connections keep the one that they began with.
// Immutable. Thread safety: all functions, from any thread.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include <openssl/types.h>

#include "base/error.h"

namespace indigo::wire {

// As PostgreSQL's settings of these names with `ssl_` in front; relative paths are relative to the working directory.
struct TlsSettings {
  std::string cert_file = "server.crt";
  std::string key_file = "server.key";
  std::string ca_file;   // empty: no certificate is asked of clients
  std::string crl_file;  // revoked client certificates
  std::string crl_dir;
  std::string ciphers = "HIGH:MEDIUM:+3DES:!aNULL";  // for TLS 1.2 and below
  bool prefer_server_ciphers = true;
  std::string ecdh_curve = "prime256v1";
  std::string dh_params_file;
  std::string min_protocol_version = "TLSv1.2";
  std::string max_protocol_version;  // empty: the newest
  std::string passphrase_command;    // %p is the prompt; its first line of output opens the key
};

class TlsContext {
 public:
  // Errors (22023): files that cannot be read, a key that others may read or that is not the certificate's, unknown ciphers,
  // curves or protocol versions.
  static Result<std::shared_ptr<const TlsContext>> load(const TlsSettings& settings);
  ~TlsContext();
  TlsContext(const TlsContext&) = delete;
  TlsContext& operator=(const TlsContext&) = delete;

  SSL_CTX* native() const { return context_; }
  // Whether a client's certificate can be judged.
  bool asks_for_certificates() const { return asks_for_certificates_; }
  // The channel binding `tls-server-end-point` (RFC 5929): a digest of the server's certificate.
  const std::string& end_point() const { return end_point_; }

 private:
  explicit TlsContext(SSL_CTX* context) : context_(context) {}

  SSL_CTX* context_;
  bool asks_for_certificates_ = false;
  std::string end_point_;
};

// The oldest error of OpenSSL's queue as text, and an empty queue.
std::string take_tls_error();

}  // namespace indigo::wire
