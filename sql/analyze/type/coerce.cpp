#include "sql/analyze/type/coerce.h"

#include "sql/analyze/expression/overloads.h"
#include "sql/analyze/make.h"
#include "sql/analyze/scope.h"
#include "sql/analyze/type/signature_text.h"
#include "types/function/registry.h"
#include "types/oids.h"

namespace indigo::sql {
namespace {

using Form = CallExpr::Form;

// The constant that a string literal is in a type: its input function runs now.
Result<ExprPtr> literal_value(Analysis& a, const ConstExpr& literal, const TypeRef& type) {
  if (literal.value.get().null) return make_null(a.catalog, type, literal.location);
  types::FuncContext& context = a.functions();
  const Datum value = type_input(context, type, literal.value.get().str);
  if (context.failed()) {
    auto error = context.take_error();
    if (error->position == 0) error->position = a.position(literal.location);
    return error;
  }
  return make_const(type, value, literal.location);
}

Result<ExprPtr> apply_cast_function(Analysis& a, Oid function, const ExprPtr& e, const TypeRef& type, Coercion context,
                                    Form form, int location) {
  const auto info = a.catalog.function(function);
  if (!info)
    return a.error(sqlstate::kInternalError, "cast function " + std::to_string(function) + " is missing", location);
  ExprList arguments{e};
  if (info->arguments.size() >= 2) arguments.push_back(make_int4(type.typmod));
  if (info->arguments.size() >= 3) arguments.push_back(make_bool(context == Coercion::kExplicit));
  // One that is not told the modifier does not apply it.
  const TypeRef result = {type.oid, arguments.size() >= 2 ? type.typmod : -1, type.collation};
  return make_call(a, *info, std::move(arguments), result, form, kInvalidOid, location);
}

Result<ExprPtr> apply_array_cast(Analysis& a, const ExprPtr& e, const TypeRef& type, Coercion context, Form form,
                                 int location) {
  const Oid from = element_of(a.catalog, base_type(a.catalog, e->type.oid));
  const Oid to = element_of(a.catalog, type.oid);
  auto column = std::make_shared<ColumnExpr>();
  column->type = type_with_collation(a.catalog, {from, e->type.typmod, kInvalidOid});
  INDIGO_ASSIGN(const ExprPtr element,
                coerce_to_target(a, column, type_with_collation(a.catalog, {to, type.typmod, kInvalidOid}), context,
                                 form, location));
  auto cast = std::make_shared<ArrayCastExpr>();
  cast->argument = e;
  cast->element = element;
  cast->implicit = form == Form::kImplicitCast;
  cast->type = type;
  cast->location = location;
  return ExprPtr(cast);
}

// The conversion as one that is not shown: the one around it stands for both.
ExprPtr hidden(const ExprPtr& e) {
  const auto copy_with = [](const auto& node, auto change) {
    auto copy = std::make_shared<std::remove_cvref_t<decltype(node)>>(node);
    change(*copy);
    return ExprPtr(std::move(copy));
  };
  if (const auto* r = try_as<RelabelExpr>(e)) return copy_with(*r, [](RelabelExpr& x) { x.implicit = true; });
  if (const auto* array = try_as<ArrayCastExpr>(e))
    return copy_with(*array, [](ArrayCastExpr& x) { x.implicit = true; });
  if (const auto* row = try_as<RowCastExpr>(e)) return copy_with(*row, [](RowCastExpr& x) { x.implicit = true; });
  if (const auto* io = try_as<IoCastExpr>(e)) return copy_with(*io, [](IoCastExpr& x) { x.implicit = true; });
  if (const auto* call = try_as<CallExpr>(e); call && call->form == CallExpr::Form::kExplicitCast) {
    return copy_with(*call, [](CallExpr& x) { x.form = CallExpr::Form::kImplicitCast; });
  }
  return e;
}

// A row value, or the whole row of a subquery, to a named row type, column by column.
Result<ExprPtr> record_to_composite(Analysis& a, const ExprPtr& e, const TypeRef& type, Coercion context,
                                    int location) {
  RowShape shape;
  if (location < 0) location = expr_location(e);
  const auto fail = [&](std::string detail) {
    return a.error(sqlstate::kCannotCoerce, "cannot cast type record to " + format_type(a.catalog, type.oid), location)
        .with_detail(std::move(detail));
  };
  ExprList fields;
  const auto* whole = try_as<WholeRowExpr>(e);
  if (const auto* row = try_as<RowExpr>(e)) fields = row->fields;
  for (size_t i = 0; whole != nullptr && i < whole->columns.size(); i++)
    fields.push_back(make_var(whole->entry, static_cast<int>(i), whole->columns[i], whole->levels_up, whole->location));
  const bool known = e->kind == ExprKind::kRow || (whole != nullptr && !whole->columns.empty());
  if (!known || !row_shape_of_type(a.catalog, type.oid, shape)) {
    return a.error(sqlstate::kCannotCoerce, "cannot cast type record to " + format_type(a.catalog, type.oid), location);
  }
  auto out = std::make_shared<RowExpr>();
  out->location = expr_location(e);
  const TypeRef base = base_type_ref(a.catalog, type.oid);
  out->type = {base.oid, -1, kInvalidOid};
  size_t next = 0;
  for (size_t i = 0; i < shape.names.size(); i++) {
    if (shape.dropped[i]) {
      out->fields.push_back(make_const({oid::kInt4, -1, kInvalidOid}, Datum::make_null(Phys::kI32)));
      out->names.emplace_back();
      continue;
    }
    if (next >= fields.size()) return fail("Input has too few columns.");
    INDIGO_ASSIGN(ExprPtr field, coerce_to_target(a, fields[next], shape.types[i], context, Form::kImplicitCast, -1));
    if (!field) {
      return fail("Cannot cast type " + format_type(a.catalog, fields[next]->type.oid) + " to " +
                  format_type(a.catalog, shape.types[i].oid) + " in column " + std::to_string(next + 1) + ".");
    }
    next++;
    out->fields.push_back(std::move(field));
    out->names.push_back(shape.names[i]);
  }
  if (next < fields.size()) return fail("Input has too many columns.");
  if (base.oid != type.oid) return coerce_to_domain(a, out, type.oid, context, location);
  return ExprPtr(out);
}

// A parameter of an array of a domain is bound as an array of its base type, whose elements are cast then.
TypeRef checked_in_steps(catalog::CatalogView& catalog, const TypeRef& type) {
  const Oid element = element_of_base(catalog, type.oid);
  if (element == kInvalidOid || base_type(catalog, element) == element) return type;
  const Oid array = array_of(catalog, base_type(catalog, element));
  return array == kInvalidOid ? type : type_with_collation(catalog, {array, -1, kInvalidOid});
}

}  // namespace

Result<ExprPtr> coerce_type(Analysis& a, const ExprPtr& e, const TypeRef& type, Coercion context, Form form,
                            int location) {
  catalog::CatalogView& catalog = a.catalog;
  const Oid source = e->type.oid, target = type.oid;
  if (source == target || source == kInvalidOid) return e;
  switch (target) {
    case oid::kAny:
    case oid::kAnyElement:
    case oid::kAnyNonArray:
    case oid::kAnyCompatible:
    case oid::kAnyCompatibleNonArray: return e;
    default: break;
  }
  if (is_polymorphic(target) && source != oid::kUnknown) {
    const Oid base = base_type(catalog, source);
    if (base == source) return e;
    return make_relabel(e, type_with_collation(catalog, {base, -1, kInvalidOid}), true, location);
  }
  const TypeRef base = base_type_ref(catalog, target);
  const int32_t base_typmod = base.oid == target ? type.typmod : base.typmod;
  const TypeRef base_plain = type_with_collation(catalog, {base.oid, -1, kInvalidOid});
  if (source == oid::kUnknown) {
    ExprPtr value;
    if (const auto* literal = try_as<ConstExpr>(e)) {
      if (target == oid::kRecord && !literal->value.get().null) {
        return a.error(sqlstate::kFeatureNotSupported, "input of anonymous composite types is not implemented",
                       expr_location(e));
      }
      // Only interval's input needs the modifier; the others apply it afterwards, with an explicit cast's rules.
      TypeRef input = base_plain;
      if (base.oid == oid::kInterval) input.typmod = base_typmod;
      INDIGO_ASSIGN(value, literal_value(a, *literal, input));
    } else if (const auto* param = try_as<ParamExpr>(e);
               param != nullptr && base.oid != target && !a.is_lifted(*param)) {
      // Who binds it learns of the domain; the value is checked then.
      return a.resolve_parameter(*param, {target, -1, kInvalidOid});
    } else if (param != nullptr) {
      const TypeRef input = checked_in_steps(catalog, base_plain);
      const bool in_steps = input.oid != base_plain.oid;
      TypeRef resolved = in_steps && a.is_lifted(*param) ? input : base_plain;
      if (resolved.oid == oid::kInterval) resolved.typmod = base_typmod;
      INDIGO_ASSIGN(value, a.resolve_parameter(*param, resolved));
      if (value && in_steps) {
        if (value->type.oid != input.oid) value = make_relabel(value, input, true, location);
        INDIGO_ASSIGN(value, coerce_type(a, value, base_plain, Coercion::kImplicit, Form::kImplicitCast, location));
      }
    }
    if (value) {
      if (base.oid == target) return value;
      return coerce_to_domain(a, value, target, context, location);
    }
  }
  if (ExprPtr wide = a.widen_lifted(e, type)) return wide;
  if (const auto* collate = try_as<CollateExpr>(e)) {
    INDIGO_ASSIGN(ExprPtr inner, coerce_type(a, collate->argument, type, context, form, location));
    const TypeRef plain = type_with_collation(catalog, {inner->type.oid, -1, kInvalidOid});
    if (plain.collation == kInvalidOid) return inner;
    auto copy = std::make_shared<CollateExpr>(*collate);
    copy->type = inner->type;
    copy->type.collation = collate->type.collation;
    copy->argument = std::move(inner);
    return ExprPtr(copy);
  }
  const CoercionPath path = find_path(catalog, target, source, context);
  TypeRef step = base_plain;
  step.typmod = base_typmod;
  ExprPtr out;
  switch (path.kind) {
    case PathKind::kNone: break;
    case PathKind::kRelabel: {
      INDIGO_ASSIGN(out, coerce_to_domain(a, e, target, context, location));
      if (out == e && base.oid == target) {
        // A domain's value is one of its base type at once.
        out = make_relabel(e, base_plain, form != Form::kExplicitCast, location);
      }
      return out;
    }
    case PathKind::kFunction: {
      INDIGO_ASSIGN(out, apply_cast_function(a, path.function, e, step, context, form, location));
      break;
    }
    case PathKind::kArray: {
      INDIGO_ASSIGN(out, apply_array_cast(a, e, step, context, form, location));
      break;
    }
    case PathKind::kIo: {
      auto cast = std::make_shared<IoCastExpr>();
      cast->argument = e;
      cast->type = checked_in_steps(catalog, base_plain);
      cast->implicit = form != Form::kExplicitCast;
      cast->location = location;
      const bool in_steps = cast->type.oid != base_plain.oid;
      out = cast;
      if (in_steps) {
        INDIGO_ASSIGN(out, coerce_type(a, out, base_plain, Coercion::kImplicit, Form::kImplicitCast, location));
      }
      break;
    }
  }
  if (out) {
    if (base.oid == target) return out;
    return coerce_to_domain(a, hidden(out), target, context, location);
  }
  if (source == oid::kRecord && is_composite(catalog, target)) {
    return record_to_composite(a, e, type, context, location);
  }
  if (target == oid::kRecord || target == oid::kRecordArray) return e;
  if (is_row_of(catalog, source, target)) {
    auto cast = std::make_shared<RowCastExpr>();
    cast->argument = e;
    cast->type = base_plain;
    cast->implicit = form != Form::kExplicitCast;
    cast->location = location;
    return ExprPtr(cast);
  }
  return a.error(sqlstate::kCannotCoerce,
                 "cannot cast type " + format_type(catalog, source) + " to " + format_type(catalog, target), location);
}

Result<ExprPtr> coerce_typmod(Analysis& a, const ExprPtr& e, const TypeRef& type, Coercion context, Form form,
                              int location) {
  if (type.typmod == e->type.typmod) return e;
  if (type.typmod < 0) {
    // Nothing to do, but that the value shows that it has no modifier any more.
    if (form != Form::kExplicitCast || e->type.oid != type.oid) return e;
    return make_relabel(e, {e->type.oid, -1, e->type.collation}, false, location);
  }
  const auto info = a.catalog.type(type.oid);
  const bool array = info && info->is_array();
  const Oid measured = array ? info->element : type.oid;
  const auto* cast = a.catalog.cast(measured, measured);
  if (cast == nullptr) return make_relabel(e, type, form != Form::kExplicitCast, location);
  if (!array) return apply_cast_function(a, cast->function, e, type, context, form, location);
  return apply_array_cast(a, e, type, context, form, location);
}

Result<ExprPtr> coerce_to_target(Analysis& a, const ExprPtr& original, const TypeRef& type, Coercion context, Form form,
                                 int location) {
  if (!can_coerce(a.catalog, original->type.oid, type.oid, context)) return ExprPtr();
  // A top COLLATE stays on top.
  const auto* collate = try_as<CollateExpr>(original);
  const ExprPtr e = collate ? collate->argument : original;
  INDIGO_ASSIGN(ExprPtr out, coerce_type(a, e, type, context, form, location));
  if (out != e && type.typmod >= 0 && type.typmod != out->type.typmod) out = hidden(out);
  INDIGO_ASSIGN(out, coerce_typmod(a, out, type, context, form, location));
  if (collate && type_with_collation(a.catalog, {type.oid, -1, kInvalidOid}).collation != kInvalidOid) {
    auto copy = std::make_shared<CollateExpr>(*collate);
    copy->type = {out->type.oid, out->type.typmod, collate->type.collation};
    copy->argument = std::move(out);
    return ExprPtr(copy);
  }
  return out;
}

Result<ExprPtr> coerce_to_specific(Analysis& a, const ExprPtr& e, Oid type, const char* construct) {
  ExprPtr out = e;
  if (e->type.oid != type) {
    const TypeRef target = type_with_collation(a.catalog, {type, -1, kInvalidOid});
    INDIGO_ASSIGN(out, coerce_to_target(a, e, target, Coercion::kAssignment, Form::kImplicitCast, -1));
    if (!out) {
      return a.error(sqlstate::kDatatypeMismatch,
                     "argument of " + std::string(construct) + " must be type " + format_type(a.catalog, type) +
                         ", not type " + format_type(a.catalog, e->type.oid),
                     expr_location(e));
    }
  }
  if (returns_set(out)) {
    return a.error(sqlstate::kDatatypeMismatch, "argument of " + std::string(construct) + " must not return a set",
                   expr_location(e));
  }
  return out;
}

Result<ExprPtr> coerce_to_boolean(Analysis& a, const ExprPtr& e, const char* construct) {
  return coerce_to_specific(a, e, oid::kBool, construct);
}

Result<ExprPtr> unknown_to_text(Analysis& a, const ExprPtr& e) {
  if (e->type.oid != oid::kUnknown) return e;
  return coerce_type(a, e, {oid::kText, -1, oid::kDefaultCollation}, Coercion::kImplicit, Form::kImplicitCast, -1);
}

Status add_domain_checks(Analysis& a, DomainCastExpr& cast) {
  const Oid domain = cast.type.oid;
  // Checks of inner domains come first, then this one's in order of their names.
  std::vector<std::shared_ptr<const types::TypeInfo>> chain;
  for (auto d = a.catalog.type(domain); d && d->kind == 'd'; d = a.catalog.type(d->base)) chain.push_back(d);
  for (auto d = chain.rbegin(); d != chain.rend(); ++d) {
    cast.not_null = cast.not_null || (*d)->not_null;
    for (const auto& check : (*d)->checks) {
      INDIGO_ASSIGN(ExprPtr condition, analyze_domain_check(a, check.expression, domain));
      cast.checks.push_back({check.name, std::move(condition)});
    }
  }
  return {};
}

Result<ExprPtr> coerce_to_domain(Analysis& a, const ExprPtr& e, Oid domain, Coercion context, int location) {
  const auto info = a.catalog.type(domain);
  if (!info || info->kind != 'd') return e;
  const TypeRef base = type_with_collation(a.catalog, base_type_ref(a.catalog, domain));
  INDIGO_ASSIGN(const ExprPtr value, coerce_typmod(a, e, base, context, Form::kImplicitCast, location));
  auto cast = std::make_shared<DomainCastExpr>();
  cast->argument = value;
  cast->implicit = context != Coercion::kExplicit;
  cast->type = {domain, -1, info->collation};
  if (info->collation == oid::kDefaultCollation && value->type.collation != kInvalidOid)
    cast->type.collation = value->type.collation;
  cast->location = location;
  INDIGO_TRY(add_domain_checks(a, *cast));
  return ExprPtr(cast);
}

Result<ExprPtr> coerce_through_text(Analysis& a, const ExprPtr& e, const TypeRef& to) {
  const TypeRef base = base_type_ref(a.catalog, to.oid);
  auto cast = std::make_shared<IoCastExpr>();
  cast->argument = e;
  cast->type = type_with_collation(a.catalog, {base.oid, base.oid == to.oid ? to.typmod : base.typmod, kInvalidOid});
  cast->implicit = true;
  if (base.oid == to.oid) return ExprPtr(cast);
  return coerce_to_domain(a, cast, to.oid, Coercion::kAssignment, -1);
}

}  // namespace indigo::sql
