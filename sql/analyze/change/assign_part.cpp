#include "sql/analyze/change/assign_part.h"

#include "sql/analyze/expression/expressions.h"
#include "sql/analyze/from/names.h"
#include "sql/analyze/make.h"
#include "sql/analyze/type/coerce.h"
#include "sql/analyze/type/signature_text.h"
#include "sql/parse/node.h"
#include "types/oids.h"

namespace indigo::sql {
namespace {

bool is_subscript(const PgQuery__Node* step) { return is(step, PG_QUERY__NODE__NODE_A_INDICES); }

class PartAssigner {
 public:
  PartAssigner(Scope& scope, const std::string& column, const ExprPtr& value, int location, bool through_text)
      : scope_(scope), column_(column), value_(value), location_(location), through_text_(through_text) {}

  // A domain is asked when all its parts are there: not of what the parts before this one have made.
  Result<ExprPtr> assign(const ExprPtr& before, const TypeRef& type, NodeList steps) {
    INDIGO_TRY(check_stack_depth());
    const auto* checked = try_as<DomainCastExpr>(before);
    const ExprPtr& old = checked == nullptr ? before : checked->argument;
    INDIGO_ASSIGN(ExprPtr out, is_subscript(steps[0]) ? element(old, type, steps) : field(old, type, steps));
    return coerce_to_domain(scope_.a, out, type.oid, Coercion::kAssignment, -1);
  }

 private:
  Error rewrite(std::string message) const {
    return scope_
        .error(sqlstate::kDatatypeMismatch,
               std::move(message) + " but expression is of type " + format_type(scope_.catalog(), value_->type.oid),
               location_)
        .with_hint("You will need to rewrite or cast the expression.");
  }

  // The value itself, at the last step; null when it cannot be converted.
  Result<ExprPtr> converted(const TypeRef& type) {
    INDIGO_ASSIGN(ExprPtr out,
                  coerce_to_target(scope_.a, value_, type, Coercion::kAssignment, CallExpr::Form::kImplicitCast, -1));
    if (out || !through_text_) return out;
    return coerce_through_text(scope_.a, value_, type);
  }

  Result<ExprPtr> element(const ExprPtr& old, const TypeRef& type, NodeList steps) {
    size_t count = 0;
    while (count < steps.size() && is_subscript(steps[count])) count++;
    const NodeList rest = steps.subspan(count);
    if (base_type_ref(scope_.catalog(), type.oid).oid == oid::kJsonb) return json(old, steps.first(count), rest);
    INDIGO_ASSIGN(const ExprPtr part, transform_subscripts(scope_, old, steps.first(count), location_));
    const auto* subscript = try_as<SubscriptExpr>(part);
    if (subscript == nullptr) {
      return scope_.error(sqlstate::kDatatypeMismatch,
                          "cannot subscript type " + format_type(scope_.catalog(), type.oid) +
                              " because it does not support subscripting",
                          location_);
    }
    auto out = std::make_shared<SubscriptExpr>(*subscript);
    if (rest.empty()) {
      INDIGO_ASSIGN(out->assign, converted(part->type));
      if (!out->assign) return wrong_element(part->type);
    } else {
      INDIGO_ASSIGN(out->assign, assign(part, part->type, rest));
    }
    out->type = out->container->type;
    return ExprPtr(out);
  }

  Error wrong_element(const TypeRef& type) const {
    return rewrite("subscripted assignment to \"" + column_ + "\" requires type " +
                   format_type(scope_.catalog(), type.oid));
  }

  Result<ExprPtr> json(const ExprPtr& old, NodeList subscripts, NodeList rest) {
    const TypeRef type{oid::kJsonb, -1, kInvalidOid};
    if (!rest.empty()) return no_fields(rest, type);
    INDIGO_ASSIGN(std::vector<JsonbStep> path, jsonb_path(scope_, subscripts));
    auto out = std::make_shared<SubscriptExpr>();
    out->container = old->type.oid == oid::kJsonb ? old : make_relabel(old, type, true);
    out->type = type;
    out->element = {path[0].integer ? oid::kInt4 : oid::kText, -1, kInvalidOid};
    for (JsonbStep& step : path) out->indexes.push_back({nullptr, std::move(step.text), false});
    INDIGO_ASSIGN(out->assign, converted(type));
    if (!out->assign) return wrong_element(type);
    return ExprPtr(out);
  }

