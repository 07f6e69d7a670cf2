// Values of hstore: a set of pairs of texts, the value of a pair possibly null.
//
// Image: the bytes of all keys and values, pair by pair; a zero byte; the number of pairs; then for each key and each value in
// turn the offset of its end and whether it is null (a key never). Numbers are uint32, big-endian. Pairs are sorted by the
// length of the key, then by its bytes, and keys differ.
// Invariants: 1. Equal values have equal images. 2. Images compare as bytes as PostgreSQL's hstore_cmp compares values: texts
// have no zero byte, so that the shorter of two that begin alike comes first.
// Thread safety: a view borrows the image; the rest are pure functions but for the context.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "types/extension/extension.h"
#include "types/io/type_definition.h"

namespace indigo::types::hstore {

class View {
 public:
  explicit View(Str image)
      : texts_(image),
        entries_(image.substr(image.size() == kEmptyBytes ? image.size() : end_of_texts(image) + kEmptyBytes)) {}

  size_t count() const { return entries_.size() / (2 * kEntryBytes); }
  Str key(size_t pair) const { return text(2 * pair); }
  bool is_null(size_t pair) const { return entries_[(2 * pair + 1) * kEntryBytes + 4] != 0; }
  std::optional<Str> value(size_t pair) const {
    return is_null(pair) ? std::optional<Str>() : std::optional<Str>(text(2 * pair + 1));
  }
  // The number of the pair with this key; nothing where there is none.
  std::optional<size_t> find(Str key) const;

 private:
  static constexpr size_t kEmptyBytes = 5, kEntryBytes = 5;
  static uint32_t number_at(const char* at) { return big_endian(load_unaligned<uint32_t>(at)); }
  static size_t end_of_texts(Str image) { return number_at(image.data() + image.size() - kEntryBytes); }
  uint32_t end(size_t entry) const { return number_at(entries_.data() + entry * kEntryBytes); }
  Str text(size_t entry) const {
    const uint32_t begin = entry == 0 ? 0 : end(entry - 1);
    return texts_.substr(begin, end(entry) - begin);
  }

  Str texts_, entries_;
};

struct Pair {
  Str key;
  std::optional<Str> value;
};
// The pairs in any order; of those with the same key the first counts.
std::string make_image(std::vector<Pair> pairs);
std::vector<Pair> pairs_of(Str image);

// functions.cpp
extern const KeyedSubscripts kSubscripts;

// text_form.cpp
extern const TypeDefinition kHstoreForms;  // its type is the one that CREATE EXTENSION makes

// text_form.cpp, functions.cpp, records.cpp, sets.cpp
std::span<const SetEntry> set_functions();
std::span<const ScalarEntry> form_functions();
std::span<const ScalarEntry> functions();
std::span<const ScalarEntry> record_functions();

}  // namespace indigo::types::hstore
