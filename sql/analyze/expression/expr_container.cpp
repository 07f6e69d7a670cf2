// ARRAY[...], ROW(...), subscripts and fields.
#include "sql/analyze/expression/expressions.h"
#include "sql/analyze/expression/function_call.h"
#include "sql/analyze/expression/overloads.h"
#include "sql/analyze/from/names.h"
#include "sql/analyze/make.h"
#include "sql/analyze/select/targets.h"
#include "sql/analyze/type/signature_text.h"
#include "sql/analyze/variables.h"
#include "sql/parse/node.h"
#include "types/io/type_definition.h"
#include "types/oids.h"

namespace indigo::sql {
namespace {

Error unknown_field(Scope& scope, const ExprPtr& row, std::string_view field, int location) {
  const std::string name(field);
  if (const auto* whole = try_as<WholeRowExpr>(row)) {
    if (const Entry* entry = entry_of(scope, whole->entry, whole->levels_up)) {
      return scope.error(sqlstate::kUndefinedColumn, "column " + entry->alias + "." + name + " does not exist",
                         location);
    }
  }
  if (row->type.oid == oid::kRecord) {
    return scope.error(sqlstate::kUndefinedColumn, "could not identify column \"" + name + "\" in record data type",
                       location);
  }
  const std::string type = format_type(scope.catalog(), row->type.oid);
  if (is_composite(scope.catalog(), row->type.oid)) {
    return scope.error(sqlstate::kUndefinedColumn, "column \"" + name + "\" not found in data type " + type, location);
  }
  return scope.error(sqlstate::kWrongObjectType,
                     "column notation ." + name + " applied to type " + type + ", which is not a composite type",
                     location);
}

// (variable).field: the variable may be a record whose type says nothing, and its fields are known all the same.
Result<ExprPtr> variable_field(Scope& scope, const PgQuery__Node* variable, const ExprPtr& value,
                               std::string_view field, int location) {
  if (scope.a.variables == nullptr || value->kind != ExprKind::kParam || value->type.oid != oid::kRecord ||
      !is(variable, PG_QUERY__NODE__NODE_COLUMN_REF))
    return ExprPtr();
  std::vector<std::string_view> name;
  for (const PgQuery__Node* n : nodes(variable->column_ref->n_fields, variable->column_ref->fields)) {
    if (!is(n, PG_QUERY__NODE__NODE_STRING)) return ExprPtr();
    name.push_back(string_of(n));
  }
  name.push_back(field);
  INDIGO_ASSIGN(VariableScope::Found found, scope.a.variables->find(name, location));
  return found.parts == name.size() ? std::move(found.value) : ExprPtr();
}

Result<ExprPtr> array_index(Scope& scope, const PgQuery__Node* node) {
  if (absent(node)) return ExprPtr();
  INDIGO_ASSIGN(const ExprPtr e, transform(scope, node));
  INDIGO_ASSIGN(ExprPtr out, coerce_to_target(scope.a, e, {oid::kInt4, -1, kInvalidOid}, Coercion::kAssignment,
                                              CallExpr::Form::kImplicitCast, -1));
  if (!out) return scope.error(sqlstate::kDatatypeMismatch, "array subscript must have type integer", expr_location(e));
  return out;
}

// jsonb[...] reads what #> with the same path reads, and is shown as it was written.
Result<ExprPtr> jsonb_subscripts(Scope& scope, const ExprPtr& container, NodeList indexes, int location) {
  auto path = std::make_shared<ArrayExpr>();
  path->element = {oid::kText, -1, oid::kDefaultCollation};
  path->type = {oid::kTextArray, -1, oid::kDefaultCollation};
  INDIGO_ASSIGN(std::vector<JsonbStep> steps, jsonb_path(scope, indexes));
  for (JsonbStep& step : steps) path->elements.push_back(std::move(step.text));
  INDIGO_ASSIGN(const ExprPtr value, make_operator(scope.a, "#>", container, path, location));
  const auto* call = try_as<CallExpr>(value);
  if (call == nullptr) return value;
  auto out = std::make_shared<CallExpr>(*call);
  out->form = CallExpr::Form::kSqlSyntax;
  return ExprPtr(out);
}

// name[i]: its byte at i, counted from 0, as "char". (Names are ASCII where somebody asks.)
Result<ExprPtr> name_subscript(Scope& scope, const ExprPtr& container, const PgQuery__Node* index, int location) {
  const TypeRef text{oid::kText, -1, oid::kDefaultCollation};
  ExprList arguments;
  INDIGO_ASSIGN(ExprPtr string, cast_to(scope, container, text, -1));
  INDIGO_ASSIGN(ExprPtr at, array_index(scope, index));
  INDIGO_ASSIGN(at, make_operator(scope.a, "+", at, make_int4(1), location));
  arguments.push_back(std::move(string));
  arguments.push_back(std::move(at));
  arguments.push_back(make_int4(1));
  INDIGO_ASSIGN(const ExprPtr part, call_builtin(scope.a, "substr", std::move(arguments), location));
  return cast_to(scope, part, {oid::kChar, -1, kInvalidOid}, location);
}

// One key, which is a text, of a value that is a map of texts.
Result<ExprPtr> keyed_subscript(Scope& scope, const types::KeyedSubscripts& keyed, const ExprPtr& container,
                                NodeList indexes, int location) {
  if (indexes.size() != 1 || indexes[0]->a_indices->is_slice) {
    return scope.error(sqlstate::kFeatureNotSupported, std::string(keyed.name) + " allows only one subscript");
  }
  const TypeRef text{oid::kText, -1, oid::kDefaultCollation};
  INDIGO_ASSIGN(const ExprPtr key, transform(scope, indexes[0]->a_indices->uidx));
  INDIGO_ASSIGN(ExprPtr converted,
                coerce_to_target(scope.a, key, text, Coercion::kAssignment, CallExpr::Form::kImplicitCast, -1));
  if (!converted) {
    return scope.error(sqlstate::kDatatypeMismatch, std::string(keyed.name) + " subscript must have type text",
                       expr_location(key));
  }
  auto out = std::make_shared<SubscriptExpr>();
  out->container = container;
  out->indexes.push_back({nullptr, std::move(converted), false});
  out->element = out->type = text;
  out->location = location;
  return ExprPtr(out);
}

}  // namespace

Result<std::vector<JsonbStep>> jsonb_path(Scope& scope, NodeList subscripts) {
  std::vector<JsonbStep> out;
  for (const PgQuery__Node* n : subscripts) {
    if (n->a_indices->is_slice) {
      return scope.error(sqlstate::kDatatypeMismatch, "jsonb subscript does not support slices",
                         location_of(n->a_indices->uidx));
    }
    JsonbStep step;
    INDIGO_ASSIGN(step.text, transform(scope, n->a_indices->uidx));
    const Oid type = step.text->type.oid;
    if (type != oid::kUnknown && can_coerce(scope.catalog(), type, oid::kInt4, Coercion::kImplicit)) {
      INDIGO_ASSIGN(step.text, coerce_to_target(scope.a, step.text, {oid::kInt4, -1, kInvalidOid}, Coercion::kImplicit,
                                                CallExpr::Form::kImplicitCast, -1));
      step.integer = true;
    } else if (!can_coerce(scope.catalog(), type, oid::kText, Coercion::kImplicit)) {
      return scope
          .error(sqlstate::kDatatypeMismatch,
                 "subscript type " + format_type(scope.catalog(), type) + " is not supported", expr_location(step.text))
          .with_hint("jsonb subscript must be coercible to either integer or text.");
    }
    INDIGO_ASSIGN(step.text, coerce_to_target(scope.a, step.text, {oid::kText, -1, oid::kDefaultCollation},
                                              Coercion::kAssignment, CallExpr::Form::kImplicitCast, -1));
    out.push_back(std::move(step));
  }
  return out;
}

Result<ExprPtr> transform_subscripts(Scope& scope, const ExprPtr& original, NodeList indexes, int location) {
  const TypeRef base = base_type_ref(scope.catalog(), original->type.oid);
  ExprPtr container = original;
  if (base.oid != original->type.oid) {
    container =
        make_relabel(original, type_with_collation(scope.catalog(), {base.oid, base.typmod, kInvalidOid}), true);
  }
  if (base.oid == oid::kJsonb) return jsonb_subscripts(scope, container, indexes, location);
  if (base.oid == oid::kName && indexes.size() == 1 && !indexes[0]->a_indices->is_slice) {
    return name_subscript(scope, container, indexes[0]->a_indices->uidx, location);
  }
  const auto info = scope.catalog().type(base.oid);
  if (info && info->subscript != kInvalidOid && info->definition != nullptr && info->definition->subscripts != nullptr)
    return keyed_subscript(scope, *info->definition->subscripts, container, indexes, location);
  // point, lseg, line, box: so many elements of one type, counted from 0.
  const bool fixed = info && !info->is_array() && info->element != kInvalidOid && info->length > 0;
  if (!info || (!info->is_array() && !fixed)) {
    return scope.error(
        sqlstate::kDatatypeMismatch,
        "cannot subscript type " + format_type(scope.catalog(), base.oid) + " because it does not support subscripting",
        expr_location(container) >= 0 ? expr_location(container) : location);
  }
  if (indexes.size() > 6) {
    return scope.error(
        sqlstate::kProgramLimitExceeded,
        "number of array dimensions (" + std::to_string(indexes.size()) + ") exceeds the maximum allowed (6)");
  }
  auto out = std::make_shared<SubscriptExpr>();
  bool slice = false;
  for (const PgQuery__Node* n : indexes) slice = slice || n->a_indices->is_slice;
  if (slice && fixed)
    return scope.error(sqlstate::kFeatureNotSupported, "slices of fixed-length arrays not implemented");
  for (const PgQuery__Node* n : indexes) {
    SubscriptExpr::Index index;
    index.slice = slice;
    INDIGO_ASSIGN(index.upper, array_index(scope, n->a_indices->uidx));
    if (n->a_indices->is_slice) {
      INDIGO_ASSIGN(index.lower, array_index(scope, n->a_indices->lidx));
    } else if (slice) {
      index.lower = make_int4(1);
    }
    out->indexes.push_back(std::move(index));
  }
  out->element = type_with_collation(scope.catalog(), {info->element, container->type.typmod, kInvalidOid});
  out->type = slice ? container->type : out->element;
  if (out->type.collation != kInvalidOid) out->type.collation = container->type.collation;
  out->container = std::move(container);
  out->location = location;
  return ExprPtr(out);
}

Result<ExprPtr> transform_indirection(Scope& scope, const PgQuery__Node& node) {
  const PgQuery__AIndirection& i = *node.a_indirection;
  INDIGO_ASSIGN(ExprPtr e, transform(scope, i.arg));
  const NodeList steps = nodes(i.n_indirection, i.indirection);
  const int location = location_of(&node);
  for (size_t at = 0; at < steps.size();) {
    size_t end = at;
    while (end < steps.size() && is(steps[end], PG_QUERY__NODE__NODE_A_INDICES)) end++;
    if (end > at) {
      INDIGO_ASSIGN(e, transform_subscripts(scope, e, steps.subspan(at, end - at), location));
      at = end;
      continue;
    }
    if (is(steps[at], PG_QUERY__NODE__NODE_A_STAR)) {
      return scope.error(sqlstate::kFeatureNotSupported, "row expansion via \"*\" is not supported here", location);
    }
    const std::string_view field = string_of(steps[at]);
    INDIGO_ASSIGN(ExprPtr found, select_field(scope, e, field, location));
    if (!found && at == 0) {
      INDIGO_ASSIGN(found, variable_field(scope, i.arg, e, field, location));
    }
    if (!found) {
      INDIGO_ASSIGN(found, call_on_row(scope, field, e, location));
    }
    if (!found) return unknown_field(scope, e, field, location);
    e = std::move(found);
    at++;
  }
  return e;
}

Result<ExprPtr> transform_array(Scope& scope, const PgQuery__Node& node) {
  return transform_array_of(scope, *node.a_array_expr, TypeRef{}, node.a_array_expr->location);
}

Result<ExprPtr> transform_array_of(Scope& scope, const PgQuery__AArrayExpr& node, const TypeRef& array, int location) {
  INDIGO_TRY(check_stack_depth());
  auto out = std::make_shared<ArrayExpr>();
  out->location = node.location;
  for (const PgQuery__Node* n : nodes(node.n_elements, node.elements)) {
    ExprPtr e;
    if (is(n, PG_QUERY__NODE__NODE_A_ARRAY_EXPR)) {
      INDIGO_ASSIGN(e, transform_array_of(scope, *n->a_array_expr, array, location));
      out->multidimensional = true;
    } else {
      INDIGO_ASSIGN(e, transform(scope, n));
      // Vectors of OIDs and numbers are elements, as other arrays are not.
      const bool vector = e->type.oid == oid::kInt2Vector || e->type.oid == oid::kOidVector;
      if (!vector && element_of(scope.catalog(), e->type.oid) != kInvalidOid) out->multidimensional = true;
    }
    out->elements.push_back(std::move(e));
  }
  TypeRef target, element;
  const bool wanted = array.oid != kInvalidOid;
  if (wanted) {
    out->type = type_with_collation(scope.catalog(), array);
    element = {element_of(scope.catalog(), array.oid), array.typmod, array.collation};
    target = out->multidimensional ? array : element;
  } else {
    if (out->elements.empty()) {
      return scope.error(sqlstate::kIndeterminateDatatype, "cannot determine type of empty array", node.location)
          .with_hint("Explicitly cast to the desired type, for example ARRAY[]::integer[].");
    }
    INDIGO_ASSIGN(const Oid common, select_common_type(scope.a, out->elements, "ARRAY"));
    target = type_with_collation(scope.catalog(), {common, -1, kInvalidOid});
    if (out->multidimensional) {
      element = type_with_collation(scope.catalog(), {element_of(scope.catalog(), common), -1, kInvalidOid});
      if (element.oid == kInvalidOid) {
        return scope.error(sqlstate::kUndefinedObject,
                           "could not find element type for data type " + format_type(scope.catalog(), common),
                           node.location);
      }
      out->type = target;
    } else {
      element = target;
      out->type = type_with_collation(scope.catalog(), {array_of(scope.catalog(), common), -1, kInvalidOid});
      if (out->type.oid == kInvalidOid) {
        return scope.error(sqlstate::kUndefinedObject,
                           "could not find array type for data type " + format_type(scope.catalog(), common),
                           node.location);
      }
    }
  }
  for (ExprPtr& e : out->elements) {
    if (wanted) {
      INDIGO_ASSIGN(e, cast_to(scope, e, target, location));
    } else {
      INDIGO_ASSIGN(e, coerce_to_common(scope.a, e, target.oid, "ARRAY"));
    }
  }
  if (!wanted) {
    const int32_t typmod = select_common_typmod(out->elements, target.oid);
    out->type.typmod = element.typmod = typmod;
  }
  out->element = element;
  return ExprPtr(out);
}

Result<ExprPtr> transform_row(Scope& scope, const PgQuery__Node& node) {
  const PgQuery__RowExpr& r = *node.row_expr;
  auto out = std::make_shared<RowExpr>();
  INDIGO_ASSIGN(out->fields, expand_list(scope, nodes(r.n_args, r.args)));
  constexpr size_t kMaxFields = 1664;
  if (out->fields.size() > kMaxFields) {
    return scope.error(sqlstate::kTooManyColumns, "ROW expressions can have at most 1664 entries", r.location);
  }
  for (size_t i = 0; i < out->fields.size(); i++) out->names.push_back("f" + std::to_string(i + 1));
  out->type.oid = oid::kRecord;
  out->location = r.location;
  return ExprPtr(out);
}

}  // namespace indigo::sql
