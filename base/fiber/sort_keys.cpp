#include "base/fiber/sort_keys.h"

#include <cstdint>

#include "base/fiber/long_sort.h"
#include "base/key_prefix.h"

namespace indigo {

void sort_keys(std::vector<std::string>& keys) {
  struct Place {
    uint64_t prefix;
    size_t at;
  };
  std::vector<Place> order(keys.size());
  for (size_t i = 0; i < keys.size(); i++) order[i] = {key_prefix(keys[i]), i};
  constexpr uint64_t kUnitsOfComparison = 8;
  long_sort(order.begin(), order.end(), kUnitsOfComparison, [&](const Place& a, const Place& b) {
    return a.prefix != b.prefix ? a.prefix < b.prefix : keys[a.at] < keys[b.at];
  });
  std::vector<std::string> sorted;
  sorted.reserve(keys.size());
  for (const Place& place : order) sorted.push_back(std::move(keys[place.at]));
  keys = std::move(sorted);
}

}  // namespace indigo
