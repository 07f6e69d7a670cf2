// A hash map from strings that is asked with views.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace indigo {

struct StringHash {
  using is_transparent = void;
  size_t operator()(std::string_view s) const { return std::hash<std::string_view>{}(s); }
};
template <class T>
using StringMap = std::unordered_map<std::string, T, StringHash, std::equal_to<>>;

}  // namespace indigo
