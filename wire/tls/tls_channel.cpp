#include "wire/tls/tls_channel.h"

#include <algorithm>

#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

#include "base/sqlstate.h"

namespace indigo::wire {

namespace {

// More at once would only lengthen OpenSSL's queue.
constexpr size_t kMostAtOnce = 1 << 20;

std::string name_text(const X509_NAME* name) {
  BIO* memory = BIO_new(BIO_s_mem());
  if (memory == nullptr) return {};
  // As PostgreSQL's pg_stat_ssl: /C=.../O=.../CN=...
  const int entries = X509_NAME_entry_count(name);
  for (int i = 0; i < entries; i++) {
    const X509_NAME_ENTRY* entry = X509_NAME_get_entry(name, i);
    const int id = OBJ_obj2nid(X509_NAME_ENTRY_get_object(entry));
    const char* field = id == NID_undef ? nullptr : OBJ_nid2sn(id);
    BIO_printf(memory, "/%s=", field != nullptr ? field : "?");
    ASN1_STRING_print_ex(memory, X509_NAME_ENTRY_get_data(entry),
                         (ASN1_STRFLGS_RFC2253 & ~ASN1_STRFLGS_ESC_MSB) | ASN1_STRFLGS_UTF8_CONVERT);
  }
  char* data = nullptr;
  const long length = BIO_get_mem_data(memory, &data);
  std::string text(data, static_cast<size_t>(length));
  BIO_free(memory);
  return text;
}

// RFC 2253, for rules with clientname=DN.
std::string distinguished_name(const X509_NAME* name) {
  BIO* memory = BIO_new(BIO_s_mem());
  if (memory == nullptr) return {};
  X509_NAME_print_ex(memory, name, 0, XN_FLAG_RFC2253);
  char* data = nullptr;
  const long length = BIO_get_mem_data(memory, &data);
  std::string text(data, static_cast<size_t>(length));
  BIO_free(memory);
  return text;
}

// A name with a zero byte inside is another name to those who stop there: it is none.
std::string common_name(const X509_NAME* name) {
  const int at = X509_NAME_get_index_by_NID(name, NID_commonName, -1);
  if (at < 0) return {};
  unsigned char* bytes = nullptr;
  const int length = ASN1_STRING_to_UTF8(&bytes, X509_NAME_ENTRY_get_data(X509_NAME_get_entry(name, at)));
  if (length < 0) return {};
  std::string text(reinterpret_cast<char*>(bytes), static_cast<size_t>(length));
  OPENSSL_free(bytes);
  return text.find('\0') == std::string::npos ? text : std::string();
}

std::string serial_text(const X509* certificate) {
  BIGNUM* number = ASN1_INTEGER_to_BN(X509_get0_serialNumber(certificate), nullptr);
  char* digits = number == nullptr ? nullptr : BN_bn2dec(number);
  std::string text = digits == nullptr ? "" : digits;
  OPENSSL_free(digits);
  BN_free(number);
  return text;
}

}  // namespace

const BIO_METHOD* TlsChannel::buffers_method() {
  static const BIO_METHOD* const method = [] {
    BIO_METHOD* made = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "session buffers");
    if (made == nullptr) return made;
    BIO_meth_set_read_ex(made, &TlsChannel::read_buffer);
    BIO_meth_set_write_ex(made, &TlsChannel::write_buffer);
    BIO_meth_set_ctrl(made, [](BIO*, int command, long, void*) -> long { return command == BIO_CTRL_FLUSH ? 1 : 0; });
    return made;
  }();
  return method;
}

int TlsChannel::read_buffer(BIO* bio, char* to, size_t capacity, size_t* bytes) {
  InputBuffer& in = static_cast<TlsChannel*>(BIO_get_data(bio))->in_;
  const std::string_view unread = in.unread();
  BIO_clear_retry_flags(bio);
  *bytes = std::min(capacity, unread.size());
  if (*bytes == 0) {
    BIO_set_retry_read(bio);
    return 0;
  }
  unread.copy(to, *bytes);
  in.consume(*bytes);
  return 1;
}

