// A text search configuration: which dictionaries a token of each type is given to, in order.
// Thread safety: immutable once made.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "base/ids.h"
#include "types/textsearch/dictionary/dictionary.h"
#include "types/textsearch/parser/token_type.h"

namespace indigo::types {

struct TextSearchConfiguration {
  struct Step {
    Oid oid;
    DictionaryPtr dictionary;
  };
  Oid oid = kInvalidOid;
  std::array<std::vector<Step>, kTokenTypes + 1> steps;  // by TokenType
};
using ConfigurationPtr = std::shared_ptr<const TextSearchConfiguration>;

}  // namespace indigo::types
