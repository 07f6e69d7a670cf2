#include "sql/stored/print.h"

#include "catalog/descriptor/session_context.h"
#include "sql/analyze/analyzer.h"
#include "sql/deparse.h"

namespace indigo::sql {

std::string print_stored(catalog::SessionContext& session, std::string_view stored,
                         const catalog::RelationInfo& relation) {
  const auto over = std::make_shared<const catalog::RelationInfo>(relation);
  const auto e = analyze_to_print(session, stored, over, TypeRef{});
  if (!e.ok()) return std::string(stored);
  DeparseOptions options;
  options.relation = &relation;
  options.always_qualify = false;
  auto text = deparse(session.catalog(), **e, options);
  return text.ok() ? *std::move(text) : std::string(stored);
}

}  // namespace indigo::sql
