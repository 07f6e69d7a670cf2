#include "engine/ddl/operator/aggregate_parts.h"

#include <algorithm>

#include "sql/analyze/expression/overloads.h"
#include "sql/parse/node.h"

namespace indigo::engine::ddl {

namespace {

enum class Family : uint8_t { kNone, kElement, kArray };
Family family_of(Oid type) {
  switch (type) {
    case oid::kAnyArray:
    case oid::kAnyCompatibleArray: return Family::kArray;
    case oid::kAnyElement:
    case oid::kAnyNonArray:
    case oid::kAnyEnum:
    case oid::kAnyCompatible:
    case oid::kAnyCompatibleNonArray: return Family::kElement;
    default: return Family::kNone;
  }
}

class AggregateFinder {
 public:
  AggregateFinder(DdlContext& c, const RoutineSignature& s, const AggregateOptions& o, char kind, int direct)
      : c_(c), s_(s), o_(o), kind_(kind), direct_(kind == 'n' ? 0 : static_cast<size_t>(std::max(direct, 0))) {}

  Result<AggregateParts> find() {
    if (kind_ == 'h' && s_.variadic == kInvalidOid && s_.inputs.size() != 2 * direct_) {
      return invalid_definition(
          "a hypothetical-set aggregate must have direct arguments matching its aggregated arguments");
    }
    INDIGO_TRY(check_polymorphic(o_.state, "transition"));
    if (o_.moving_state != kInvalidOid) INDIGO_TRY(check_polymorphic(o_.moving_state, "transition"));
    INDIGO_TRY(transition(o_.transition, o_.state, o_.initial, out_.transition));
    if (o_.moving_state != kInvalidOid) INDIGO_TRY(moving());
    INDIGO_TRY(final());
    INDIGO_TRY(combining());
    INDIGO_TRY(check_polymorphic(out_.result, "result"));
    if (out_.result == oid::kInternal &&
        std::find(s_.inputs.begin(), s_.inputs.end(), oid::kInternal) == s_.inputs.end()) {
      return invalid_definition("unsafe use of pseudo-type \"internal\"")
          .with_detail("A result of type internal requires at least one input of type internal.");
    }
    INDIGO_TRY(sort_operator());
    for (const Oid t : s_.inputs) INDIGO_TRY(check_type_usage(c_, t));
    return out_;
  }

 private:
  struct Found {
    RoutinePtr function;
    Oid result = kInvalidOid;
  };

  std::string text(Oid type) { return type_text(c_, {type, -1, kInvalidOid}); }

  Status check_polymorphic(Oid type, std::string_view what) {
    if (family_of(type) == Family::kNone) return {};
    const bool compatible =
        type == oid::kAnyCompatible || type == oid::kAnyCompatibleArray || type == oid::kAnyCompatibleNonArray;
    const auto fits = [&](Oid t) {
      const bool other = t == oid::kAnyCompatible || t == oid::kAnyCompatibleArray ||
                         t == oid::kAnyCompatibleNonArray || t == oid::kAnyCompatibleRange ||
                         t == oid::kAnyCompatibleMultirange;
      return is_polymorphic_type(t) && other == compatible;
    };
    if (std::any_of(s_.inputs.begin(), s_.inputs.end(), fits)) return {};
    return invalid_definition("cannot determine " + std::string(what) + " data type")
        .with_detail("A result of type " + text(type) + " requires at least one input of type " +
                     (compatible ? "anycompatible, anycompatiblearray, anycompatiblenonarray, anycompatiblerange, or "
                                   "anycompatiblemultirange"
                                 : "anyelement, anyarray, anynonarray, anyenum, anyrange, or anymultirange") +
                     ".");
  }

