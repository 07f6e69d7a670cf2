// The length of an object's name, PostgreSQL's NAMEDATALEN without its zero byte.
#pragma once

#include <string_view>

#include "base/utf8.h"

namespace indigo {

inline constexpr size_t kMaxNameBytes = 63;
// What is left of a name that is too long: whole characters.
inline std::string_view clip_name(std::string_view name) { return utf8_clip(name, kMaxNameBytes); }

}  // namespace indigo
