#include "engine/system/query_rows.h"

#include <utility>

#include "catalog/descriptor/session_catalog.h"
#include "catalog/descriptor/session_context.h"
#include "engine/programs/nested_statement.h"
#include "types/io/record.h"
#include "types/io/type_definition.h"
#include "types/system/type_name.h"

namespace indigo::engine::query_rows {

RowMaker::RowMaker(SessionParts& session, Str shape, const SystemRowSink& sink)
    : context_(session.context()), types_(types::read_record(shape).types), sink_(sink) {
  for (const TypeRef& type : types_) {
    const auto info = session.session_catalog().type(type.oid);
    phys_.push_back(info == nullptr ? Phys::kStr : info->phys);
  }
}

std::string RowMaker::type_text(size_t i) {
  return types::format_type(context_.session().catalog(), types_[i].oid,
                            types_[i].typmod < 0 ? std::nullopt : std::optional(types_[i].typmod));
}

Status RowMaker::add(const std::vector<Text>& texts) {
  Arena arena;
  context_.set_arena(&arena);
  std::vector<Datum> row;
  for (size_t i = 0; i < types_.size(); i++) {
    // Another server's text may be anything.
    const bool there = i < texts.size() && texts[i] && types::check_encoding(context_, *texts[i]);
    row.push_back(there ? types::type_input(context_, types_[i], *texts[i]) : Datum::make_null(phys_[i]));
    if (context_.failed()) return context_.take_error();
  }
  sink_(row);
  return {};
}

Result<Answer> ask(SessionParts& session, Str text) {
  const auto in_query = [&](Error error) {
    if (error.position > 0 && error.internal_query.empty()) {
      error.internal_query = text;
      error.internal_position = std::exchange(error.position, 0);
    }
    return error;
  };
  auto parsed = programs::parse_statements(text, nullptr);
  if (!parsed) return in_query(parsed.error());
  Answer out;
  for (const auto& one : *parsed) {
    programs::NestedStatement statement(one);
    if (const Status prepared = statement.prepare(session); !prepared.ok()) return in_query(prepared.error());
    out = {};
    if (statement.returns_rows()) out.types = statement.columns(session)->types;
    types::FuncContext context(session.context());
    Arena arena;
    context.set_arena(&arena);
    INDIGO_TRY(statement.run(session, {}, false, 0, [&](const Chunk& chunk) -> Result<bool> {
      for (uint32_t i = 0; i < chunk.rows(); i++) {
        auto& row = out.rows.emplace_back();
        for (size_t c = 0; c < out.types.size(); c++) {
          const Datum value = chunk.columns[c].datum(chunk.selection[i]);
          row.emplace_back();
          if (!value.null) types::type_output(context, out.types[c], value, row.back().emplace());
        }
      }
      return true;
    }));
  }
  return out;
}

}  // namespace indigo::engine::query_rows
