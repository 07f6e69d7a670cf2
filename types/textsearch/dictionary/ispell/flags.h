// The flags of ispell's and hunspell's files: which affixes a word takes, and what part it may have in compound words.
// Thread safety: immutable once the files are read.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "types/value/datum.h"

namespace indigo::types::ispell {

// Bits of words and affixes.
using Compound = uint32_t;
inline constexpr Compound kCompoundOnly = 0x01, kCompoundBegin = 0x02, kCompoundMiddle = 0x04, kCompoundLast = 0x08,
                          kCompoundAnywhere = kCompoundBegin | kCompoundMiddle | kCompoundLast, kCompoundMask = 0x0f,
                          kCompoundPermit = 0x10, kCompoundForbid = 0x20, kCrossProduct = 0x40;

class Flags {
 public:
  enum class Mode : uint8_t { kCharacter, kLong, kNumber };  // how a set of flags is written
  Mode mode = Mode::kCharacter;

  // The next flag of a set, which it leaves. F0000 for one that is not as `mode` says.
  Result<std::string> next(Str& set) const;
  bool contains(Str set, Str flag) const;

  // What the flag at the beginning of `text` makes of words in compounds.
  Status add_meaning(Str text, Compound meaning);
  Result<Compound> meaning_of(Str set) const;
  bool has_compounds() const { return compounds_; }

  // Aliases: sets are named by their numbers. number 0: the empty set.
  bool has_aliases() const { return aliases_.has_value(); }
  Status add_alias(Str field);
  Result<std::string> alias(Str number) const;  // of a word
  Result<std::string> set_of(Str text) const;   // the set that a text names or is
  std::string joined(const std::string& a, const std::string& b) const;

 private:
  Result<std::string> key_of(const std::string& flag) const;

  std::map<std::string, Compound> meanings_;
  bool compounds_ = false;
  std::optional<std::vector<std::string>> aliases_;
  size_t announced_ = 0;
};

Error bad_file(std::string message);

}  // namespace indigo::types::ispell
