#include "types/textsearch/session.h"

#include "base/sqlstate.h"

namespace indigo::types {

TextSearchSession* text_search_session(FuncContext& context) {
  auto* session = dynamic_cast<TextSearchSession*>(&context.session());
  if (session == nullptr) {
    context.fail(sqlstate::kFeatureNotSupported, "text search configurations are not supported without a session");
  }
  return session;
}

ConfigurationPtr text_search_configuration(FuncContext& context, Oid oid) {
  TextSearchSession* session = text_search_session(context);
  if (session == nullptr) return nullptr;
  Result<ConfigurationPtr> found = session->text_search_configuration(oid);
  if (!found) {
    context.fail(std::move(found.error()));
    return nullptr;
  }
  return *found;
}

ConfigurationPtr current_text_search_configuration(FuncContext& context) {
  TextSearchSession* session = text_search_session(context);
  if (session == nullptr) return nullptr;
  const Result<Oid> oid = session->current_text_search_configuration();
  if (!oid) {
    context.fail(Error(oid.error()));
    return nullptr;
  }
  return text_search_configuration(context, *oid);
}

void text_search_notice(FuncContext& context, const Error& notice) {
  if (auto* session = dynamic_cast<TextSearchSession*>(&context.session())) session->text_search_notice(notice);
}

}  // namespace indigo::types
