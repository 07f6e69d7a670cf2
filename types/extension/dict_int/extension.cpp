// dict_int 1.0: a dictionary of integers, which are cut or dropped when they are long.
#include "types/extension/extension.h"

#include <algorithm>
#include <cstdlib>

#include "base/sqlstate.h"
#include "base/utf8.h"
#include "types/extension/index_entry.h"
#include "types/textsearch/dictionary/templates.h"

namespace indigo::types {

namespace {

constexpr std::string_view kDefinitions = R"sql(
create function dintdict_init(internal) returns internal as 'MODULE_PATHNAME' language c strict;
create function dintdict_lexize(internal, internal, internal, internal) returns internal as 'MODULE_PATHNAME'
  language c strict;
create text search template intdict_template (lexize = dintdict_lexize, init = dintdict_init);
create text search dictionary intdict (template = intdict_template);
comment on text search dictionary intdict is 'dictionary for integers';
)sql";

constexpr ScalarEntry kFunctions[] = {{"dintdict_init", uncallable_kernel}, {"dintdict_lexize", uncallable_kernel}};

struct IntegerRules {
  size_t longest = 6;  // bytes
  bool reject_long = false, absolute = false;
};

class IntegerDictionary final : public Dictionary {
 public:
  explicit IntegerDictionary(IntegerRules rules) : rules_(rules) {}

  Normals lexize(Str word, LexizeState&) const override {
    if (rules_.absolute && !word.empty() && (word[0] == '+' || word[0] == '-')) word.remove_prefix(1);
    if (word.size() > rules_.longest) {
      if (rules_.reject_long) return std::vector<Normal>();
      size_t end = 0;  // of the last whole character
      while (end + utf8_length(word[end]) <= rules_.longest) end += utf8_length(word[end]);
      word = word.substr(0, end);
    }
    return std::vector<Normal>{{.word = std::string(word)}};
  }

 private:
  const IntegerRules rules_;
};

}  // namespace

Result<DictionaryPtr> make_integer_dictionary(const DictionarySource&, const DictionaryOptions& options) {
  IntegerRules rules;
  for (const DictionaryOption& option : options) {
    if (option.name == "maxlen") {
      const int longest = std::atoi(option.value.c_str());
      if (longest < 1) return Error(sqlstate::kInvalidParameterValue, "maxlen value has to be >= 1");
      rules.longest = static_cast<size_t>(longest);
    } else if (option.name == "rejectlong") {
      INDIGO_ASSIGN(rules.reject_long, boolean_option(option));
    } else if (option.name == "absval") {
      INDIGO_ASSIGN(rules.absolute, boolean_option(option));
    } else {
      return Error(sqlstate::kInvalidParameterValue, "unrecognized intdict parameter: \"" + option.name + "\"");
    }
  }
  return DictionaryPtr(std::make_shared<IntegerDictionary>(rules));
}

const Extension& dict_int_extension() {
  static constexpr Extension kExtension{.name = "dict_int",
                                        .version = "1.0",
                                        .comment = "text search dictionary template for integers",
                                        .schema = {},
                                        .required = {},
                                        .definitions = kDefinitions,
                                        .functions = kFunctions};
  return kExtension;
}

}  // namespace indigo::types
