// dict_xsyn 1.0: synonyms from a file whose lines are a word and what stands for it. The file xsyn_sample is built in.
#include "types/extension/extension.h"

#include <map>

#include "base/sqlstate.h"
#include "types/extension/index_entry.h"
#include "types/text/ascii.h"
#include "types/textsearch/dictionary/templates.h"

namespace indigo::types {

namespace {

constexpr std::string_view kDefinitions = R"sql(
create function dxsyn_init(internal) returns internal as 'MODULE_PATHNAME' language c strict;
create function dxsyn_lexize(internal, internal, internal, internal) returns internal as 'MODULE_PATHNAME'
  language c strict;
create text search template xsyn_template (lexize = dxsyn_lexize, init = dxsyn_init);
create text search dictionary xsyn (template = xsyn_template);
comment on text search dictionary xsyn is 'eXtended synonym dictionary';
)sql";

constexpr ScalarEntry kFunctions[] = {{"dxsyn_init", uncallable_kernel}, {"dxsyn_lexize", uncallable_kernel}};

struct SynonymRules {
  bool match_original = true, keep_original = true, match_synonyms = false, keep_synonyms = true;
};
using Words = std::vector<std::string>;

// Of a line, up to a word that begins with #.
Words words_of(Str line) {
  Words out;
  while (true) {
    while (!line.empty() && is_blank(line.front())) line.remove_prefix(1);
    if (line.empty() || line.front() == '#') return out;
    size_t end = 0;
    while (end < line.size() && !is_blank(line[end])) end++;
    out.emplace_back(line.substr(0, end));
    line.remove_prefix(end);
  }
}

class ExtendedSynonymDictionary final : public Dictionary {
 public:
  ExtendedSynonymDictionary(SynonymRules rules, const std::vector<std::string>& lines) : rules_(rules) {
    for (const std::string& line : lines) {
      const Words words = words_of(to_lower(line));
      for (size_t i = 0; i < words.size() && (i == 0 || rules_.match_synonyms); i++) {
        if (i > 0 || rules_.match_original) known_.try_emplace(words[i], words);
      }
    }
  }

  Normals lexize(Str word, LexizeState&) const override {
    const auto found = known_.find(to_lower(word));
    if (word.empty() || found == known_.end()) return std::nullopt;
    std::vector<Normal> out;
    const Words& words = found->second;
    for (size_t i = 0; i < words.size() && (i == 0 || rules_.keep_synonyms); i++) {
      if (i > 0 || rules_.keep_original) out.push_back({.word = words[i]});
    }
    return out;
  }

 private:
  const SynonymRules rules_;
  std::map<std::string, Words> known_;
};

}  // namespace

Result<DictionaryPtr> make_extended_synonym_dictionary(const DictionarySource& source,
                                                       const DictionaryOptions& options) {
  SynonymRules rules;
  std::string file;
  for (const DictionaryOption& option : options) {
    if (option.name == "matchorig") {
      INDIGO_ASSIGN(rules.match_original, boolean_option(option));
    } else if (option.name == "keeporig") {
      INDIGO_ASSIGN(rules.keep_original, boolean_option(option));
    } else if (option.name == "matchsynonyms") {
      INDIGO_ASSIGN(rules.match_synonyms, boolean_option(option));
    } else if (option.name == "keepsynonyms") {
      INDIGO_ASSIGN(rules.keep_synonyms, boolean_option(option));
    } else if (option.name == "rules") {
      file = option.value;
    } else {
      return Error(sqlstate::kInvalidParameterValue, "unrecognized xsyn parameter: \"" + option.name + "\"");
    }
  }
  std::vector<std::string> lines;
  if (file == "xsyn_sample") {
    lines = {"supernova sn sne 1987a"};
  } else if (!file.empty()) {
    INDIGO_ASSIGN(lines, source.files.lines(file, "rules", "synonym file"));
  }
  return DictionaryPtr(std::make_shared<ExtendedSynonymDictionary>(rules, lines));
}

const Extension& dict_xsyn_extension() {
  static constexpr Extension kExtension{.name = "dict_xsyn",
                                        .version = "1.0",
                                        .comment = "text search dictionary template for extended synonym processing",
                                        .trusted = false,
                                        .schema = {},
                                        .required = {},
                                        .definitions = kDefinitions,
                                        .functions = kFunctions};
  return kExtension;
}

}  // namespace indigo::types
