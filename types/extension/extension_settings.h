// The settings that extensions' modules have: with a prefix, and known whether the module is in use or not.
// Thread safety: constants and pure functions.
#pragma once

#include <string>
#include <string_view>

#include "base/error.h"

namespace indigo::types {

struct ExtensionSetting {
  enum class Kind : uint8_t { kInteger, kReal, kWord };

  std::string_view name;
  Kind kind;
  std::string_view usual;
  double least = 0, most = 0;
  std::string_view words = {};  // "a, b, c"

  // As it is kept; 22023 for what it cannot be.
  Result<std::string> parse(std::string_view text) const;
};

// Null: no extension's. Names are compared in any case.
const ExtensionSetting* find_extension_setting(std::string_view name);

}  // namespace indigo::types
