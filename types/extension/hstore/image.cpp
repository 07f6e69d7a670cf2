#include <algorithm>

#include "base/fiber/long_sort.h"
#include "types/extension/hstore/hstore.h"

namespace indigo::types::hstore {

namespace {

int compare_keys(Str a, Str b) {
  if (a.size() != b.size()) return a.size() < b.size() ? -1 : 1;
  return a.compare(b);
}

void append_number(size_t number, std::string& out) {
  const uint32_t bytes = big_endian(static_cast<uint32_t>(number));
  out.append(reinterpret_cast<const char*>(&bytes), sizeof bytes);
}

}  // namespace

std::optional<size_t> View::find(Str wanted) const {
  size_t low = 0, high = count();
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    const int order = compare_keys(key(middle), wanted);
    if (order == 0) return middle;
    if (order < 0) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return std::nullopt;
}

std::string make_image(std::vector<Pair> pairs) {
  std::stable_sort(pairs.begin(), pairs.end(),
                   noted_order([](const Pair& a, const Pair& b) { return compare_keys(a.key, b.key) < 0; }));
  pairs.erase(std::unique(pairs.begin(), pairs.end(), [](const Pair& a, const Pair& b) { return a.key == b.key; }),
              pairs.end());
  std::string out, entries;
  for (const Pair& pair : pairs) {
    out += pair.key;
    append_number(out.size(), entries);
    entries += '\0';
    if (pair.value) out += *pair.value;
    append_number(out.size(), entries);
    entries += pair.value ? '\0' : '\1';
  }
  out += '\0';
  append_number(pairs.size(), out);
  return out + entries;
}

std::vector<Pair> pairs_of(Str image) {
  const View view(image);
  std::vector<Pair> out;
  for (size_t i = 0; i < view.count(); i++) out.push_back({view.key(i), view.value(i)});
  return out;
}

}  // namespace indigo::types::hstore
