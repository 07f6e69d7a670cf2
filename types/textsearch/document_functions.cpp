// to_tsvector of texts and JSON documents.
#include <optional>

#include "base/sqlstate.h"
#include "types/function/families.h"
#include "types/function/kernel.h"
#include "types/json/jsonb.h"
#include "types/numeric/numeric.h"
#include "types/text/ascii.h"
#include "types/textsearch/document.h"
#include "types/textsearch/json_values.h"
#include "types/textsearch/session.h"
#include "types/textsearch/tsquery.h"

namespace indigo::types {

namespace {

Datum failed_vector() { return Datum::make_null(Phys::kStr); }

Datum vector_of(FuncContext& context, ConfigurationPtr configuration, Str text) {
  if (configuration == nullptr) return failed_vector();
  Document document(context, std::move(configuration));
  document.add(text);
  return document.vector();
}
Datum text_vector(FuncContext& context, Str text) {
  return vector_of(context, current_text_search_configuration(context), text);
}
Datum configured_text_vector(FuncContext& context, int32_t configuration, Str text) {
  return vector_of(context, text_search_configuration(context, static_cast<Oid>(configuration)), text);
}

template <class V>
Datum json_vector(FuncContext& context, ConfigurationPtr configuration, Str json, JsonValueKinds kinds) {
  if (configuration == nullptr) return failed_vector();
  Document document(context, std::move(configuration));
  visit_json_values(context, V(json), kinds, [&document](Str value) { document.add_apart(value); });
  return context.failed() ? failed_vector() : document.vector();
}
template <class V>
Datum json_strings(FuncContext& context, Str json) {
  return json_vector<V>(context, current_text_search_configuration(context), json, kJsonStrings);
}
template <class V>
Datum configured_json_strings(FuncContext& context, int32_t configuration, Str json) {
  return json_vector<V>(context, text_search_configuration(context, static_cast<Oid>(configuration)), json,
                        kJsonStrings);
}
template <class V>
Datum json_values(FuncContext& context, Str json, Str flags) {
  const std::optional<JsonValueKinds> kinds = read_json_value_kinds(context, JsonbView(flags));
  if (!kinds) return failed_vector();
  return json_vector<V>(context, current_text_search_configuration(context), json, *kinds);
}
template <class V>
Datum configured_json_values(FuncContext& context, int32_t configuration, Str json, Str flags) {
  const std::optional<JsonValueKinds> kinds = read_json_value_kinds(context, JsonbView(flags));
  if (!kinds) return failed_vector();
  return json_vector<V>(context, text_search_configuration(context, static_cast<Oid>(configuration)), json, *kinds);
}

bool text_matches_query(FuncContext& context, Str text, Str query) {
  const Datum vector = text_vector(context, text);
  return !vector.null && tsquery_matches(context, vector.str, query);
}
bool text_matches_text(FuncContext& context, Str text, Str words) {
  const Datum vector = text_vector(context, text);
  if (vector.null) return false;
  const Datum query = plain_query(context, current_text_search_configuration(context), words);
  return !query.null && tsquery_matches(context, vector.str, query.str);
}

std::optional<int32_t> current_configuration(FuncContext& context) {
  TextSearchSession* session = text_search_session(context);
  if (session == nullptr) return std::nullopt;
  const Result<Oid> oid = session->current_text_search_configuration();
  if (!oid) {
    context.fail(Error(oid.error()));
    return std::nullopt;
  }
  return static_cast<int32_t>(*oid);
}

const ScalarEntry kDocumentEntries[] = {
    {"to_tsvector", kernel<text_vector>},
    {"to_tsvector_byid", kernel<configured_text_vector>},
    {"json_string_to_tsvector", kernel<json_strings<JsonText>>},
    {"json_string_to_tsvector_byid", kernel<configured_json_strings<JsonText>>},
    {"jsonb_string_to_tsvector", kernel<json_strings<JsonbView>>},
    {"jsonb_string_to_tsvector_byid", kernel<configured_json_strings<JsonbView>>},
    {"json_to_tsvector", kernel<json_values<JsonText>>},
    {"json_to_tsvector_byid", kernel<configured_json_values<JsonText>>},
    {"jsonb_to_tsvector", kernel<json_values<JsonbView>>},
    {"jsonb_to_tsvector_byid", kernel<configured_json_values<JsonbView>>},
    {"ts_match_tq", kernel<text_matches_query>},
    {"ts_match_tt", kernel<text_matches_text>},
    {"get_current_ts_config", kernel<current_configuration>},
};

}  // namespace

std::span<const ScalarEntry> text_search_document_functions() { return kDocumentEntries; }

}  // namespace indigo::types
