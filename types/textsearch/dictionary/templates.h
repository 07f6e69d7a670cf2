// The templates of dictionaries that are built in, by the names of their lexize functions (pg_ts_template.tmpllexize).
// Thread safety: constants; what they make is immutable.
#pragma once

#include <functional>
#include <string_view>

#include "base/error.h"
#include "types/text/ascii.h"
#include "types/textsearch/dictionary/dictionary.h"
#include "types/textsearch/dictionary/dictionary_files.h"
#include "types/textsearch/dictionary/dictionary_options.h"
#include "types/value/letters.h"

namespace indigo::types {

// What a dictionary needs to be made.
struct DictionarySource {
  DictionaryFiles files;
  // Another one by its name as it was written (42704 when there is none): a thesaurus has one.
  std::function<Result<DictionaryPtr>(const std::string& name)> dictionary;
  const Letters* letters = nullptr;  // the database's; null: ASCII's
};
// In small letters.
inline std::string lower_case(const Letters* letters, Str word) {
  return letters == nullptr ? to_lower(word) : letters->fold(word, Letters::Case::kLower);
}
using DictionaryFactory = Result<DictionaryPtr> (*)(const DictionarySource& source, const DictionaryOptions& options);

// Null: none by that name.
DictionaryFactory find_dictionary_factory(std::string_view lexize);

Result<DictionaryPtr> make_simple_dictionary(const DictionarySource& source, const DictionaryOptions& options);
Result<DictionaryPtr> make_snowball_dictionary(const DictionarySource& source, const DictionaryOptions& options);
Result<DictionaryPtr> make_synonym_dictionary(const DictionarySource& source, const DictionaryOptions& options);
Result<DictionaryPtr> make_thesaurus_dictionary(const DictionarySource& source, const DictionaryOptions& options);
Result<DictionaryPtr> make_ispell_dictionary(const DictionarySource& source, const DictionaryOptions& options);
// Of the extensions unaccent, dict_int and dict_xsyn.
Result<DictionaryPtr> make_unaccent_dictionary(const DictionarySource& source, const DictionaryOptions& options);
Result<DictionaryPtr> make_integer_dictionary(const DictionarySource& source, const DictionaryOptions& options);
Result<DictionaryPtr> make_extended_synonym_dictionary(const DictionarySource& source,
                                                       const DictionaryOptions& options);

}  // namespace indigo::types
