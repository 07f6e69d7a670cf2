#include "engine/foreign/remote_condition_text.h"

#include <iterator>

#include "catalog/descriptor/foreign_source.h"
#include "catalog/descriptor/session_catalog.h"
#include "catalog/descriptor/session_context.h"
#include "engine/foreign/remote_relation.h"
#include "engine/session/session_parts.h"
#include "types/function/context.h"
#include "types/function/registry.h"
#include "types/system/type_name.h"
#include "types/text/strings.h"

namespace indigo::engine {

namespace {

constexpr char kMarks[] = {catalog::kForeignValueMark, catalog::kForeignColumnMark};

std::string value_text(SessionParts& session, types::FuncContext& context, const MarkedCondition& condition, size_t n) {
  const types::TypeRef& type = condition.types[n];
  std::string out = "NULL";
  if (condition.values.empty()) {
    out = "$" + std::to_string(n + 1);
  } else if (const Datum& value = condition.values[n]; !value.null) {
    std::string written;
    types::type_output(context, type, value, written);
    out = types::quote_literal(written);
  }
  return out + "::" + types::format_type(session.session_catalog(), type.oid, std::nullopt);
}

}  // namespace

Result<std::string> condition_text(SessionParts& session, const RemoteRelation& remote,
                                   const MarkedCondition& condition) {
  const TransmissionFormats formats(session);
  types::FuncContext context(session.context());
  Arena arena;
  context.set_arena(&arena);
  std::string out;
  for (Str text = condition.text; !text.empty();) {
    const size_t begin = text.find_first_of(kMarks, 0, std::size(kMarks));
    out += text.substr(0, begin);
    if (begin == Str::npos) break;
    const char mark = text[begin];
    const size_t end = text.find(mark, begin + 1);
    const size_t n = std::stoul(std::string(text.substr(begin + 1, end - begin - 1)));
    out += mark == catalog::kForeignValueMark ? value_text(session, context, condition, n) : remote.column_name(n);
    text.remove_prefix(end + 1);
  }
  if (context.failed()) return std::move(*context.take_error());
  return out;
}

}  // namespace indigo::engine
