// The lexemes of documents, with their places: what to_tsvector, to_tsquery and headlines are made of.
// Thread safety: an object belongs to its caller.
#pragma once

#include <string>
#include <vector>

#include "types/function/context.h"
#include "types/textsearch/configuration.h"
#include "types/textsearch/tsvector.h"

namespace indigo::types {

struct DocumentWord {
  std::string word;
  int64_t position;  // from 1 on; unlike a tsvector's it has no limit
  uint16_t variant;
  bool prefix;
};

class Document {
 public:
  Document(FuncContext& context, ConfigurationPtr configuration)
      : context_(context), configuration_(std::move(configuration)) {}

  // A text more; words that are too long for an entry are left out with a notice.
  void add(Str text);
  // The same, and if it has words, what comes next is no neighbour of it.
  void add_apart(Str text);
  const std::vector<DocumentWord>& words() const { return words_; }
  Datum vector();  // words() is empty then

 private:
  FuncContext& context_;
  ConfigurationPtr configuration_;
  std::vector<DocumentWord> words_;
  int64_t position_ = 0;
};

// plainto_tsquery. Null: the context has an error.
Datum plain_query(FuncContext& context, const ConfigurationPtr& configuration, Str text);

// "word is too long to be indexed"
inline constexpr size_t kMaxTokenBytes = kMaxLexemeBytes;
void notice_long_word(FuncContext& context);

}  // namespace indigo::types
