// Affix files: ispell's own form, and that of MySpell and hunspell.
// Thread safety: immutable once read.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "types/textsearch/dictionary/dictionary_files.h"
#include "types/textsearch/dictionary/ispell/flags.h"

namespace re2 {
class RE2;
}

namespace indigo::types::ispell {

struct Affix {
  bool suffix = false;
  std::string flag;
  Compound compound = 0;
  std::string find, replacement;         // a word's end (or beginning) `find` becomes `replacement`
  std::shared_ptr<const re2::RE2> mask;  // what words without the affix are like; null: any
};

struct AffixFile {
  Flags flags;
  std::vector<Affix> affixes;
};

Result<AffixFile> read_affix_file(const DictionaryFiles& files, const std::string& name);

}  // namespace indigo::types::ispell
