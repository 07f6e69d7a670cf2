// What text search asks of the session besides SessionContext: configurations and dictionaries as the catalog has them. A
// session that has them implements this beside SessionContext.
// Thread safety: belongs to one session; what it hands out is immutable and may be kept.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"
#include "types/function/context.h"
#include "types/textsearch/configuration.h"

namespace indigo::types {

enum class TextSearchKind : uint8_t { kConfiguration, kDictionary, kParser, kTemplate };

struct TextSearchName {
  std::string schema, name;
  bool visible = false;  // search_path finds it by its name alone
};

class TextSearchSession {
 public:
  virtual ~TextSearchSession() = default;
  // XX000 "cache lookup failed ..." when there is none; the errors of making its dictionaries.
  virtual Result<ConfigurationPtr> text_search_configuration(Oid oid) = 0;
  virtual Result<DictionaryPtr> text_search_dictionary(Oid oid) = 0;
  // That of default_text_search_config.
  virtual Result<Oid> current_text_search_configuration() = 0;
  // Along search_path when schema is empty. kInvalidOid: none.
  virtual Oid find_text_search(TextSearchKind kind, std::string_view schema, std::string_view name) = 0;
  virtual std::optional<TextSearchName> text_search_name(TextSearchKind kind, Oid oid) = 0;
  // A dictionary of this template with these options, which is forgotten: the errors of making it.
  virtual Status try_text_search_dictionary(Oid text_search_template, std::string_view options) = 0;
  virtual void text_search_notice(const Error& notice) = 0;
};

// Null, and 0A000 in the context, in a session that has no text search.
TextSearchSession* text_search_session(FuncContext& context);
// The same as for functions whose configuration may be left out.
ConfigurationPtr text_search_configuration(FuncContext& context, Oid oid);
ConfigurationPtr current_text_search_configuration(FuncContext& context);
void text_search_notice(FuncContext& context, const Error& notice);

}  // namespace indigo::types
