// Indigo's own version, read by CMakeLists.txt and by the packages, too.
#pragma once

namespace indigo {

inline constexpr const char* kVersion = "0.2";

}  // namespace indigo
