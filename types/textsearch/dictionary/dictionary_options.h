// A dictionary's options as pg_ts_dict.dictinitoption keeps them: language = 'danish', stopwords = 'danish'.
// Thread safety: pure functions.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "types/value/datum.h"

namespace indigo::types {

struct DictionaryOption {
  std::string name, value;
  bool quoted = true;  // a string; false: a number
};
using DictionaryOptions = std::vector<DictionaryOption>;

Result<DictionaryOptions> read_dictionary_options(Str text);
std::string dictionary_options_text(const DictionaryOptions& options);
// "on", "true", 1 and so on: 42601 for others.
Result<bool> boolean_option(const DictionaryOption& option);
// Keeps the value of an option that may be given once: 22023 when it is there already.
Status set_once(std::optional<std::string>& target, const char* name, const std::string& value);

}  // namespace indigo::types
