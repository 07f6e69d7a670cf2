// One SCRAM-SHA-256 exchange, the server's side (RFC 5802, RFC 7677), without channel binding.
//
//   client  n,,n=,r=<nonce>                    -> first()   answers  r=<nonces>,s=<salt>,i=<iterations>
//   client  c=<header>,r=<nonces>,p=<proof>    -> final()   answers  v=<signature>
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
  // `nonce`: the server's, printable.
  ScramExchange(engine::auth::ScramVerifier verifier, std::string nonce);

  // Errors: 08P01 for malformed messages.
  Result<std::string> first(std::string_view client_first);
  // The answer's text, or "" when the proof is wrong.
  Result<std::string> final(std::string_view client_final);

 private:
  engine::auth::ScramVerifier verifier_;
  std::string nonce_;  // client's and server's
  std::string gs2_header_;
  std::string client_first_bare_;
  std::string server_first_;
};

}  // namespace indigo::wire
