// One SCRAM-SHA-256 exchange, the server's side (RFC 5802, RFC 7677), with or without the channel binding
// tls-server-end-point (RFC 5929), which proves that client and server see the same certificate.
//
//   client  n,,n=,r=<nonce>                            -> first()   answers  r=<nonces>,s=<salt>,i=<iterations>
//   client  c=<header, binding>,r=<nonces>,p=<proof>   -> final()   answers  v=<signature>
//
// Thread safety: none.
#pragma once

#include <string>
#include <string_view>

#include "base/error.h"
#include "engine/auth/verifier.h"

namespace indigo::wire {

class ScramExchange {
 public:
  // Errors: XX000 when the system gives no random bytes.
  static Result<std::string> make_nonce();
  // What the client could bind to, and whether it chose the mechanism that does (-PLUS).
  struct Binding {
    std::string_view end_point;  // empty: no TLS
    bool chosen = false;
  };
  // `nonce`: the server's, printable.
  ScramExchange(engine::auth::ScramVerifier verifier, std::string nonce, Binding binding);

  // Errors: 08P01 for malformed messages, 28000 for a binding that is missing or another.
  Result<std::string> first(std::string_view client_first);
  // The answer's text, or "" when the proof is wrong.
  Result<std::string> final(std::string_view client_final);

 private:
  // Takes the header (binding flag, no identity) off the first message.
  Status take_header(std::string_view& message);

  engine::auth::ScramVerifier verifier_;
  std::string nonce_;  // client's and server's
  Binding binding_;
  std::string gs2_header_;
  std::string client_first_bare_;
  std::string server_first_;
};

}  // namespace indigo::wire
