#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <typeinfo>
#include <utility>

#include <absl/container/flat_hash_map.h>

#include "catalog/database.h"
#include "catalog/descriptor/session_catalog.h"
#include "catalog/generated/columns.h"
#include "catalog/tables/overlay_table.h"
#include "catalog/tables/system_table.h"
#include "sql/analyze/expression/overloads.h"
#include "sql/analyze/make.h"
#include "sql/analyze/type/signature_text.h"
#include "sql/parse/node.h"
#include "types/oids.h"
#include "types/value/collator.h"
#include "types/value/defined_equality.h"

namespace indigo::sql {
namespace {

using types::OperatorInfo;

// One name's operators with the right number of operands, in the order of the search path.
std::vector<const OperatorInfo*> operators_of(catalog::CatalogView& catalog, std::string_view schema,
                                              std::string_view name, bool prefix) {
  std::vector<const OperatorInfo*> list = catalog.operators_named(schema, name);
  std::erase_if(list, [&](const OperatorInfo* op) { return (op->left == kInvalidOid) != prefix; });
  return list;
}

// Of equal signatures, which only different schemas have, the first. There may be many; an exact match is found without this.
std::vector<const OperatorInfo*> without_hidden(std::span<const OperatorInfo* const> all) {
  std::vector<const OperatorInfo*> list;
  for (const OperatorInfo* op : all) {
    const bool hidden = std::any_of(list.begin(), list.end(), [&](const OperatorInfo* earlier) {
      return earlier->left == op->left && earlier->right == op->right && earlier->schema != op->schema;
    });
    if (!hidden) list.push_back(op);
  }
  return list;
}

bool are_of_one_schema(std::span<const OperatorInfo* const> list) {
  return std::all_of(list.begin(), list.end(), [&](const OperatorInfo* op) { return op->schema == list[0]->schema; });
}

const OperatorInfo* exact(std::span<const OperatorInfo* const> list, Oid left, Oid right) {
  for (const OperatorInfo* op : list) {
    if (op->left == left && op->right == right) return op;
  }
  return nullptr;
}

// An unknown operand is taken for the other's type first; then that type's base, if it is a domain.
const OperatorInfo* exact_binary(catalog::CatalogView& catalog, std::span<const OperatorInfo* const> list, Oid left,
                                 Oid right) {
  bool was_unknown = false;
  if (left == oid::kUnknown && right != oid::kUnknown) {
    left = right;
    was_unknown = true;
  } else if (right == oid::kUnknown && left != oid::kUnknown) {
    right = left;
    was_unknown = true;
  }
  if (const OperatorInfo* op = exact(list, left, right)) return op;
  if (!was_unknown) return nullptr;
  const Oid base = base_type(catalog, left);
  return base != left ? exact(list, base, base) : nullptr;
}

const OperatorInfo* choose(catalog::CatalogView& catalog, std::span<const OperatorInfo* const> all,
                           std::span<const Oid> types, bool* ambiguous) {
  std::vector<const OperatorInfo*> distinct;
  if (!are_of_one_schema(all)) {
    distinct = without_hidden(all);
    all = distinct;
  }
  std::vector<Candidate> candidates;  // few of the many accept the types
  for (size_t i = 0; i < all.size(); i++) {
    const Oid declared[] = {all[i]->left, all[i]->right};
    const std::span<const Oid> accepted = std::span(declared).last(types.size());
    if (!can_coerce(catalog, types, accepted, Coercion::kImplicit)) continue;
    candidates.push_back({{accepted.begin(), accepted.end()}, i});
  }
  if (candidates.empty()) return nullptr;
  if (candidates.size() == 1) return all[candidates[0].index];
  if (auto best = select_best(catalog, types, std::move(candidates))) return all[best->index];
  if (ambiguous) *ambiguous = true;
  return nullptr;
}

const OperatorInfo* find_among_all(catalog::CatalogView& catalog, std::string_view schema, std::string_view name,
                                   Oid left, Oid right, bool* ambiguous) {
  const bool prefix = left == kInvalidOid;
  const auto list = operators_of(catalog, schema, name, prefix);
  if (prefix) {
    if (const OperatorInfo* op = exact(list, kInvalidOid, right)) return op;
    return choose(catalog, list, {&right, 1}, ambiguous);
  }
  if (const OperatorInfo* op = exact_binary(catalog, list, left, right)) return op;
  const Oid types[] = {left, right};
  return choose(catalog, list, types, ambiguous);
}

// What a bare name means for two built-in types while the database has no operators and no casts but the built-in ones: it
// depends on constant tables alone, so that nothing ever makes it untrue. One thread's; of all its databases.
class Choices {
 public:
  struct Question {
    uint64_t name = 0;
    uint64_t types = 0;
    template <typename H>
    friend H AbslHashValue(H h, const Question& q) {
      return H::combine(std::move(h), q.name, q.types);
    }
    bool operator==(const Question&) const = default;
  };

