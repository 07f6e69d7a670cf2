#include "wire/session/authenticator.h"

#include "base/sqlstate.h"
#include "engine/auth/verifier.h"
#include "wire/auth/scram.h"
#include "wire/messages/authentication.h"
#include "wire/messages/frame.h"
#include "wire/messages/password.h"

namespace indigo::wire {

namespace {

using engine::auth::equal_in_constant_time;
using engine::auth::is_md5_verifier;
using engine::auth::md5_hex;
using engine::auth::password_matches;
using engine::auth::random_bytes;
using engine::auth::ScramVerifier;

using Request = Authentication::Request;

constexpr std::string_view kMechanism = "SCRAM-SHA-256";
constexpr std::string_view kBindingMechanism = "SCRAM-SHA-256-PLUS";

// Each ends with a zero byte, and so does the list.
std::string mechanism_list(bool tls) {
  std::string list;
  if (tls) list.append(kBindingMechanism).push_back('\0');
  list.append(kMechanism).append(2, '\0');
  return list;
}

Error wrong_password(const std::string& user) {
  return Error(sqlstate::kInvalidPassword, "password authentication failed for user \"" + user + "\"");
}

}  // namespace

Status Authenticator::run(AuthMethod method, const std::string& user, const engine::RoleCredentials& credentials) {
  switch (method) {
    case AuthMethod::kTrust:
    case AuthMethod::kReject:
    case AuthMethod::kPeer:
    case AuthMethod::kCert: break;  // what they want is no dialogue (wire/session/admission.h)
    case AuthMethod::kPassword: INDIGO_TRY(ask_password(user, credentials)); break;
    case AuthMethod::kMd5:
      // As PostgreSQL: a role whose password is stored for SCRAM is asked for SCRAM.
      INDIGO_TRY(is_md5_verifier(credentials.password) ? ask_md5(user, credentials) : ask_scram(user, credentials));
      break;
    case AuthMethod::kScramSha256: INDIGO_TRY(ask_scram(user, credentials)); break;
  }
  return {};
}

Result<std::string> Authenticator::answer() {
  Error lost(sqlstate::kConnectionFailure, "connection to client lost");
  if (stream_.flush(deadline_, InterruptReason::kIdleTimeout) != StreamResult::kOk) return lost;
  while (true) {
    Frame frame{};
    switch (next_frame(stream_.in().unread(), frame, true)) {
      case FrameState::kComplete: {
        std::string body(frame.body);
        stream_.in().consume(frame.total_bytes());
        return body;
      }
      case FrameState::kBadType:
        if (stream_.in().unread()[0] == 'X') return lost;
        return Error(sqlstate::kProtocolViolation,
                     "expected password response, got message type " +
                         std::to_string(static_cast<unsigned char>(stream_.in().unread()[0])));
      case FrameState::kBadLength: return Error(sqlstate::kProtocolViolation, "invalid message length");
      case FrameState::kIncomplete: break;
    }
    switch (stream_.fill(deadline_, InterruptReason::kIdleTimeout)) {
      case StreamResult::kCalled:
      case StreamResult::kOk: break;
      case StreamResult::kTimeout: return Error(sqlstate::kQueryCanceled, "canceling authentication due to timeout");
      case StreamResult::kInterrupted:
        return Error(sqlstate::kAdminShutdown, "terminating connection due to administrator command");
      case StreamResult::kClosed: return lost;
    }
  }
}

Status Authenticator::ask_password(const std::string& user, const engine::RoleCredentials& credentials) {
  Authentication{Request::kCleartextPassword, {}}.encode(stream_.out());
  INDIGO_ASSIGN(std::string body, answer());
  Password message;
  INDIGO_TRY(message.decode(body));
  if (message.password.empty()) return Error(sqlstate::kInvalidPassword, "empty password returned by client");
  bool right = false;  // thousands of digests tell
  calls_.run(task_, [&] { right = password_matches(message.password, user, credentials.password); });
  return credentials.exists && right ? Status() : Status(wrong_password(user));
}

Status Authenticator::ask_md5(const std::string& user, const engine::RoleCredentials& credentials) {
  INDIGO_ASSIGN(std::string salt, random_bytes(4, "MD5 salt"));
  Authentication{Request::kMd5Password, salt}.encode(stream_.out());
  INDIGO_ASSIGN(std::string body, answer());
  Password message;
  INDIGO_TRY(message.decode(body));
  std::string expected = "md5" + md5_hex(credentials.password.substr(3) + salt);
  if (!credentials.exists || !equal_in_constant_time(message.password, expected)) return wrong_password(user);
  return {};
}

Status Authenticator::ask_scram(const std::string& user, const engine::RoleCredentials& credentials) {
  // An unknown role and one without a password go the same way, and fail at the end.
  auto verifier = credentials.exists ? ScramVerifier::parse(credentials.password) : std::nullopt;
  INDIGO_ASSIGN(std::string nonce, ScramExchange::make_nonce());
  const TlsChannel* tls = stream_.tls();

  Authentication{Request::kSasl, mechanism_list(tls != nullptr)}.encode(stream_.out());
  INDIGO_ASSIGN(std::string initial_body, answer());
  SaslInitialResponse initial;
  INDIGO_TRY(initial.decode(initial_body));
  const bool binds = tls != nullptr && initial.mechanism == kBindingMechanism;
  if (!binds && initial.mechanism != kMechanism) {
    return Error(sqlstate::kProtocolViolation, "client selected an invalid SASL authentication mechanism");
  }
  ScramExchange exchange(verifier ? *verifier : ScramVerifier::mock(server_secret_, user), std::move(nonce),
                         {tls == nullptr ? std::string_view() : tls->context().end_point(), binds});
  std::string first_body;
  if (!initial.response) {  // the client waits for an empty challenge
    Authentication{Request::kSaslContinue, {}}.encode(stream_.out());
    INDIGO_ASSIGN(first_body, answer());
    initial.response = first_body;
  }
  INDIGO_ASSIGN(std::string challenge, exchange.first(*initial.response));
  Authentication{Request::kSaslContinue, challenge}.encode(stream_.out());
  INDIGO_ASSIGN(std::string final_body, answer());
  INDIGO_ASSIGN(std::string proof, exchange.final(final_body));
  if (proof.empty() || !verifier) return wrong_password(user);
  Authentication{Request::kSaslFinal, proof}.encode(stream_.out());
  return {};
}

}  // namespace indigo::wire
