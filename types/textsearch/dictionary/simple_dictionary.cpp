// simple: the word in small letters.
#include <optional>

#include "base/sqlstate.h"
#include "types/text/ascii.h"
#include "types/textsearch/dictionary/stop_words.h"
#include "types/textsearch/dictionary/templates.h"

namespace indigo::types {

namespace {

class SimpleDictionary final : public Dictionary {
 public:
  SimpleDictionary(StopWords stop, bool accept, const Letters* letters)
      : stop_(std::move(stop)), accept_(accept), letters_(letters) {}

  Normals lexize(Str word, LexizeState&) const override {
    std::string lower = lower_case(letters_, word);
    if (lower.empty() || stop_.contains(lower)) return std::vector<Normal>();
    if (!accept_) return std::nullopt;
    return std::vector<Normal>{{.word = std::move(lower)}};
  }

 private:
  StopWords stop_;
  bool accept_;  // false: words that are no stop words are left to the next dictionary
  const Letters* letters_;
};

}  // namespace

Result<DictionaryPtr> make_simple_dictionary(const DictionarySource& source, const DictionaryOptions& options) {
  std::optional<std::string> stop;
  std::optional<bool> accept;
  for (const DictionaryOption& option : options) {
    if (option.name == "stopwords") {
      INDIGO_TRY(set_once(stop, "StopWords", option.value));
    } else if (option.name == "accept") {
      if (accept) return Error(sqlstate::kInvalidParameterValue, "multiple Accept parameters");
      INDIGO_ASSIGN(accept, boolean_option(option));
    } else {
      return Error(sqlstate::kInvalidParameterValue,
                   "unrecognized simple dictionary parameter: \"" + option.name + "\"");
    }
  }
  StopWords words;
  if (stop) {
    INDIGO_ASSIGN(words, StopWords::read(source.files, *stop));
  }
  return DictionaryPtr(std::make_shared<SimpleDictionary>(std::move(words), accept.value_or(true), source.letters));
}

}  // namespace indigo::types
