// A PL/pgSQL function that runs as a trigger: its variables, and the row that it returns.
#include <algorithm>

#include "base/fiber/stack.h"
#include "base/sqlstate.h"
#include "catalog/descriptor/session_catalog.h"
#include "catalog/descriptor/trigger_info.h"
#include "catalog/tables/system_columns.h"
#include "engine/exec/change/row_triggers.h"
#include "engine/programs/plpgsql/interpreter.h"
#include "engine/session/session_parts.h"
#include "types/io/record.h"
#include "types/oids.h"
#include "types/system/type_name.h"
#include "types/value/array_format.h"

namespace indigo::engine::programs {

namespace {

const char* event_name(int16_t event) {
  switch (event) {
    case catalog::kTriggerInsert: return "INSERT";
    case catalog::kTriggerDelete: return "DELETE";
    case catalog::kTriggerUpdate: return "UPDATE";
    default: return "TRUNCATE";
  }
}

Error wrong_structure(std::string detail) {
  return Error(sqlstate::kDatatypeMismatch,
               "returned row structure does not match the structure of the triggering table")
      .with_detail(std::move(detail));
}

}  // namespace

void Interpreter::set_trigger_row(int variable, const catalog::RelationInfo& relation, Bytes image,
                                  const exec::RowPlace& place) {
  RecordValue& record = *frame_.values[static_cast<size_t>(variable)].record;
  record.assigned = true;
  record.null = image.empty();
  record.changed = false;
  record.row_type = relation.row_type;
  const size_t n = relation.columns.size();
  const TypeRef none{kInvalidOid, -1, kInvalidOid};
  // The frame may have been another call's, whose shape was the same.
  bool same = record.shape != 0 && record.types.size() == n && record.names.size() == n;
  for (size_t c = 0; same && c < n; c++) {
    const auto& column = relation.columns[c];
    same = column.dropped ? record.types[c].oid == kInvalidOid
                          : record.types[c] == column.type && record.names[c] == column.name;
  }
  if (!same) {
    record.types.clear();
    record.names.clear();
    for (const auto& column : relation.columns) {
      record.types.push_back(column.dropped ? none : column.type);
      record.names.push_back(column.dropped ? std::string() : column.name);
    }
    record.set_shape();
  }
  record.system.clear();
  if (function_.trigger_variables().names_system && !image.empty()) {
    Arena arena;
    for (const catalog::SystemColumn& column : catalog::kSystemColumns) {
      record.system.emplace_back(
          exec::trigger_system_value(relation, image, place, session_.transaction().id().value, column.number, arena));
    }
  }
  record.values.clear();
  record.values.reserve(n);
  for (size_t c = 0; c < n; c++) {
    record.values.emplace_back(image.empty() || relation.columns[c].dropped ? Datum::make_null(relation.layout.phys(c))
                                                                            : relation.layout.column(image, c));
  }
}

void Interpreter::set_trigger_variables(const exec::TriggerCall& call) {
  const catalog::TriggerInfo& t = *call.trigger;
  const catalog::RelationInfo& r = *call.relation;
  const PlpgsqlFunction::TriggerVariables& at = function_.trigger_variables();
  // Statement triggers and the row that an event does not have: the table's fields, all null.
  if (at.names_new) set_trigger_row(at.new_row, r, call.new_row, call.new_place);
  if (at.names_old) set_trigger_row(at.old_row, r, call.old_row, call.old_place);
  if (at.names_new && t.timing() == catalog::kTriggerBefore && !call.new_row.empty()) {
    // Generated columns are computed behind the BEFORE triggers.
    RecordValue& record = *frame_.values[static_cast<size_t>(at.new_row)].record;
    for (size_t c = 0; c < r.columns.size(); c++) {
      if (r.columns[c].generated == 0) continue;
      record.values[c] = OwnedDatum(Datum::make_null(r.layout.phys(c)));
      record.changed = true;
    }
  }
  int next = 0;
  const auto set = [&](const auto& value) {
    const int i = next++;
    if ((at.named >> i & 1) != 0) set_scalar(at.first + i, value());
  };
  const auto text = [&](std::string_view value) { set([&] { return Datum::of(Str(value)); }); };
  text(t.name);
  text(t.timing() == catalog::kTriggerBefore    ? "BEFORE"
       : t.timing() == catalog::kTriggerInstead ? "INSTEAD OF"
                                                : "AFTER");
  text(t.for_row() ? "ROW" : "STATEMENT");
  text(event_name(call.event));
  set([&] { return Datum::of_oid(r.oid); });
  text(r.name);
  text(r.name);
  text(r.schema_name);
  set([&] { return Datum::of(static_cast<int32_t>(t.arguments.size())); });
  if (t.arguments.empty()) return set([] { return Datum::make_null(Phys::kStr); });
  std::vector<Datum> arguments;
  for (const std::string& a : t.arguments) arguments.push_back(Datum::of(Str(a)));
  const ArrayDimension from_zero{static_cast<int32_t>(arguments.size()), 0};
  text(make_array(oid::kText, Phys::kStr, {&from_zero, 1}, arguments));
}

Result<std::optional<std::string>> Interpreter::call_trigger(const exec::TriggerCall& call) {
  INDIGO_TRY(check_stack_depth());
  if (Status status = begin({}); !status.ok()) return with_context(std::move(*status.take_error()));
  set_trigger_variables(call);
  auto flow = run_block(*function_.program().body);
  if (!flow.ok()) return with_context(std::move(*flow.take_error()));
  frame_.statement = nullptr;
  if (*flow != Flow::kReturn) {
    Error error(SqlState("2F005"), "control reached end of trigger procedure without RETURN");
    error.add_context("PL/pgSQL function " + function_.signature());
    return error;
  }
  if (!call.trigger->for_row()) return std::optional<std::string>();
  auto row = trigger_row(call);
  if (row.ok()) return row;
  Error error = std::move(*row.take_error());
  error.add_context("PL/pgSQL function " + function_.signature() + " during function exit");
  return error;
}

Status Interpreter::call_event_trigger(std::string_view event, std::string_view tag) {
  INDIGO_TRY(check_stack_depth());
  if (Status status = begin({}); !status.ok()) return with_context(std::move(*status.take_error()));
  const int first = function_.trigger_variables().event;
  set_scalar(first, Datum::of(Str(event)));
  set_scalar(first + 1, Datum::of(Str(tag)));
  auto flow = run_block(*function_.program().body);
  if (!flow.ok()) return with_context(std::move(*flow.take_error()));
  frame_.statement = nullptr;
  return {};
}

// RETURN's row in the layout of the trigger's relation.
Result<std::optional<std::string>> Interpreter::trigger_row(const exec::TriggerCall& call) {
  const catalog::RelationInfo& relation = *call.relation;
  if (answer_row_ >= 0) {
    const RecordValue& record = *frame_.values[static_cast<size_t>(answer_row_)].record;
    if (!record.assigned || record.null) return std::optional<std::string>();
    if (!record.changed && answer_row_ == function_.trigger_variables().new_row)
      return std::optional<std::string>(std::string(call.new_row));
    if (!record.changed && answer_row_ == function_.trigger_variables().old_row)
      return std::optional<std::string>(std::string(call.old_row));
    std::vector<Datum> given;
    given.reserve(record.values.size());
    for (const OwnedDatum& value : record.values) given.push_back(value.get());
    return trigger_image(relation, record.types, given);
  }
  if (!answer_ || answer_->get().null) return std::optional<std::string>();
  const auto info = session_.session_catalog().type(answer_type_.oid);
  if (answer_type_.oid != oid::kRecord && (info == nullptr || info->kind != 'c')) {
    return Error(sqlstate::kDatatypeMismatch,
                 "cannot return non-composite value from function returning composite type");
  }
  const types::RecordFields fields = types::read_record(answer_->get().str);
  return trigger_image(relation, fields.types, fields.values);
}

Result<std::optional<std::string>> Interpreter::trigger_image(const catalog::RelationInfo& relation,
                                                              std::span<const TypeRef> types,
                                                              std::span<const Datum> given) {
  std::vector<Datum> values(relation.columns.size());
  size_t next = 0, count = 0, wanted = 0;
  for (const TypeRef& type : types) count += type.oid != kInvalidOid ? 1 : 0;
  for (const auto& column : relation.columns) wanted += column.dropped ? 0 : 1;
  if (count != wanted) {
    return wrong_structure("Number of returned columns (" + std::to_string(count) +
                           ") does not match expected column count (" + std::to_string(wanted) + ").");
  }
  for (size_t c = 0; c < values.size(); c++) {
    const auto& column = relation.columns[c];
    values[c] = Datum::make_null(relation.layout.phys(c));
    if (column.dropped) continue;
    while (types[next].oid == kInvalidOid) next++;
    const TypeRef& type = types[next];
    if (type.oid != column.type.oid) {
      catalog::CatalogView& catalog = session_.session_catalog();
      return wrong_structure("Returned type " + types::format_type(catalog, type.oid) +
                             " does not match expected type " + types::format_type(catalog, column.type.oid) +
                             " in column " + std::to_string(c + 1) + ".");
    }
    const Datum& value = given[next++];
    if (value.null) continue;
    values[c] = value;
  }
  std::string out;
  relation.layout.encode(values, out);
  return std::optional<std::string>(std::move(out));
}

}  // namespace indigo::engine::programs
