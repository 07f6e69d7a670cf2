#include "wire/tls/tls_context.h"

#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <optional>

#include <openssl/dh.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include "base/sqlstate.h"

namespace indigo::wire {

namespace {

Error config_error(std::string message) { return Error(sqlstate::kInvalidParameterValue, std::move(message)); }

Error with_reason(const std::string& what) { return config_error(what + ": " + take_tls_error()); }

// A key that others can read protects nothing.
Status check_key_file(const std::string& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) {
    return config_error("could not access private key file \"" + path + "\": " + strerror(errno));
  }
  if (!S_ISREG(status.st_mode)) return config_error("private key file \"" + path + "\" is not a regular file");
  if (status.st_uid != geteuid() && status.st_uid != 0) {
    return config_error("private key file \"" + path + "\" must be owned by the database user or root");
  }
  const mode_t refused = status.st_uid == geteuid() ? S_IRWXG | S_IRWXO : S_IWGRP | S_IXGRP | S_IRWXO;
  if ((status.st_mode & refused) != 0) {
    return config_error("private key file \"" + path + "\" has group or world access")
        .with_detail(
            "File must have permissions u=rw (0600) or less if owned by the database user, or permissions u=rw,g=r "
            "(0640) or less if owned by root.");
  }
  return {};
}

// The first line that `command` prints; nullopt when it fails.
std::optional<std::string> ask_for_passphrase(const std::string& command) {
  std::string asked;
  for (size_t i = 0; i < command.size(); i++) {
    if (command[i] != '%' || i + 1 == command.size()) {
      asked += command[i];
    } else if (command[++i] == 'p') {
      asked += "Enter PEM pass phrase:";
    } else {
      asked += command[i];
    }
  }
  FILE* pipe = popen(asked.c_str(), "r");
  if (pipe == nullptr) return std::nullopt;
  std::array<char, 1024> line{};
  const bool read = fgets(line.data(), static_cast<int>(line.size()), pipe) != nullptr;
  const bool succeeded = pclose(pipe) == 0;
  if (!read || !succeeded) return std::nullopt;
  std::string text(line.data());
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.pop_back();
  return text;
}

// OpenSSL asks when a key is encrypted; without a command there is no answer.
int passphrase_callback(char* buffer, int size, int writing, void* command_text) {
  const auto* command = static_cast<const std::string*>(command_text);
  if (writing != 0 || command == nullptr || command->empty() || size <= 0) return -1;
  const auto text = ask_for_passphrase(*command);
  if (!text || text->size() > static_cast<size_t>(size)) return -1;
  text->copy(buffer, text->size());
  return static_cast<int>(text->size());
}

Result<int> protocol_version(const std::string& name) {
  if (name.empty()) return 0;
  if (name == "TLSv1") return TLS1_VERSION;
  if (name == "TLSv1.1") return TLS1_1_VERSION;
  if (name == "TLSv1.2") return TLS1_2_VERSION;
  if (name == "TLSv1.3") return TLS1_3_VERSION;
  return Error(sqlstate::kInvalidParameterValue, "invalid TLS protocol version \"" + name + "\"");
}

Status set_versions(SSL_CTX* context, const TlsSettings& settings) {
  INDIGO_ASSIGN(const int lowest, protocol_version(settings.min_protocol_version));
  INDIGO_ASSIGN(const int highest, protocol_version(settings.max_protocol_version));
  if (highest != 0 && lowest > highest) {
    return config_error("could not set SSL protocol version range")
        .with_detail("\"ssl_min_protocol_version\" cannot be higher than \"ssl_max_protocol_version\"");
  }
  if (SSL_CTX_set_min_proto_version(context, lowest) != 1) {
    return config_error("could not set minimum SSL protocol version");
  }
  if (SSL_CTX_set_max_proto_version(context, highest) != 1) {
    return config_error("could not set maximum SSL protocol version");
  }
  return {};
}

Status set_key_exchange(SSL_CTX* context, const TlsSettings& settings) {
  if (SSL_CTX_set_cipher_list(context, settings.ciphers.c_str()) != 1) {
    return config_error("could not set the cipher list (no valid ciphers available)");
  }
  const std::string curves = settings.ecdh_curve + ":X25519:P-256:P-384";
  if (SSL_CTX_set1_groups_list(context, settings.ecdh_curve.c_str()) != 1) {
    return config_error("ECDH: unrecognized curve name: " + settings.ecdh_curve);
  }
  SSL_CTX_set1_groups_list(context, curves.c_str());
  if (settings.dh_params_file.empty()) {
    SSL_CTX_set_dh_auto(context, 1);
    return {};
  }
  BIO* file = BIO_new_file(settings.dh_params_file.c_str(), "r");
  EVP_PKEY* parameters = file == nullptr ? nullptr : PEM_read_bio_Parameters(file, nullptr);
  BIO_free(file);
  if (parameters == nullptr)
    return with_reason("could not load DH parameters file \"" + settings.dh_params_file + "\"");
  if (SSL_CTX_set0_tmp_dh_pkey(context, parameters) != 1) {
    EVP_PKEY_free(parameters);
    return with_reason("could not set DH parameters");
  }
  return {};
}

Status trust(SSL_CTX* context, const TlsSettings& settings) {
  STACK_OF(X509_NAME)* authorities = nullptr;
  if (SSL_CTX_load_verify_locations(context, settings.ca_file.c_str(), nullptr) != 1 ||
      (authorities = SSL_load_client_CA_file(settings.ca_file.c_str())) == nullptr) {
    return with_reason("could not load root certificate file \"" + settings.ca_file + "\"");
  }
  SSL_CTX_set_client_CA_list(context, authorities);  // takes them
  // A client may come without a certificate; one that it shows must be good.
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER | SSL_VERIFY_CLIENT_ONCE, nullptr);
  if (settings.crl_file.empty() && settings.crl_dir.empty()) return {};
  X509_STORE* store = SSL_CTX_get_cert_store(context);
  const char* file = settings.crl_file.empty() ? nullptr : settings.crl_file.c_str();
  const char* folder = settings.crl_dir.empty() ? nullptr : settings.crl_dir.c_str();
  if (X509_STORE_load_locations(store, file, folder) != 1) {
    return with_reason("could not load SSL certificate revocation list (" + settings.crl_file + settings.crl_dir + ")");
  }
  X509_STORE_set_flags(store, X509_V_FLAG_CRL_CHECK | X509_V_FLAG_CRL_CHECK_ALL);
  return {};
}

