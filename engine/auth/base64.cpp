#include "engine/auth/base64.h"

#include <absl/strings/escaping.h>

namespace indigo::engine::auth {

std::string base64_encode(std::string_view bytes) {
  return absl::Base64Escape(absl::string_view(bytes.data(), bytes.size()));
}

std::optional<std::string> base64_decode(std::string_view text) {
  std::string out;
  // Abseil also takes blanks, and text without its padding.
  if (!absl::Base64Unescape(absl::string_view(text.data(), text.size()), &out) || base64_encode(out) != text)
    return std::nullopt;
  return out;
}

}  // namespace indigo::engine::auth