  Error no_fields(NodeList steps, const TypeRef& type) const {
    return scope_.error(sqlstate::kDatatypeMismatch,
                        "cannot assign to field \"" + std::string(string_of(steps[0])) + "\" of column \"" + column_ +
                            "\" because its type " + format_type(scope_.catalog(), type.oid) +
                            " is not a composite type",
                        location_);
  }

  Result<ExprPtr> field(const ExprPtr& old, const TypeRef& type, NodeList steps) {
    if (is(steps[0], PG_QUERY__NODE__NODE_A_STAR)) {
      return scope_.error(sqlstate::kFeatureNotSupported, "row expansion via \"*\" is not supported here", location_);
    }
    const std::string_view name = string_of(steps[0]);
    const TypeRef base = base_type_ref(scope_.catalog(), type.oid);
    RowShape shape;
    if (!row_shape_of_type(scope_.catalog(), base.oid, shape)) return no_fields(steps, type);
    ExprPtr row = base.oid == old->type.oid ? old : make_relabel(old, {base.oid, -1, kInvalidOid}, true);
    auto out = std::make_shared<RowExpr>();
    out->type = {base.oid, -1, kInvalidOid};
    out->location = location_;
    bool found = false;
    for (size_t i = 0; i < shape.names.size(); i++) {
      out->names.push_back(shape.names[i]);
      if (shape.dropped[i]) {
        out->fields.push_back(make_const({oid::kInt4, -1, kInvalidOid}, Datum::make_null(Phys::kI32)));
        continue;
      }
      ExprPtr before = field_at(row, static_cast<int>(i), shape.types[i], -1);
      if (shape.names[i] != name) {
        out->fields.push_back(std::move(before));
        continue;
      }
      found = true;
      // Further steps are told of by the field that they begin at.
      std::string outer = std::exchange(column_, std::string(name));
      INDIGO_ASSIGN(ExprPtr after, steps.size() == 1 ? last_field(name, shape.types[i])
                                                     : assign(before, shape.types[i], steps.subspan(1)));
      column_ = std::move(outer);
      out->fields.push_back(std::move(after));
    }
    if (!found) {
      return scope_.error(sqlstate::kUndefinedColumn,
                          "cannot assign to field \"" + std::string(name) + "\" of column \"" + column_ +
                              "\" because there is no such column in data type " +
                              format_type(scope_.catalog(), type.oid),
                          location_);
    }
    return ExprPtr(out);
  }

  Result<ExprPtr> last_field(std::string_view name, const TypeRef& type) {
    INDIGO_ASSIGN(ExprPtr out, converted(type));
    if (!out) {
      return rewrite("subfield \"" + std::string(name) + "\" is of type " + format_type(scope_.catalog(), type.oid));
    }
    return out;
  }

  Scope& scope_;
  std::string column_;  // or the field of it that is being read
  const ExprPtr& value_;
  const int location_;
  const bool through_text_;
};

}  // namespace

Result<ExprPtr> assign_part(Scope& scope, const std::string& column, const TypeRef& type, const ExprPtr& old,
                            const ExprPtr& value, NodeList indirection, int location, bool through_text) {
  return PartAssigner(scope, column, value, location, through_text).assign(old, type, indirection);
}

Error default_of_part(const Scope& scope, NodeList indirection, int location) {
  return scope.error(
      sqlstate::kFeatureNotSupported,
      is_subscript(indirection[0]) ? "cannot set an array element to DEFAULT" : "cannot set a subfield to DEFAULT",
      location);
}

}  // namespace indigo::sql
