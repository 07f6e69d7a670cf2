// For functions of extensions that run a caller's query and answer rows of the shape that the query around their call expects.
// Values go from one type to another by their texts.
// Thread safety: one session.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/session/session_parts.h"
#include "engine/system/system_functions.h"
#include "types/function/context.h"
#include "types/type_info.h"

namespace indigo::engine::query_rows {

using types::TypeRef;
using Text = std::optional<std::string>;

// The shape's columns (a record of nulls), and rows made of texts.
class RowMaker {
 public:
  RowMaker(SessionParts& session, Str shape, const SystemRowSink& sink);

  const std::vector<TypeRef>& types() const { return types_; }
  std::string type_text(size_t i);
  Status add(const std::vector<Text>& texts);

 private:
  types::FuncContext context_;
  std::vector<TypeRef> types_;
  std::vector<Phys> phys_;
  const SystemRowSink& sink_;
};

// All rows of a query that changes nothing, as texts; of several, the last one's.
struct Answer {
  std::vector<TypeRef> types;
  std::vector<std::vector<Text>> rows;
};
Result<Answer> ask(SessionParts& session, Str text);

}  // namespace indigo::engine::query_rows
