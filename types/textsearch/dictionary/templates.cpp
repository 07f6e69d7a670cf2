#include "types/textsearch/dictionary/templates.h"

namespace indigo::types {

DictionaryFactory find_dictionary_factory(std::string_view lexize) {
  constexpr struct {
    std::string_view lexize;
    DictionaryFactory factory;
  } kTemplates[] = {
      {"dsimple_lexize", make_simple_dictionary},   {"dsnowball_lexize", make_snowball_dictionary},
      {"dsynonym_lexize", make_synonym_dictionary}, {"thesaurus_lexize", make_thesaurus_dictionary},
      {"dispell_lexize", make_ispell_dictionary},   {"unaccent_lexize", make_unaccent_dictionary},
      {"dintdict_lexize", make_integer_dictionary}, {"dxsyn_lexize", make_extended_synonym_dictionary},
  };
  for (const auto& t : kTemplates)
    if (t.lexize == lexize) return t.factory;
  return nullptr;
}

}  // namespace indigo::types