  // What the function answers when it is called with these types.
  Oid result_of(const types::FunctionInfo& f, std::span<const Oid> actual) {
    const Family wanted = family_of(f.result);
    if (wanted == Family::kNone) return f.result;
    for (size_t i = 0; i < f.arguments.size() && i < actual.size(); i++) {
      const Family given = family_of(f.arguments[i]);
      if (given == Family::kNone) continue;
      if (given == wanted) return actual[i];
      const bool compatible = actual[i] == oid::kAnyCompatible || actual[i] == oid::kAnyCompatibleArray;
      if (family_of(actual[i]) != Family::kNone) {
        if (wanted == Family::kArray) return compatible ? oid::kAnyCompatibleArray : oid::kAnyArray;
        return compatible ? oid::kAnyCompatible : oid::kAnyElement;
      }
      const TypePtr type = c_.catalog.type(actual[i]);
      if (type != nullptr) return wanted == Family::kArray ? type->array : type->element;
    }
    return f.result;
  }

  bool accepts(Oid declared, Oid actual) {
    if (is_binary_coercible(c_, actual, declared)) return true;
    switch (family_of(declared)) {
      case Family::kNone: return false;
      case Family::kElement: return family_of(actual) == Family::kElement || !is_polymorphic_type(actual);
      case Family::kArray: {
        if (family_of(actual) == Family::kArray) return true;
        const TypePtr type = c_.catalog.type(actual);
        return type != nullptr && type->is_array();
      }
    }
    return false;
  }

  Result<Found> function(NodeList name, const std::vector<Oid>& types) {
    const auto q = sql::qualified_name(name);
    const std::string signature = call_signature(c_, sql::name_list_text(name), types);
    RoutinePtr found;
    for (const RoutinePtr& f : c_.catalog.functions_named(q.schema, q.name)) {
      if (f->kind == types::FunctionKind::kFunction && f->arguments == types) found = f;
    }
    sql::FunctionArguments arguments;
    arguments.types = types;
    sql::FunctionCall call;
    if (found == nullptr && sql::find_function(c_.catalog, q.schema, q.name, arguments, call) == sql::Lookup::kFound) {
      found = call.function;
    }
    if (found == nullptr || found->kind != types::FunctionKind::kFunction)
      return Error(sqlstate::kUndefinedFunction, "function " + signature + " does not exist");
    if (found->returns_set) return Error(sqlstate::kDatatypeMismatch, "function " + signature + " returns a set");
    const bool spread = call.function == found && call.variadic_expanded;
    for (size_t i = 0; i < types.size() && !spread; i++) {
      if (i < found->arguments.size() && found->arguments[i] != oid::kAny && !accepts(found->arguments[i], types[i]))
        return Error(sqlstate::kDatatypeMismatch, "function " + signature + " requires run-time type coercion");
    }
    INDIGO_TRY(check_may_execute(c_, *found));
    return Found{found, result_of(*found, types)};
  }

  // The state, then the aggregated arguments.
  std::vector<Oid> transition_types(Oid state) const {
    std::vector<Oid> out{state};
    const size_t first = std::min(direct_, s_.inputs.size());
    if (kind_ != 'n' && first == s_.inputs.size() && !s_.inputs.empty()) {
      out.push_back(s_.inputs.back());  // VARIADIC stands for the aggregated ones
    } else {
      out.insert(out.end(), s_.inputs.begin() + static_cast<ptrdiff_t>(first), s_.inputs.end());
    }
    return out;
  }

  Status transition(NodeList name, Oid state, const std::optional<std::string>& initial, Oid& place) {
    const std::vector<Oid> types = transition_types(state);
    INDIGO_ASSIGN(const Found f, function(name, types));
    if (f.result != state) {
      return Error(sqlstate::kDatatypeMismatch,
                   "return type of transition function " + sql::name_list_text(name) + " is not " + text(state));
    }
    if (f.function->strict && !initial && (types.size() < 2 || !accepts(state, types[1]))) {
      return invalid_definition(
          "must not omit initial value when transition function is strict and transition type is not compatible with "
          "input type");
    }
    place = f.function->oid;
    return {};
  }

  Status moving() {
    INDIGO_TRY(transition(o_.moving_transition, o_.moving_state, o_.moving_initial, out_.moving_transition));
    INDIGO_ASSIGN(const Found inverse, function(o_.moving_inverse, transition_types(o_.moving_state)));
    if (inverse.result != o_.moving_state) {
      return Error(sqlstate::kDatatypeMismatch, "return type of inverse transition function " +
                                                    sql::name_list_text(o_.moving_inverse) + " is not " +
                                                    text(o_.moving_state));
    }
    if (inverse.function->strict != FunctionPtr(c_.catalog.function(out_.moving_transition))->strict) {
      return invalid_definition("strictness of aggregate's forward and inverse transition functions must match");
    }
    out_.moving_inverse = inverse.function->oid;
    return {};
  }

