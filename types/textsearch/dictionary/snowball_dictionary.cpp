// snowball: the stem of a word, by the algorithms of libstemmer.
#include <libstemmer.h>

#include <mutex>
#include <optional>

#include "base/sqlstate.h"
#include "types/text/ascii.h"
#include "types/textsearch/dictionary/stop_words.h"
#include "types/textsearch/dictionary/templates.h"

namespace indigo::types {

namespace {

constexpr size_t kMaxStemmedBytes = 1000;  // longer ones are no words of any language, and stemmers need not be linear

struct DeleteStemmer {
  void operator()(sb_stemmer* stemmer) const { sb_stemmer_delete(stemmer); }
};
using StemmerPtr = std::unique_ptr<sb_stemmer, DeleteStemmer>;

class SnowballDictionary final : public Dictionary {
 public:
  SnowballDictionary(StopWords stop, StemmerPtr stemmer, const Letters* letters)
      : stop_(std::move(stop)), letters_(letters), stemmer_(std::move(stemmer)) {}

  Normals lexize(Str word, LexizeState&) const override {
    std::string lower = lower_case(letters_, word);
    if (lower.size() <= kMaxStemmedBytes) {
      if (lower.empty() || stop_.contains(lower)) return std::vector<Normal>();
      stem(lower);
    }
    return std::vector<Normal>{{.word = std::move(lower)}};
  }

 private:
  void stem(std::string& word) const {
    const std::lock_guard lock(mutex_);
    const sb_symbol* stem =
        sb_stemmer_stem(stemmer_.get(), reinterpret_cast<const sb_symbol*>(word.data()), static_cast<int>(word.size()));
    if (stem == nullptr) throw std::bad_alloc();
    const int length = sb_stemmer_length(stemmer_.get());
    if (length > 0) word.assign(reinterpret_cast<const char*>(stem), static_cast<size_t>(length));
  }

  StopWords stop_;
  const Letters* letters_;
  mutable std::mutex mutex_;  // guards the stemmer's working memory
  StemmerPtr stemmer_;
};

// As PostgreSQL's snowball has it under this name; null: there is none.
StemmerPtr open_stemmer(const std::string& language) {
  const std::string name = to_lower(language);
  for (const char** known = sb_stemmer_list(); *known != nullptr; known++) {
    if (name != *known) continue;
    StemmerPtr stemmer(sb_stemmer_new(*known, "UTF_8"));
    if (stemmer == nullptr) throw std::bad_alloc();
    return stemmer;
  }
  return nullptr;
}

}  // namespace

Result<DictionaryPtr> make_snowball_dictionary(const DictionarySource& source, const DictionaryOptions& options) {
  std::optional<std::string> stop, language;
  StopWords words;
  StemmerPtr stemmer;
  for (const DictionaryOption& option : options) {
    if (option.name == "stopwords") {
      INDIGO_TRY(set_once(stop, "StopWords", option.value));
      INDIGO_ASSIGN(words, StopWords::read(source.files, *stop));
    } else if (option.name == "language") {
      INDIGO_TRY(set_once(language, "Language", option.value));
      stemmer = open_stemmer(*language);
      if (stemmer == nullptr) {
        return Error(sqlstate::kUndefinedObject,
                     "no Snowball stemmer available for language \"" + *language + "\" and encoding \"UTF8\"");
      }
    } else {
      return Error(sqlstate::kInvalidParameterValue, "unrecognized Snowball parameter: \"" + option.name + "\"");
    }
  }
  if (!language) return Error(sqlstate::kInvalidParameterValue, "missing Language parameter");
  return DictionaryPtr(std::make_shared<SnowballDictionary>(std::move(words), std::move(stemmer), source.letters));
}

}  // namespace indigo::types
