// Any bytes as a client's two SCRAM messages and as a stored verifier: never a crash, and never a signature.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "engine/auth/base64.h"
#include "wire/auth/scram.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace indigo::engine::auth;
  using indigo::wire::ScramExchange;
  std::string_view bytes(reinterpret_cast<const char*>(data), size);
  size_t middle = bytes.find('\n');
  std::string_view first = bytes.substr(0, middle);
  std::string_view second = middle == std::string_view::npos ? std::string_view() : bytes.substr(middle + 1);
  static const ScramVerifier verifier = ScramVerifier::make("secret", "salt", 1);
  for (const ScramExchange::Binding binding :
       {ScramExchange::Binding{}, {"certificate", false}, {"certificate", true}}) {
    ScramExchange exchange(verifier, "nonce", binding);
    if (!exchange.first(first).ok()) continue;
    auto final = exchange.final(second);
    if (final.ok() && !final->empty()) abort();
  }
  if (auto parsed = ScramVerifier::parse(bytes); parsed && ScramVerifier::parse(parsed->text())->salt != parsed->salt)
    abort();
  if (auto decoded = base64_decode(bytes); decoded && base64_decode(base64_encode(*decoded)) != decoded) abort();
  return 0;
}