  Result<Found> final_of(NodeList name, Oid state, bool extra) {
    std::vector<Oid> types{state};
    const size_t count = extra ? s_.inputs.size() : std::min(direct_, s_.inputs.size());
    types.insert(types.end(), s_.inputs.begin(), s_.inputs.begin() + static_cast<ptrdiff_t>(count));
    INDIGO_ASSIGN(const Found f, function(name, types));
    if (extra && f.function->strict)
      return invalid_definition("final function with extra arguments must not be declared STRICT");
    return f;
  }

  Status final() {
    out_.result = o_.state;
    if (!o_.final.empty()) {
      INDIGO_ASSIGN(const Found f, final_of(o_.final, o_.state, o_.final_extra));
      out_.final = f.function->oid;
      out_.result = f.result;
    }
    if (o_.moving_state == kInvalidOid) return {};
    Oid moving = o_.moving_state;
    if (!o_.moving_final.empty()) {
      INDIGO_ASSIGN(const Found f, final_of(o_.moving_final, o_.moving_state, o_.moving_final_extra));
      out_.moving_final = f.function->oid;
      moving = f.result;
    }
    if (moving == out_.result) return {};
    return invalid_definition("moving-aggregate implementation returns type " + text(moving) +
                              ", but plain implementation returns type " + text(out_.result));
  }

  Status checked(NodeList name, const std::vector<Oid>& types, Oid wanted, std::string_view what, Oid& place) {
    if (name.empty()) return {};
    INDIGO_ASSIGN(const Found f, function(name, types));
    if (f.result != wanted) {
      return Error(sqlstate::kDatatypeMismatch, "return type of " + std::string(what) + " function " +
                                                    sql::name_list_text(name) + " is not " + text(wanted));
    }
    place = f.function->oid;
    return {};
  }

  Status combining() {
    INDIGO_TRY(checked(o_.combine, {o_.state, o_.state}, o_.state, "combine", out_.combine));
    if (out_.combine != kInvalidOid && o_.state == oid::kInternal &&
        FunctionPtr(c_.catalog.function(out_.combine))->strict)
      return invalid_definition("combine function with transition type internal must not be declared STRICT");
    INDIGO_TRY(checked(o_.serialize, {oid::kInternal}, oid::kBytea, "serialization", out_.serialize));
    return checked(o_.deserialize, {oid::kBytea, oid::kInternal}, oid::kInternal, "deserialization", out_.deserialize);
  }

  Status sort_operator() {
    if (o_.sort_operator.empty()) return {};
    if (s_.inputs.size() != 1)
      return invalid_definition("sort operator can only be specified for single-argument aggregates");
    const OperatorPtr o = operator_with(c_, o_.sort_operator, s_.inputs[0], s_.inputs[0]);
    if (o == nullptr) {
      return Error(sqlstate::kUndefinedFunction, "operator does not exist: " + text(s_.inputs[0]) + " " +
                                                     sql::name_list_text(o_.sort_operator) + " " + text(s_.inputs[0]));
    }
    out_.sort_operator = o->oid;
    return {};
  }

  DdlContext& c_;
  const RoutineSignature& s_;
  const AggregateOptions& o_;
  const char kind_;
  const size_t direct_;
  AggregateParts out_;
};

}  // namespace

bool is_polymorphic_type(Oid type) {
  switch (type) {
    case oid::kAnyRange:
    case oid::kAnyMultirange:
    case oid::kAnyCompatibleRange:
    case oid::kAnyCompatibleMultirange: return true;
    default: return family_of(type) != Family::kNone;
  }
}

Result<AggregateParts> find_aggregate_parts(DdlContext& c, const RoutineSignature& signature,
                                            const AggregateOptions& options, char kind, int direct) {
  return AggregateFinder(c, signature, options, kind, direct).find();
}

}  // namespace indigo::engine::ddl
