// Values in and out of a PL/pgSQL function's variables.
#include <algorithm>

#include "base/raised_error.h"
#include "base/sqlstate.h"
#include "catalog/descriptor/session_catalog.h"
#include "catalog/tables/system_columns.h"
#include "engine/programs/plpgsql/extra_checks.h"
#include "engine/programs/plpgsql/interpreter.h"
#include "engine/row_sink.h"
#include "engine/session/session_parts.h"
#include "types/function/registry.h"
#include "types/io/record.h"
#include "types/oids.h"

namespace indigo::engine::programs {

Result<CompiledFragment::Answer> Interpreter::evaluate(const FragmentPtr& fragment) {
  return function_.fragment(*fragment).evaluate(session_, frame_);
}

Status Interpreter::evaluate_as(const FragmentPtr& fragment, const TypeRef& to, Datum& out) {
  CompiledFragment& compiled = function_.fragment(*fragment);
  const auto told = [&](std::unique_ptr<Error> error) {
    return compiled.assignment_error(session_, std::move(*error), &to);
  };
  if (compiled.ready(session_, frame_)) {
    Status status = compiled.compute_as(session_, frame_, to, out);
    return status.ok() ? std::move(status) : Status(told(status.take_error()));
  }
  INDIGO_ASSIGN(const auto answer, compiled.evaluate(session_, frame_));
  frame_.state_known = false;
  auto cast = function_.cast(session_, answer.value, answer.type, to);
  if (!cast.ok()) return told(cast.take_error());
  out = *cast;
  return {};
}

Result<bool> Interpreter::condition(const FragmentPtr& fragment) {
  static constexpr TypeRef kBoolean{oid::kBool, -1, kInvalidOid};
  Datum value;
  INDIGO_TRY(evaluate_as(fragment, kBoolean, value));
  return !value.null && value.b;
}

Result<std::optional<int32_t>> Interpreter::integer(const FragmentPtr& fragment) {
  static constexpr TypeRef kInteger{oid::kInt4, -1, kInvalidOid};
  Datum value;
  INDIGO_TRY(evaluate_as(fragment, kInteger, value));
  return value.null ? std::optional<int32_t>() : std::optional<int32_t>(value.i32);
}

std::string Interpreter::text_of(const Datum& value, const TypeRef& type) {
  std::string out;
  if (value.null) return out;
  types::type_output(session_.output_context(), type.oid == oid::kUnknown ? type_of(session_, oid::kText) : type, value,
                     out);
  return out;
}

Result<std::optional<std::string>> Interpreter::text(const FragmentPtr& fragment) {
  INDIGO_ASSIGN(const auto answer, evaluate(fragment));
  if (answer.value.null) return std::optional<std::string>();
  return std::optional<std::string>(text_of(answer.value, answer.type));
}

void KeptRow::keep(const Chunk& chunk, uint32_t row) {
  const size_t columns = chunk.columns.size();
  shown_.resize(columns);
  for (size_t c = 0; c < columns; c++) {
    shown_[c] = chunk.columns[c].datum(row);
    if (shown_[c].phys != Phys::kStr || shown_[c].null) continue;
    if (owned_.size() < columns) owned_.resize(columns);
    owned_[c] = OwnedDatum(shown_[c]);
    shown_[c] = owned_[c].get();
  }
}

void Interpreter::set_scalar(int variable, const Datum& value) { frame_.set_scalar(variable, value); }

void Interpreter::set_null(int variable) {
  const VariableType& type = function_.variable(variable);
  if (!type.row) return set_scalar(variable, Datum::make_null(type.phys));
  RecordValue& record = *frame_.values[static_cast<size_t>(variable)].record;
  record.null = true;
  record.changed = true;
  if (type.type.oid == oid::kRecord) {
    record.shape = 0;
    record.row_type = kInvalidOid;
    record.assigned = false;
    record.types.clear();
    record.names.clear();
    record.values.clear();
    return;
  }
  if (!record.assigned) {
    const auto relation = types::fields_relation(session_.session_catalog(), type.type.oid);
    if (relation == nullptr) {
      throw RaisedError(
          Error(sqlstate::kUndefinedObject, "type with OID " + std::to_string(type.type.oid) + " does not exist"));
    }
    for (const auto& column : relation->columns) {
      record.types.push_back(column.dropped ? TypeRef{kInvalidOid, -1, kInvalidOid} : column.type);
      record.names.push_back(column.name);
    }
    record.assigned = true;
    record.set_shape();
  }
  record.values.clear();
  for (const TypeRef& field : record.types) {
    const auto info = session_.session_catalog().type(field.oid);
    record.values.emplace_back(Datum::make_null(info != nullptr ? info->phys : Phys::kI32));
  }
}

void Interpreter::set_found(bool found) { set_scalar(function_.program().found, Datum::of(found)); }

OwnedDatum Interpreter::row_of(int variable) {
  const RecordValue& record = *frame_.values[static_cast<size_t>(variable)].record;
  if (!record.assigned || record.null) return OwnedDatum(Datum::make_null(Phys::kStr));
  std::vector<Datum> fields;
  for (const OwnedDatum& f : record.values) fields.push_back(f.get());
  const Oid type = record.type_of_row(function_.variable(variable).type.oid);
  return OwnedDatum(Datum::of(Str(types::make_record(
      type, record.types, fields, type == oid::kRecord ? record.names : std::vector<std::string>()))));
}

Status Interpreter::assign(const tree::Place& place, const Datum& value, const TypeRef& type) {
  if (place.fields.empty()) {
    const VariableType& wanted = function_.variable(place.variable);
    const bool as_it_is =
        wanted.assignable && type.oid == wanted.type.oid && wanted.type.typmod == -1 && type.oid < oid::kFirstUserOid;
    if (!as_it_is) return assign_variable(place.variable, value, type);
    set_scalar(place.variable, value.null ? Datum::make_null(wanted.phys) : value);
    return {};
  }
  if (place.fields.size() > 1)
    return Error(sqlstate::kFeatureNotSupported, "assignment to a field of a field is not supported");
  return assign_field(place.variable, place.fields[0], value, type);
}

Status Interpreter::assign_variable(int variable, const Datum& value, const TypeRef& type) {
  frame_.state_known = false;  // casts may do anything, here and below
  const tree::Variable& v = function_.program().variables[static_cast<size_t>(variable)];
  const VariableType& wanted = function_.variable(variable);
  if (value.null && v.not_null) {
    return Error(sqlstate::kNullValueNotAllowed,
                 "null value cannot be assigned to variable \"" + v.name + "\" declared NOT NULL");
  }
  if (!wanted.row) {
    INDIGO_ASSIGN(const Datum converted, function_.cast(session_, value, type, wanted.type));
    if (converted.null && v.not_null) {
      return Error(sqlstate::kNullValueNotAllowed,
                   "null value cannot be assigned to variable \"" + v.name + "\" declared NOT NULL");
    }
    set_scalar(variable, converted.null ? Datum::make_null(wanted.phys) : converted);
    return {};
  }
  if (value.null) {
    set_null(variable);
    return {};
  }
  if (type.oid != oid::kRecord && types::fields_relation(session_.session_catalog(), type.oid) == nullptr) {
    if (wanted.type.oid == oid::kRecord)
      return Error(sqlstate::kFeatureNotSupported, "input of anonymous composite types is not implemented");
    // A row as text.
    const std::string image = text_of(value, type);
    INDIGO_ASSIGN(const Datum row,
                  function_.cast(session_, Datum::of(Str(image)), type_of(session_, oid::kText), wanted.type));
    const OwnedDatum kept(row);
    return assign_variable(variable, kept.get(), wanted.type);
  }
  const std::string image(value.str);
  const auto relation = types::fields_relation(session_.session_catalog(), type.oid);
  // A record has the type of a row that is of one, and that type's columns.
  const bool keeps_type = wanted.type.oid == oid::kRecord && type.oid != oid::kRecord && relation != nullptr;
  const types::RecordFields fields =
      keeps_type ? types::numbered_fields(session_.session_catalog(), image) : types::read_record(image);
  std::vector<TypeRef> types;
  std::vector<std::string> names;
  std::vector<Datum> values;
  for (size_t i = 0; i < fields.values.size(); i++) {
    if (fields.types[i].oid == kInvalidOid) {
      if (!keeps_type) continue;
      types.push_back({kInvalidOid, -1, kInvalidOid});
      values.push_back(fields.values[i]);
      names.emplace_back();
      continue;
    }
    types.push_back(fields.types[i]);
    values.push_back(fields.values[i]);
    names.push_back(i < fields.names.size()                               ? std::string(fields.names[i])
                    : relation != nullptr && i < relation->columns.size() ? relation->columns[i].name
                                                                          : "f" + std::to_string(i + 1));
  }
  return assign_record(variable, types, names, values, 0, keeps_type ? type.oid : kInvalidOid);
}

Status Interpreter::assign_record(int variable, std::span<const TypeRef> types, std::span<const std::string> names,
                                  std::span<const Datum> values, uint64_t shape, Oid row_type) {
  frame_.state_known = false;
  RecordValue& record = *frame_.values[static_cast<size_t>(variable)].record;
  record.row_type = row_type;
  record.changed = true;
  record.system.clear();
  if (function_.variable(variable).type.oid == oid::kRecord) {
    const bool same =
        record.assigned &&
        (shape != 0 ? record.shape == shape
                    : std::equal(types.begin(), types.end(), record.types.begin(), record.types.end()) &&
                          std::equal(names.begin(), names.end(), record.names.begin(), record.names.end()));
    if (!same) {
      record.types.assign(types.begin(), types.end());
      record.names.assign(names.begin(), names.end());
      record.set_shape();
      record.assigned = true;
    }
    record.values.resize(values.size());
    for (size_t i = 0; i < values.size(); i++) record.values[i] = OwnedDatum(values[i]);
    record.null = false;
    return {};
  }
  std::vector<OwnedDatum> converted(record.types.size());
  size_t next = 0;
  for (size_t i = 0; i < record.types.size(); i++) {
    const auto info = session_.session_catalog().type(record.types[i].oid);
    const Phys phys = info != nullptr ? info->phys : Phys::kI32;
    if (record.types[i].oid == kInvalidOid || next >= values.size()) {
      converted[i] = OwnedDatum(Datum::make_null(phys));
      continue;
    }
    INDIGO_ASSIGN(const Datum value, function_.cast(session_, values[next], types[next], record.types[i]));
    converted[i] = OwnedDatum(value.null ? Datum::make_null(phys) : value);
    next++;
  }
  record.values = std::move(converted);
  record.null = false;
  return {};
}

Status Interpreter::assign_field(int variable, const std::string& field, const Datum& value, const TypeRef& type) {
  frame_.state_known = false;
  const tree::Variable& v = function_.program().variables[static_cast<size_t>(variable)];
  if (!function_.variable(variable).row)
    return Error(sqlstate::kSyntaxError, "\"" + v.name + "." + field + "\" is not a known variable");
  RecordValue& record = *frame_.values[static_cast<size_t>(variable)].record;
  if (!record.assigned) {
    return Error(sqlstate::kObjectNotInPrerequisiteState, "record \"" + v.name + "\" is not assigned yet")
        .with_detail("The tuple structure of a not-yet-assigned record is indeterminate.");
  }
  const int at = record.find(field);
  if (at < 0 && catalog::find_system_column(field) != nullptr)
    return Error(sqlstate::kFeatureNotSupported, "cannot assign to system column \"" + field + "\"");
  if (at < 0) return Error(sqlstate::kUndefinedColumn, "record \"" + v.name + "\" has no field \"" + field + "\"");
  const TypeRef& wanted = record.types[static_cast<size_t>(at)];
  INDIGO_ASSIGN(const Datum converted, function_.cast(session_, value, type, wanted));
  const auto info = session_.session_catalog().type(wanted.oid);
  record.values[static_cast<size_t>(at)] =
      OwnedDatum(converted.null ? Datum::make_null(info != nullptr ? info->phys : Phys::kStr) : converted);
  record.null = false;
  record.changed = true;
  record.system.clear();
  return {};
}

namespace {

Status check_multiple_assignment(SessionParts& session) {
  const ExtraCheck check = extra_check(session, ExtraChecks::Kind::kStrictMultiAssignment);
  if (check == ExtraCheck::kNone) return {};
  const bool error = check == ExtraCheck::kError;
  Error found(sqlstate::kDatatypeMismatch, "number of source and target fields in assignment does not match");
  found.detail =
      std::string("strict_multi_assignment check of ") + (error ? "extra_errors" : "extra_warnings") + " is active.";
  found.hint = "Make sure the query returns the exact list of columns.";
  if (error) return found;
  session.notice(Severity::kWarning, found);
  return {};
}

}  // namespace

Status Interpreter::assign_row(const tree::Target& target, std::span<const TypeRef> types,
                               std::span<const std::string> names, std::span<const Datum> values, uint64_t shape) {
  const tree::Place& first = target.places[0];
  if (target.places.size() == 1 && first.fields.empty() && function_.variable(first.variable).row) {
    if (!types.empty()) {
      if (function_.variable(first.variable).type.oid != oid::kRecord) {
        const auto& own = frame_.values[static_cast<size_t>(first.variable)].record->types;
        const auto wanted =
            std::count_if(own.begin(), own.end(), [](const TypeRef& t) { return t.oid != kInvalidOid; });
        if (static_cast<size_t>(wanted) != values.size()) INDIGO_TRY(check_multiple_assignment(session_));
      }
      return assign_record(first.variable, types, names, values, shape);
    }
    set_null(first.variable);
    return {};
  }
  if (target.places.size() == 1 && first.fields.empty() && !types.empty() &&
      function_.variable(first.variable).of_composite_domain) {
    const Oid only = types.size() == 1 ? types[0].oid : kInvalidOid;
    if (only != oid::kRecord && types::fields_relation(session_.session_catalog(), only) == nullptr) {
      const std::string image = types::make_record(oid::kRecord, types, values, names);
      return assign_variable(first.variable, Datum::of(Str(image)), {oid::kRecord, -1, kInvalidOid});
    }
  }
  if (!types.empty() && values.size() != target.places.size()) INDIGO_TRY(check_multiple_assignment(session_));
  for (size_t i = 0; i < target.places.size(); i++) {
    if (i < values.size()) {
      INDIGO_TRY(assign(target.places[i], values[i], types[i]));
    } else {
      INDIGO_TRY(assign(target.places[i], Datum::make_null(Phys::kStr), type_of(session_, oid::kText)));
    }
  }
  return {};
}

}  // namespace indigo::engine::programs
