#include "engine/programs/procedure_call.h"

#include "catalog/descriptor/session_catalog.h"
#include "catalog/descriptor/settled.h"
#include "engine/programs/active_view.h"
#include "engine/programs/programs.h"
#include "engine/programs/routine.h"
#include "engine/session/evaluate.h"
#include "engine/session/required_privileges.h"
#include "engine/session/session_parts.h"
#include "engine/session/statement_scope.h"
#include "sql/parse/node.h"
#include "types/io/record.h"
#include "types/oids.h"

namespace indigo::engine::programs {

Result<ProcedureCall> ProcedureCall::analyze(SessionParts& session, const ParsedStatement& statement,
                                             std::span<const TypeRef> types, bool infer) {
  std::vector<Oid> declared;
  for (const TypeRef& type : types) declared.push_back(type.oid);
  sql::AnalyzeInput input{statement.node, statement.text(), declared, infer, {}};
  input.variables = statement.variables.get();
  ProcedureCall out;
  INDIGO_ASSIGN(out.call_, catalog::settled(session.session_catalog(), [&] {
                  return sql::analyze_call(session.context(), *statement.node->call_stmt, input);
                }));
  std::vector<TypeRef> arguments;
  for (const auto& e : out.call_.arguments) arguments.push_back(e->type);
  const RoutineResult result = result_of(session, *out.call_.procedure, out.call_.result, arguments);
  if (result.row) {
    out.outputs_ = result.columns;
    out.names_ = result.names;
  }
  return out;
}

// Stable functions among them see what the program that calls has done so far.
Result<std::vector<OwnedDatum>> ProcedureCall::arguments(SessionParts& session,
                                                         std::span<const Datum> parameters) const {
  const storage::ReadView view = session.scope().nested_view(true);
  const ActiveView active(session.scope().active_view(), view);
  return evaluate(session, call_.arguments, parameters);
}

Result<std::vector<OwnedDatum>> ProcedureCall::run(SessionParts& session, std::span<const Datum> parameters,
                                                   bool may_commit) const {
  INDIGO_TRY(check_procedure(session.session_catalog(), *call_.procedure));
  INDIGO_ASSIGN(const std::vector<OwnedDatum> values, this->arguments(session, parameters));
  types::CallInfo info;
  info.function = call_.procedure->oid;
  info.result = call_.result;
  std::vector<Datum> arguments;
  for (size_t i = 0; i < values.size(); i++) {
    info.arguments.push_back(call_.arguments[i]->type);
    arguments.push_back(values[i].get());
  }
  INDIGO_ASSIGN(const OwnedDatum row, session.routines().call_procedure(info, arguments, may_commit));
  std::vector<OwnedDatum> out;
  if (outputs_.empty()) return out;
  types::RecordFields fields;
  if (!row.get().null) fields = types::read_record(row.get().str);
  for (size_t i = 0; i < outputs_.size(); i++) {
    const auto type = session.session_catalog().type(outputs_[i].oid);
    const Phys phys = type != nullptr ? type->phys : Phys::kStr;
    const bool there = i < fields.values.size() && fields.values[i].phys == phys;
    out.emplace_back(there ? fields.values[i] : Datum::make_null(phys));
  }
  return out;
}

std::shared_ptr<const ResultShape> ProcedureCall::shape(SessionParts& session) const {
  if (outputs_.empty()) return nullptr;
  auto shape = std::make_shared<ResultShape>();
  for (size_t i = 0; i < outputs_.size(); i++) {
    ResultColumn column;
    column.name = names_[i];
    column.declared = outputs_[i];
    column.type = outputs_[i];
    auto type = session.session_catalog().type(outputs_[i].oid);
    while (type != nullptr && type->kind == 'd') {
      column.type = {type->base, type->base_typmod, type->collation};
      type = session.session_catalog().type(type->base);
    }
    if (type != nullptr) column.type_length = type->length;
    shape->columns.push_back(std::move(column));
    shape->formats.push_back(Format::kText);
  }
  return shape;
}

}  // namespace indigo::engine::programs
