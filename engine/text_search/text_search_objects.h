// Configurations and dictionaries of a session's database, read from the system tables and kept until definitions change.
// Thread safety: belongs to one session.
#pragma once

#include <string>
#include <unordered_map>

#include "catalog/descriptor/session_context.h"
#include "types/textsearch/dictionary/templates.h"
#include "types/textsearch/session.h"

namespace indigo::engine {

class TextSearchObjects {
 public:
  explicit TextSearchObjects(catalog::SessionContext& session) : session_(session) {}

  Result<types::ConfigurationPtr> configuration(Oid oid);
  Result<types::DictionaryPtr> dictionary(Oid oid);
  // 42704 when there is none by that name.
  Result<Oid> named_configuration(std::string_view name);
  // A dictionary of these parts: what CREATE TEXT SEARCH DICTIONARY tries out before it writes them down.
  Result<types::DictionaryPtr> make_dictionary(Oid text_search_template, std::string_view options);

 private:
  void refresh();
  Result<types::DictionaryPtr> read_dictionary(Oid oid);

  catalog::SessionContext& session_;
  uint64_t version_ = 0;  // of the catalog that what is kept was read from
  std::unordered_map<Oid, types::ConfigurationPtr> configurations_;
  std::unordered_map<Oid, types::DictionaryPtr> dictionaries_;
};

}  // namespace indigo::engine
