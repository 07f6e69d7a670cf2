// One connection's TLS between two buffers, apart from its socket: in() is filled from the network, out() is to be sent. So a
// handshake's steps, whose signature takes a millisecond, can run on another thread than the session's worker, and a round
// trip stays one recv and one send.
// Thread safety: none; one thread at a time.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include <openssl/bio.h>
#include <openssl/types.h>

#include "base/error.h"
#include "engine/instance.h"
#include "wire/net/input_buffer.h"
#include "wire/net/output_buffer.h"
#include "wire/tls/tls_context.h"

namespace indigo::wire {

class TlsChannel {
 public:
  enum class Step : uint8_t { kDone, kWantsInput, kClosed, kFailed };

  // Errors: 53200.
  static Result<std::unique_ptr<TlsChannel>> make(std::shared_ptr<const TlsContext> context);
  ~TlsChannel();
  TlsChannel(const TlsChannel&) = delete;
  TlsChannel& operator=(const TlsChannel&) = delete;

  InputBuffer& in() { return in_; }
  OutputBuffer& out() { return out_; }

  // One step of the handshake. kFailed: error() tells why; what out() has then is the alert.
  Step handshake();
  // Clear bytes into `to`, as many as there are and fit; kDone: at least one.
  Step read(char* to, size_t capacity, size_t& bytes);
  // Clear bytes that read() would give without more input may exist.
  bool may_have_input() const;
  // Encrypts all of `clear`, to the end of out(). False: error().
  bool write(std::string_view clear);
  // Says goodbye, to the end of out().
  void close();

  const std::string& error() const { return error_; }
  const TlsContext& context() const { return *context_; }
  // Protocol, cipher and the client's certificate, after the handshake.
  engine::TlsDescription describe() const;
  // The client has shown a certificate, and a trusted authority signed it.
  bool has_client_certificate() const;

 private:
  explicit TlsChannel(std::shared_ptr<const TlsContext> context) : context_(std::move(context)) {}
  Step judge(int result);
  // OpenSSL's view of the two buffers.
  static const BIO_METHOD* buffers_method();
  static int read_buffer(BIO* bio, char* to, size_t capacity, size_t* bytes);
  static int write_buffer(BIO* bio, const char* from, size_t length, size_t* bytes);

  std::shared_ptr<const TlsContext> context_;
  SSL* ssl_ = nullptr;
  InputBuffer in_;
  OutputBuffer out_;
  std::string error_;
};

}  // namespace indigo::wire