// RFC 5929, 4.1: by the certificate's own digest, or SHA-256 where that is a weak one.
Result<std::string> digest_of_certificate(SSL_CTX* context) {
  X509* certificate = SSL_CTX_get0_certificate(context);
  int digest_id = NID_undef;
  if (certificate == nullptr || OBJ_find_sigid_algs(X509_get_signature_nid(certificate), &digest_id, nullptr) != 1) {
    return config_error("could not determine server certificate signature algorithm");
  }
  const EVP_MD* digest = EVP_get_digestbynid(digest_id);
  if (digest_id == NID_md5 || digest_id == NID_sha1 || digest == nullptr) digest = EVP_sha256();
  std::array<unsigned char, EVP_MAX_MD_SIZE> bytes{};
  unsigned length = 0;
  if (X509_digest(certificate, digest, bytes.data(), &length) != 1) {
    return config_error("could not generate server certificate hash");
  }
  return std::string(bytes.begin(), bytes.begin() + length);
}

}  // namespace

std::string take_tls_error() {
  const unsigned long code = ERR_get_error();
  ERR_clear_error();
  if (code == 0) return "no SSL error reported";
  if (ERR_SYSTEM_ERROR(code)) return strerror(static_cast<int>(ERR_GET_REASON(code)));
  const char* reason = ERR_reason_error_string(code);
  return reason != nullptr ? reason : "SSL error code " + std::to_string(code);
}

TlsContext::~TlsContext() { SSL_CTX_free(context_); }

Result<std::shared_ptr<const TlsContext>> TlsContext::load(const TlsSettings& settings) {
  ERR_clear_error();
  SSL_CTX* native = SSL_CTX_new(TLS_server_method());
  if (native == nullptr) return with_reason("could not create SSL context");
  std::shared_ptr<TlsContext> context(new TlsContext(native));
  SSL_CTX_set_mode(native,
                   SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER | SSL_MODE_RELEASE_BUFFERS);
  // Neither tickets nor sessions that are resumed (a session is judged once, at its handshake), nor renegotiation.
  SSL_CTX_set_session_cache_mode(native, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_num_tickets(native, 0);
  SSL_CTX_set_options(native, SSL_OP_NO_TICKET | SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION |
                                  SSL_OP_SINGLE_ECDH_USE | SSL_OP_SINGLE_DH_USE);
  if (settings.prefer_server_ciphers) SSL_CTX_set_options(native, SSL_OP_CIPHER_SERVER_PREFERENCE);
  SSL_CTX_set_default_passwd_cb(native, passphrase_callback);
  SSL_CTX_set_default_passwd_cb_userdata(native, const_cast<std::string*>(&settings.passphrase_command));

  if (SSL_CTX_use_certificate_chain_file(native, settings.cert_file.c_str()) != 1) {
    return with_reason("could not load server certificate file \"" + settings.cert_file + "\"");
  }
  INDIGO_TRY(check_key_file(settings.key_file));
  if (SSL_CTX_use_PrivateKey_file(native, settings.key_file.c_str(), SSL_FILETYPE_PEM) != 1) {
    return with_reason("could not load private key file \"" + settings.key_file + "\"");
  }
  if (SSL_CTX_check_private_key(native) != 1) return with_reason("check of private key failed");
  SSL_CTX_set_default_passwd_cb_userdata(native, nullptr);  // the settings go
  INDIGO_TRY(set_versions(native, settings));
  INDIGO_TRY(set_key_exchange(native, settings));
  if (!settings.ca_file.empty()) {
    INDIGO_TRY(trust(native, settings));
    context->asks_for_certificates_ = true;
  }
  INDIGO_ASSIGN(context->end_point_, digest_of_certificate(native));
  return std::shared_ptr<const TlsContext>(std::move(context));
}

}  // namespace indigo::wire
