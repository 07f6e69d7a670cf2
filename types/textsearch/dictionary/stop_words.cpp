#include "types/textsearch/dictionary/stop_words.h"

#include <algorithm>

#include "types/text/ascii.h"

namespace indigo::types {

Result<StopWords> StopWords::read(const DictionaryFiles& files, const std::string& name) {
  INDIGO_ASSIGN(const std::vector<std::string> lines, files.lines(name, "stop", "stop-word file"));
  StopWords out;
  for (const std::string& line : lines) {
    const auto end = std::find_if(line.begin(), line.end(), is_blank);
    if (end != line.begin()) out.words_.push_back(to_lower(Str(line).substr(0, end - line.begin())));
  }
  std::sort(out.words_.begin(), out.words_.end());
  return out;
}

bool StopWords::contains(Str word) const {
  return std::binary_search(words_.begin(), words_.end(), word,
                            [](const auto& a, const auto& b) { return Str(a) < Str(b); });
}

}  // namespace indigo::types
