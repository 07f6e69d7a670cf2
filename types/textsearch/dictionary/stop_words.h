// Words that are in every text and so not worth an entry.
// Thread safety: immutable once read.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "types/textsearch/dictionary/dictionary_files.h"
#include "types/value/datum.h"

namespace indigo::types {

struct BuiltinStopWords {
  std::string_view name, lines;
};
// PostgreSQL's, by their files' names (types/generated/stop_words.cpp).
std::span<const BuiltinStopWords> builtin_stop_words();

class StopWords {
 public:
  static Result<StopWords> read(const DictionaryFiles& files, const std::string& name);
  bool contains(Str word) const;

 private:
  std::vector<std::string> words_;  // ascending
};

}  // namespace indigo::types
