// synonym: words that stand for another one, from a file of pairs.
#include <map>
#include <optional>

#include "base/sqlstate.h"
#include "types/text/ascii.h"
#include "types/textsearch/dictionary/templates.h"

namespace indigo::types {

namespace {

struct Synonym {
  std::string word;
  bool prefix = false;
};

class SynonymDictionary final : public Dictionary {
 public:
  SynonymDictionary(std::map<std::string, Synonym> synonyms, bool case_sensitive, const Letters* letters)
      : synonyms_(std::move(synonyms)), case_sensitive_(case_sensitive), letters_(letters) {}

  Normals lexize(Str word, LexizeState&) const override {
    if (word.empty()) return std::nullopt;
    const auto found = synonyms_.find(case_sensitive_ ? std::string(word) : lower_case(letters_, word));
    if (found == synonyms_.end()) return std::nullopt;
    return std::vector<Normal>{{.word = found->second.word, .prefix = found->second.prefix}};
  }

 private:
  std::map<std::string, Synonym> synonyms_;
  bool case_sensitive_;
  const Letters* letters_;
};

Str next_word(Str& rest) {
  while (!rest.empty() && is_blank(rest.front())) rest.remove_prefix(1);
  size_t end = 0;
  while (end < rest.size() && !is_blank(rest[end])) end++;
  const Str word = rest.substr(0, end);
  rest.remove_prefix(end);
  return word;
}

}  // namespace

Result<DictionaryPtr> make_synonym_dictionary(const DictionarySource& source, const DictionaryOptions& options) {
  std::optional<std::string> file;
  bool case_sensitive = false;
  for (const DictionaryOption& option : options) {
    if (option.name == "synonyms") {
      file = option.value;
    } else if (option.name == "casesensitive") {
      INDIGO_ASSIGN(case_sensitive, boolean_option(option));
    } else {
      return Error(sqlstate::kInvalidParameterValue, "unrecognized synonym parameter: \"" + option.name + "\"");
    }
  }
  if (!file) return Error(sqlstate::kInvalidParameterValue, "missing Synonyms parameter");
  INDIGO_ASSIGN(const std::vector<std::string> lines, source.files.lines(*file, "syn", "synonym file"));
  std::map<std::string, Synonym> synonyms;
  for (const std::string& line : lines) {
    Str rest = line;
    const Str from = next_word(rest);
    Str to = next_word(rest);
    if (to.empty()) continue;
    const bool prefix = to.back() == '*';
    if (prefix) to.remove_suffix(1);
    const auto kept = [&](Str word) { return case_sensitive ? std::string(word) : lower_case(source.letters, word); };
    synonyms.try_emplace(kept(from), Synonym{kept(to), prefix});
  }
  return DictionaryPtr(std::make_shared<SynonymDictionary>(std::move(synonyms), case_sensitive, source.letters));
}

}  // namespace indigo::types