int TlsChannel::write_buffer(BIO* bio, const char* from, size_t length, size_t* bytes) {
  static_cast<TlsChannel*>(BIO_get_data(bio))->out_.put_bytes({from, length});
  BIO_clear_retry_flags(bio);
  *bytes = length;
  return 1;
}

Result<std::unique_ptr<TlsChannel>> TlsChannel::make(std::shared_ptr<const TlsContext> context) {
  std::unique_ptr<TlsChannel> channel(new TlsChannel(std::move(context)));
  channel->ssl_ = SSL_new(channel->context_->native());
  const BIO_METHOD* method = buffers_method();
  BIO* buffers = method == nullptr ? nullptr : BIO_new(method);
  if (channel->ssl_ == nullptr || buffers == nullptr) {
    BIO_free(buffers);
    return Error(sqlstate::kOutOfMemory, "out of memory");
  }
  BIO_set_data(buffers, channel.get());
  BIO_set_init(buffers, 1);
  SSL_set_bio(channel->ssl_, buffers, buffers);
  SSL_set_accept_state(channel->ssl_);
  return channel;
}

TlsChannel::~TlsChannel() { SSL_free(ssl_); }

TlsChannel::Step TlsChannel::judge(int result) {
  switch (SSL_get_error(ssl_, result)) {
    case SSL_ERROR_WANT_READ: return Step::kWantsInput;
    case SSL_ERROR_ZERO_RETURN: return Step::kClosed;
    default: error_ = take_tls_error(); return Step::kFailed;
  }
}

TlsChannel::Step TlsChannel::handshake() {
  ERR_clear_error();  // the queue is the thread's, and others leave things there
  const int result = SSL_do_handshake(ssl_);
  return result == 1 ? Step::kDone : judge(result);
}

TlsChannel::Step TlsChannel::read(char* to, size_t capacity, size_t& bytes) {
  bytes = 0;
  ERR_clear_error();
  while (bytes < capacity) {
    size_t got = 0;
    const int result = SSL_read_ex(ssl_, to + bytes, capacity - bytes, &got);
    if (result != 1) {
      const Step step = judge(result);
      return bytes > 0 ? Step::kDone : step;
    }
    bytes += got;
  }
  return Step::kDone;
}

bool TlsChannel::may_have_input() const { return SSL_has_pending(ssl_) == 1 || !in_.unread().empty(); }

bool TlsChannel::write(std::string_view clear) {
  ERR_clear_error();
  while (!clear.empty()) {
    size_t written = 0;
    const int result = SSL_write_ex(ssl_, clear.data(), std::min(clear.size(), kMostAtOnce), &written);
    if (result != 1) {
      judge(result);
      return false;
    }
    clear.remove_prefix(written);
  }
  return true;
}

void TlsChannel::close() {
  ERR_clear_error();
  if (SSL_is_init_finished(ssl_) == 1) SSL_shutdown(ssl_);
  ERR_clear_error();
}

bool TlsChannel::has_client_certificate() const { return SSL_get0_peer_certificate(ssl_) != nullptr; }

engine::TlsDescription TlsChannel::describe() const {
  engine::TlsDescription description;
  description.version = SSL_get_version(ssl_);
  description.cipher = SSL_get_cipher_name(ssl_);
  description.bits = SSL_get_cipher_bits(ssl_, nullptr);
  const X509* certificate = SSL_get0_peer_certificate(ssl_);
  if (certificate == nullptr) return description;
  const X509_NAME* subject = X509_get_subject_name(certificate);
  description.client_dn = name_text(subject);
  description.client_rfc2253_dn = distinguished_name(subject);
  description.client_common_name = common_name(subject);
  description.client_serial = serial_text(certificate);
  description.issuer_dn = name_text(X509_get_issuer_name(certificate));
  return description;
}

}  // namespace indigo::wire
