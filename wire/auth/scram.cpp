#include "wire/auth/scram.h"

#include "base/sqlstate.h"
#include "engine/auth/base64.h"

namespace indigo::wire {

namespace {

using engine::auth::as_bytes;
using engine::auth::base64_decode;
using engine::auth::base64_encode;
using engine::auth::equal_in_constant_time;
using engine::auth::hmac_sha256;
using engine::auth::Sha256;
using engine::auth::sha256;

constexpr size_t kNonceBytes = 18;
constexpr std::string_view kBindingType = "tls-server-end-point";

Error malformed(std::string detail) {
  return Error(sqlstate::kProtocolViolation, "malformed SCRAM message").with_detail(std::move(detail));
}

// Takes `name=value` up to the next comma (or the end).
bool take_attribute(std::string_view& text, char name, std::string_view& value) {
  if (text.size() < 2 || text[0] != name || text[1] != '=') return false;
  text.remove_prefix(2);
  size_t comma = text.find(',');
  value = text.substr(0, comma);
  text.remove_prefix(comma == std::string_view::npos ? text.size() : comma + 1);
  return true;
}

bool is_printable(std::string_view text) {
  for (char c : text) {
    if (c < 0x21 || c > 0x7e || c == ',') return false;
  }
  return !text.empty();
}

}  // namespace

Result<std::string> ScramExchange::make_nonce() {
  INDIGO_ASSIGN(std::string bytes, engine::auth::random_bytes(kNonceBytes, "nonce"));
  return base64_encode(bytes);
}

ScramExchange::ScramExchange(engine::auth::ScramVerifier verifier, std::string nonce, Binding binding)
    : verifier_(std::move(verifier)), nonce_(std::move(nonce)), binding_(binding) {}

Status ScramExchange::take_header(std::string_view& message) {
  std::string_view rest = message;
  if (rest.empty()) return malformed("The message is empty.");
  const char flag = rest[0];
  if (flag == 'p') {
    if (!binding_.chosen) {
      return malformed(
          "The client selected SCRAM-SHA-256 without channel binding, but the SCRAM message includes channel binding "
          "data.");
    }
    std::string_view type;
    if (!take_attribute(rest, 'p', type)) return malformed("Expected attribute \"p\".");
    if (type != kBindingType) {
      return Error(sqlstate::kProtocolViolation,
                   "unsupported SCRAM channel-binding type \"" + std::string(type) + "\"");
    }
  } else if (flag == 'n' || flag == 'y') {
    if (binding_.chosen) {
      return malformed(
          "The client selected SCRAM-SHA-256-PLUS, but the SCRAM message does not include channel binding data.");
    }
    if (flag == 'y' && !binding_.end_point.empty()) {
      return Error(sqlstate::kInvalidAuthorization, "SCRAM channel binding negotiation error")
          .with_detail(
              "The client supports SCRAM channel binding but thinks the server does not.  However, this server does "
              "support channel binding.");
    }
    if (rest.size() < 3 || rest[1] != ',') return malformed("Comma expected.");
    rest.remove_prefix(2);
  } else {
    return malformed("Unexpected channel-binding flag.");
  }
  if (rest.starts_with('a')) {
    return Error(sqlstate::kFeatureNotSupported, "client uses authorization identity, but it is not supported");
  }
  if (!rest.starts_with(',')) return malformed("Unexpected attribute in client-first-message.");
  rest.remove_prefix(1);
  gs2_header_ = message.substr(0, message.size() - rest.size());
  message = rest;
  return {};
}

Result<std::string> ScramExchange::first(std::string_view message) {
  std::string_view rest = message;
  INDIGO_TRY(take_header(rest));
  client_first_bare_ = rest;
  if (rest.starts_with("m=")) {
    return Error(sqlstate::kFeatureNotSupported, "client requires an unsupported SCRAM extension");
  }
  std::string_view user, client_nonce;
  if (!take_attribute(rest, 'n', user)) return malformed("Expected attribute \"n\".");
  if (!take_attribute(rest, 'r', client_nonce)) return malformed("Expected attribute \"r\".");
  if (!is_printable(client_nonce)) return malformed("Non-printable characters in SCRAM nonce.");
  nonce_.insert(0, client_nonce);
  server_first_ = "r=" + nonce_ + ",s=" + base64_encode(verifier_.salt) + ",i=" + std::to_string(verifier_.iterations);
  return server_first_;
}

Result<std::string> ScramExchange::final(std::string_view message) {
  std::string_view rest = message, binding, nonce;
  size_t proof_at = message.rfind(",p=");
  if (!take_attribute(rest, 'c', binding)) return malformed("Expected attribute \"c\".");
  if (binding_.chosen) {
    if (base64_decode(binding) != gs2_header_ + std::string(binding_.end_point)) {
      return Error(sqlstate::kInvalidAuthorization, "SCRAM channel binding check failed");
    }
  } else if (base64_decode(binding) != gs2_header_) {
    return malformed("Unexpected SCRAM channel-binding attribute in client-final-message.");
  }
  if (!take_attribute(rest, 'r', nonce)) return malformed("Expected attribute \"r\".");
  if (nonce != nonce_) return malformed("Nonce does not match.");
  if (proof_at == std::string_view::npos) return malformed("Expected attribute \"p\".");
  auto proof = base64_decode(message.substr(proof_at + 3));
  if (!proof || proof->size() != 32) return malformed("Malformed proof in client-final-message.");

  std::string exchange = client_first_bare_ + "," + server_first_ + "," + std::string(message.substr(0, proof_at));
  Sha256 client_key = hmac_sha256(verifier_.stored_key, exchange);
  for (size_t i = 0; i < client_key.size(); i++) client_key[i] ^= static_cast<uint8_t>((*proof)[i]);
  if (!equal_in_constant_time(as_bytes(sha256(as_bytes(client_key))), verifier_.stored_key)) return std::string();
  return "v=" + base64_encode(as_bytes(hmac_sha256(verifier_.server_key, exchange)));
}

}  // namespace indigo::wire
