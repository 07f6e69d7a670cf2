// The files that dictionaries are made of, by name and kind: stop words (stop), synonyms (syn), thesauri (ths), spelling
// dictionaries (dict, affix). They lie in one directory, the setting text_search_directory; the stop words of PostgreSQL's
// own dictionaries are built in for servers that have no such file.
// Thread safety: an object belongs to its caller.
#pragma once

#include <string>
#include <vector>

#include "base/error.h"

namespace indigo::types {

inline constexpr SqlState kDictionaryFileError{"F0000"};

class DictionaryFiles {
 public:
  explicit DictionaryFiles(std::string directory) : directory_(std::move(directory)) {}

  // 22023 for a name that could leave the directory.
  Result<std::string> path(const std::string& name, const char* kind) const;
  // Its lines without their ends. F0000 "could not open <what> "<path>": ..." when it is not there.
  Result<std::vector<std::string>> lines(const std::string& name, const char* kind, const char* what) const;

 private:
  std::string directory_;
};

}  // namespace indigo::types
