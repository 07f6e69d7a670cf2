#include "engine/programs/value_cast.h"

#include "base/sqlstate.h"
#include "catalog/descriptor/session_catalog.h"
#include "engine/programs/routine.h"
#include "engine/session/required_privileges.h"
#include "engine/session/session_parts.h"
#include "engine/session/statement_scope.h"
#include "sql/analyze/analyzer.h"
#include "types/io/record.h"
#include "types/oids.h"
#include "types/system/type_name.h"

namespace indigo::engine::programs {

Result<sql::ExprPtr> ValueCast::conversion(SessionParts& session, const types::TypeRef& from, const types::TypeRef& to,
                                           bool through_text) {
  if (from.oid == to.oid && (to.typmod == -1 || to.typmod == from.typmod)) {
    const auto type = session.session_catalog().type(to.oid);
    if (type == nullptr || type->kind != 'd') return sql::ExprPtr();
  }
  INDIGO_ASSIGN(sql::ExprPtr e, sql::analyze_assignment(session.context(), from, to, through_text));
  if (e != nullptr) INDIGO_TRY(check_functions(session.session_catalog(), {e}));
  return e;
}

Result<ValueCast> ValueCast::make(SessionParts& session, const types::TypeRef& from, const types::TypeRef& to,
                                  bool through_text) {
  ValueCast cast;
  auto type = from.oid == oid::kRecord && !through_text ? session.session_catalog().type(to.oid) : nullptr;
  while (type != nullptr && type->kind == 'd') type = session.session_catalog().type(type->base);
  if (type != nullptr && type->relation != kInvalidOid) {
    cast.composite_ = type->oid;
    if (type->oid == to.oid) return cast;
    INDIGO_ASSIGN(ValueCast checked, make(session, type_of(session, type->oid), to, false));
    cast.to_domain_ = std::make_unique<ValueCast>(std::move(checked));
    return cast;
  }
  INDIGO_ASSIGN(const sql::ExprPtr e, conversion(session, from, to, through_text));
  if (e != nullptr) cast.expression_ = std::make_unique<exec::ScalarExpression>(session.context(), e);
  return cast;
}

Result<Datum> ValueCast::apply(SessionParts& session, const Datum& value) {
  if (composite_ != kInvalidOid) {
    if (value.null) return to_domain_ == nullptr ? value : to_domain_->apply(session, value);
    INDIGO_ASSIGN(const Datum row, from_record(session, value.str));
    return to_domain_ == nullptr ? row : to_domain_->apply(session, row);
  }
  if (expression_ == nullptr) return value;
  Datum out;
  if (expression_->needs_context()) {
    const ExecutionContext context = session.scope().execution_context(session.scope().current_view(), {&value, 1});
    INDIGO_TRY(expression_->evaluate(&value, out, &context));
  } else {
    INDIGO_TRY(expression_->evaluate(&value, out));
  }
  return out;
}

Result<Datum> ValueCast::from_record(SessionParts& session, Str image) {
  catalog::SessionCatalog& catalog = session.session_catalog();
  const auto relation = types::fields_relation(catalog, composite_);
  if (relation == nullptr)
    return Error(sqlstate::kUndefinedObject, "type with OID " + std::to_string(composite_) + " does not exist");
  const types::RecordFields given = types::live_fields(catalog, image);
  const auto fail = [&](std::string detail) {
    return Error(sqlstate::kCannotCoerce, "cannot cast type record to " + types::format_type(catalog, composite_))
        .with_detail(std::move(detail));
  };
  std::vector<types::TypeRef> types;
  std::vector<OwnedDatum> values;
  size_t next = 0;
  for (const auto& column : relation->columns) {
    if (column.dropped) {
      types.push_back({kInvalidOid, -1, kInvalidOid});
      values.emplace_back(Datum::make_null(Phys::kI32));
      continue;
    }
    if (next >= given.values.size()) return fail("Input has too few columns.");
    auto cast = make(session, given.types[next], column.type, false);
    if (!cast.ok()) {
      return fail("Cannot cast type " + types::format_type(catalog, given.types[next].oid) + " to " +
                  types::format_type(catalog, column.type.oid) + " in column " + std::to_string(next + 1) + ".");
    }
    INDIGO_ASSIGN(const Datum value, cast->apply(session, given.values[next]));
    types.push_back(column.type);
    values.emplace_back(value);
    next++;
  }
  if (next < given.values.size()) return fail("Input has too many columns.");
  std::vector<Datum> fields;
  for (const OwnedDatum& value : values) fields.push_back(value.get());
  image_ = types::make_record(composite_, types, fields);
  return Datum::of(Str(image_));
}

}  // namespace indigo::engine::programs