  // None: not of those that are kept.
  static std::optional<Question> question(catalog::CatalogView& catalog, std::string_view schema, std::string_view name,
                                          Oid left, Oid right) {
    if (name.size() > sizeof(uint64_t) || left >= oid::kFirstUserOid || right >= oid::kFirstUserOid) return {};
    if (!schema.empty() || typeid(catalog) != typeid(catalog::SessionCatalog)) return {};
    catalog::Database& database = static_cast<catalog::SessionCatalog&>(catalog).database_object();
    if (database.table(catalog::pg_operator::kOid).storage()->has_upper() ||
        database.table(catalog::pg_cast::kOid).storage()->has_upper()) {
      return {};
    }
    Question q{0, uint64_t{left} << 32 | right};
    std::memcpy(&q.name, name.data(), name.size());
    return q;
  }

  [[gnu::noinline]] static Oid find(const Question& q) {
    const auto it = kept().find(q);
    return it == kept().end() ? kInvalidOid : it->second;
  }
  [[gnu::noinline]] static void keep(const Question& q, Oid op) {
    constexpr size_t kMost = 1000;
    if (kept().size() >= kMost) kept().clear();
    kept().emplace(q, op);
  }

 private:
  static absl::flat_hash_map<Question, Oid>& kept() {
    thread_local absl::flat_hash_map<Question, Oid> kept;
    return kept;
  }
};

}  // namespace

const OperatorInfo* find_operator_quietly(catalog::CatalogView& catalog, std::string_view schema, std::string_view name,
                                          Oid left, Oid right, bool* ambiguous) {
  const auto question = Choices::question(catalog, schema, name, left, right);
  if (!question) return find_among_all(catalog, schema, name, left, right, ambiguous);
  if (const Oid known = Choices::find(*question); known != kInvalidOid) return catalog.operator_by_oid(known);
  const OperatorInfo* found = find_among_all(catalog, schema, name, left, right, ambiguous);
  if (found != nullptr) Choices::keep(*question, found->oid);
  return found;
}

Result<const OperatorInfo*> find_operator(Analysis& a, NodeList name, Oid left, Oid right, int location) {
  const QualifiedName q = qualified_name(name);
  bool ambiguous = false;
  if (Status qualified = a.check_qualified(q, name, location); !qualified.ok()) {
    auto error = qualified.take_error();
    if (!q.valid || !q.database.empty()) error->position = 0;  // PostgreSQL does not say where
    return error;
  }
  if (const OperatorInfo* op = find_operator_quietly(a.catalog, q.schema, q.name, left, right, &ambiguous)) {
    if (op->function == kInvalidOid) {
      return a.error(sqlstate::kUndefinedFunction,
                     "operator is only a shell: " + operator_text(a.catalog, name_list_text(name), left, right),
                     location);
    }
    return op;
  }
  const std::string text = operator_text(a.catalog, name_list_text(name), left, right);
  if (ambiguous) {
    return a.error(sqlstate::kAmbiguousFunction, "operator is not unique: " + text, location)
        .with_hint("Could not choose a best candidate operator. You might need to add explicit type casts.");
  }
  return a.error(sqlstate::kUndefinedFunction, "operator does not exist: " + text, location)
      .with_hint(
          left == kInvalidOid
              ? "No operator matches the given name and argument type. You might need to add an explicit type cast."
              : "No operator matches the given name and argument types. You might need to add explicit type casts.");
}

namespace {

// `whole`: a call, whatever language the function is in.
Result<ExprPtr> operator_expression(Analysis& a, const OperatorInfo& op, const ExprPtr& left, const ExprPtr& right,
                                    bool whole, int location) {
  const auto function = a.catalog.function(op.function);
  if (!function) {
    return a.error(sqlstate::kInternalError, "function of operator " + std::to_string(op.oid) + " is missing",
                   location);
  }
  ExprList arguments;
  std::vector<Oid> actual, declared;
  arguments.reserve(2);
  declared.reserve(2);
  actual.reserve(2);
  if (left) {
    arguments.push_back(left);
    declared.push_back(op.left);
  }
  arguments.push_back(right);
  declared.push_back(op.right);
  for (const ExprPtr& e : arguments) actual.push_back(e->type.oid);
  INDIGO_ASSIGN(const Oid result, resolve_polymorphic(a, actual, declared, op.result));
  for (size_t i = 0; i < arguments.size(); i++) {
    INDIGO_ASSIGN(arguments[i], coerce_type(a, arguments[i], {declared[i], -1, kInvalidOid}, Coercion::kImplicit,
                                            CallExpr::Form::kImplicitCast, -1));
  }
  const TypeRef type{result, -1, kInvalidOid};
  if (whole) return make_call(a, *function, std::move(arguments), type, CallExpr::Form::kOperator, op.oid, location);
  return call_or_inline(a, *function, std::move(arguments), type, CallExpr::Form::kOperator, op.oid, location);
}

}  // namespace

Result<ExprPtr> call_operator(Analysis& a, const OperatorInfo& op, const ExprPtr& left, const ExprPtr& right,
                              int location) {
  return operator_expression(a, op, left, right, false, location);
}

Result<std::shared_ptr<const CallExpr>> make_operator_call(Analysis& a, NodeList name, const ExprPtr& left,
                                                           const ExprPtr& right, int location) {
  INDIGO_ASSIGN(const OperatorInfo* op,
                find_operator(a, name, left ? left->type.oid : kInvalidOid, right->type.oid, location));
  INDIGO_ASSIGN(const ExprPtr call, operator_expression(a, *op, left, right, true, location));
  return std::static_pointer_cast<const CallExpr>(call);
}

Result<ExprPtr> make_operator(Analysis& a, NodeList name, const ExprPtr& left, const ExprPtr& right, int location) {
  INDIGO_ASSIGN(const OperatorInfo* op,
                find_operator(a, name, left ? left->type.oid : kInvalidOid, right->type.oid, location));
  return call_operator(a, *op, left, right, location);
}

Result<ExprPtr> make_operator(Analysis& a, std::string_view name, const ExprPtr& left, const ExprPtr& right,
                              int location) {
  const std::string text(name);
  PgQuery__String string = PG_QUERY__STRING__INIT;
  string.sval = const_cast<char*>(text.c_str());
  PgQuery__Node node = PG_QUERY__NODE__INIT;
  node.node_case = PG_QUERY__NODE__NODE_STRING;
  node.string = &string;
  PgQuery__Node* parts[] = {&node};
  return make_operator(a, NodeList(parts), left, right, location);
}

Result<ExprPtr> make_array_operator(Analysis& a, NodeList name, const ExprPtr& left, const ExprPtr& array, bool any,
                                    int location) {
  const Oid left_type = left->type.oid, array_type = array->type.oid;
  Oid element = oid::kUnknown;
  if (array_type != oid::kUnknown) {
    element = element_of_base(a.catalog, array_type);
    if (element == kInvalidOid) {
      return a.error(sqlstate::kWrongObjectType, "op ANY/ALL (array) requires array on right side", location);
    }
  }
  INDIGO_ASSIGN(const OperatorInfo* op, find_operator(a, name, left_type, element, location));
  std::vector<Oid> actual{left_type, element}, declared{op->left, op->right};
  INDIGO_ASSIGN(const Oid result, resolve_polymorphic(a, actual, declared, op->result));
  if (result != oid::kBool) {
    return a.error(sqlstate::kWrongObjectType, "op ANY/ALL (array) requires operator to yield boolean", location);
  }
  const auto function = a.catalog.function(op->function);
  if (function && function->returns_set) {
    return a.error(sqlstate::kWrongObjectType, "op ANY/ALL (array) requires operator not to return a set", location);
  }
  Oid wanted = array_type;
  // An operator on arrays takes elements of a domain over arrays as they are.
  const bool as_it_is = is_polymorphic(op->right) && array_type != oid::kUnknown;
  if (!as_it_is && !is_polymorphic(declared[1]) && declared[1] != oid::kAny) {
    wanted = array_of(a.catalog, declared[1]);
    if (wanted == kInvalidOid) {
      return a.error(sqlstate::kUndefinedObject,
                     "could not find array type for data type " + format_type(a.catalog, declared[1]), location);
    }
  }
  auto compare = std::make_shared<ArrayCompareExpr>();
  INDIGO_ASSIGN(compare->left, coerce_type(a, left, type_with_collation(a.catalog, {declared[0], -1, kInvalidOid}),
                                           Coercion::kImplicit, CallExpr::Form::kImplicitCast, -1));
  INDIGO_ASSIGN(compare->array, coerce_type(a, array, type_with_collation(a.catalog, {wanted, -1, kInvalidOid}),
                                            Coercion::kImplicit, CallExpr::Form::kImplicitCast, -1));
  compare->op = op->oid;
  compare->function = op->function;
  compare->any = any;
  compare->type.oid = oid::kBool;
  compare->location = location;
  const ExprPtr both[] = {compare->left, compare->array};
  INDIGO_ASSIGN(compare->collation, input_collation(a, both));
  // The call must exist as such too.
  const ExprPtr probe_right = make_null(a.catalog, {declared[1], -1, kInvalidOid});
  INDIGO_TRY(make_call(a, *function, {compare->left, probe_right}, {oid::kBool, -1, kInvalidOid},
                       CallExpr::Form::kOperator, op->oid, location));
  return ExprPtr(compare);
}

Result<SortOperators> sort_operators(Analysis& a, Oid type, bool need_order, bool need_equal, int location) {
  const Oid base = base_type(a.catalog, type);
  SortOperators out;
  out.less = a.catalog.btree_operator(base, 1);
  out.equal = a.catalog.btree_operator(base, 3);
  out.greater = a.catalog.btree_operator(base, 5);
  if (out.equal == kInvalidOid && need_equal && base != oid::kAnyArray) {
    // Types that hash without an order (xid, cid, aclitem).
    if (const OperatorInfo* op = find_operator_quietly(a.catalog, "pg_catalog", "=", base, base);
        op && op->left == base && op->right == base && op->can_hash) {
      out.equal = op->oid;
    }
  }
  if (out.equal == kInvalidOid && need_equal) {
    // By a hash class of users' own.
    const types::Collator* keys = a.catalog.defined_order(base);
    const auto* own = keys == nullptr ? nullptr : dynamic_cast<const types::DefinedEquality*>(keys->values());
    if (own != nullptr) out.equal = own->op();
  }
  if (need_order && out.less == kInvalidOid) {
    return a
        .error(sqlstate::kUndefinedFunction,
               "could not identify an ordering operator for type " + format_type(a.catalog, type), location)
        .with_hint("Use an explicit ordering operator or modify the query.");
  }
  if (need_equal && out.equal == kInvalidOid) {
    return a.error(sqlstate::kUndefinedFunction,
                   "could not identify an equality operator for type " + format_type(a.catalog, type), location);
  }
  return out;
}

}  // namespace indigo::sql
